import * as Money from '@sluice/kernel/money';
import { html } from 'hono/html';
import type { FraudSignal } from '../../../payment/fraud-signal.ts';
import type { Order } from '../../../payment/order.ts';
import type { Html } from '../../pages/frame.ts';
import { moment, money, sign, table } from './figures.ts';

/** An order with the amount that was refunded or lost to disputes so far. */
export type ListedOrder = {
  order: Order;
  reversed: Money.Money;
  /** True when a dispute has taken the money back. */
  isDisputed: boolean;
  /** The buyer's e-mail address; absent in lists of one buyer. */
  buyer?: string | null;
};

const idCharsShown = 9;

/** The names of fraud signals. */
export const signalNames: Record<FraudSignal['kind'], string> = {
  early_fraud_warning: 'Early fraud warning',
  review: 'Review',
};

const railNames: Record<Order['rail'], string> = {
  card: 'Card',
  x402: 'Stablecoin',
  invoice: 'Renewal',
  top_up: 'Auto top-up',
};

/** The way in which an order was paid, in words. */
export function methodOf({ rail, challengeId }: Order): string {
  return rail === 'card' && challengeId !== null ? 'Card (agent)' : railNames[rail];
}

/** The status of an order as a label, with what has become of its money since. */
export function statusOf({ order, reversed, isDisputed }: Omit<ListedOrder, 'buyer'>): Html {
  switch (order.state) {
    case 'offered':
      return sign('offered');
    case 'claimed':
      return sign('being charged', 'warn');
    case 'declined':
      return sign('declined', true);
    case 'granted':
      if (isDisputed) return sign('disputed', true);
      if (reversed === Money.zero) return sign('paid');
      return sign(reversed < order.amount ? 'partly refunded' : 'refunded', 'warn');
  }
}

/** A table of orders with links to their pages. */
export function orders(label: string, all: readonly ListedOrder[]): Html {
  const hasBuyers = all.some(({ buyer }) => buyer !== undefined);
  const hasReasons = all.some(({ order }) => order.failure !== null);
  const row = (listed: ListedOrder) => {
    const { order, reversed, buyer } = listed;
    return html`<tr><th scope="row" class="nowrap"><a href="${pageOf(order.id)}">${money(order.amount)}</a></th><td>${statusOf(listed)}</td>${hasBuyers ? html`<td>${buyerLink(order.account, buyer ?? null)}</td>` : ''}<td class="nowrap">${methodOf(order)}</td><td>${order.plan}</td><td>${moment(order.createdMs)}</td>${hasReasons ? html`<td>${order.failure ?? ''}</td>` : ''}<td class="number">${reversed === Money.zero ? '' : money(reversed)}</td><td>${link(order.id)}</td></tr>`;
  };
  return table(
    label,
    [
      'Amount',
      { lead: 'Status' },
      ...(hasBuyers ? [{ bare: 'Buyer' }] : []),
      { bare: 'Method' },
      { wide: 'Plan' },
      { bare: 'Date' },
      ...(hasReasons ? [{ bare: 'Reason' }] : []),
      { number: 'Returned' },
      { wide: 'Order' },
    ],
    all.map(row),
  );
}

/** A link to a buyer's account: its email address, or the start of its id. */
export function buyerLink(account: string | null, email: string | null): Html {
  if (account === null) return html``;
  return html`<a href="/admin/console/accounts/${account}">${email ?? html`No email <span class="id">${shortId(account)}</span>`}</a>`;
}

/** The start of an id. */
export function shortId(id: string): string {
  return id.length > idCharsShown ? `${id.slice(0, idCharsShown)}…` : id;
}

/** A link to an order's page, labelled with the start of its id. */
export function link(order: string): Html {
  return html`<a class="id" href="${pageOf(order)}">${shortId(order)}</a>`;
}

export function pageOf(order: string): string {
  return `/admin/console/payments/${encodeURIComponent(order)}`;
}
