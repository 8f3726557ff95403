import * as Money from '@sluice/kernel/money';
import { html } from 'hono/html';
import type { FraudSignal } from '../../../payment/fraud-signal.ts';
import type { Order } from '../../../payment/order.ts';
import type { Html } from '../../pages/frame.ts';
import { moment, sign, table, usd } from './figures.ts';

/** An order with the amount that was refunded or lost to disputes so far. */
export type ListedOrder = {
  order: Order;
  reversed: Money.Money;
  /** The buyer's e-mail address; absent in lists of one buyer. */
  buyer?: string | null;
};

const idCharsShown = 20;

const states: Record<Order['state'], string> = {
  offered: 'offered',
  claimed: 'being charged',
  granted: 'paid',
  declined: 'declined',
};

/** The names of fraud signals. */
export const signalNames: Record<FraudSignal['kind'], string> = {
  early_fraud_warning: 'Early fraud warning',
  review: 'Review',
};

/** The status of an order as a label. */
export function statusOf({ state }: Order): Html {
  return sign(states[state], state === 'declined');
}

/** A table of orders with links to their pages. */
export function orders(
  label: string,
  all: readonly ListedOrder[],
  note: (order: Order) => string | Html,
): Html {
  const hasBuyers = all.some(({ buyer }) => buyer !== undefined);
  const row = ({ order, reversed, buyer }: ListedOrder) =>
    html`<tr><th scope="row">${link(order.id)}</th><td class="number">${usd(order.amount)}</td><td>${statusOf(order)}</td><td>${moment(order.createdMs)}</td><td>${order.plan}</td>${hasBuyers ? html`<td>${buyerLink(order, buyer ?? null)}</td>` : ''}<td class="number">${reversed === Money.zero ? '' : usd(reversed)}</td><td>${note(order)}</td></tr>`;
  return table(
    label,
    [
      'Order',
      { number: 'USD', onPhone: 'lead' },
      { bare: 'Status' },
      { bare: 'Created' },
      { bare: 'Plan' },
      ...(hasBuyers ? [{ bare: 'Buyer' }] : []),
      { number: 'Reversed' },
      { bare: 'Note' },
    ],
    all.map(row),
  );
}

function buyerLink({ account }: Order, email: string | null): Html {
  if (account === null) return html``;
  const short = `${account.slice(0, 10)}…`;
  return html`<a href="/admin/console/accounts/${account}">${email ?? html`<span class="id">${short}</span>`}</a>`;
}

/** A link to an order's page, labelled with the start of its id. */
export function link(order: string): Html {
  const short = order.length > idCharsShown ? `${order.slice(0, idCharsShown)}…` : order;
  return html`<a class="id" href="${pageOf(order)}">${short}</a>`;
}

export function pageOf(order: string): string {
  return `/admin/console/payments/${encodeURIComponent(order)}`;
}
