import * as Money from '@sluice/kernel/money';
import { html } from 'hono/html';
import type { FoundAccount } from '../../../identity/account-search.ts';
import type { FraudSignal } from '../../../payment/fraud-signal.ts';
import type { Order } from '../../../payment/order.ts';
import type { Reversal, Standing } from '../../../payment/reversal.ts';
import type { Html } from '../../pages/frame.ts';
import { moment, money, sign, table, words } from './figures.ts';
import { state } from './states.ts';

/** An order with the amount that was refunded or lost to disputes so far. */
export type ListedOrder = Standing & {
  order: Order;
  reversed: Money.Money;
  /** The dispute to respond to, where it was looked up. */
  dispute?: Reversal | null;
  /** The buyer's e-mail address; absent in lists of one buyer. */
  buyer?: string | null;
};

/** The name of a plan by its id; the id when it is no longer in the catalogue. */
export type PlanName = (id: string) => string;

const idCharsShown = 12;

/** The names of fraud signals. */
export const signalNames: Record<FraudSignal['kind'], string> = {
  early_fraud_warning: 'Early fraud warning',
  review: 'Review',
};

const signalReasons: Readonly<Record<string, string>> = {
  made_with_stolen_card: 'card reported stolen',
  made_with_lost_card: 'card reported lost',
  rule: 'a rule of yours at the processor',
  manual: 'opened by hand at the processor',
};

/** Why the card issuer or the processor considers a payment suspicious. */
export function signalReason(reason: string): string {
  return signalReasons[reason] ?? words(reason);
}

/** The ways to pay. `mpp`: the card of an AI agent. */
const methodNames = {
  card: 'Card',
  mpp: 'Card (agent)',
  x402: 'Stablecoin',
  invoice: 'Renewal',
  top_up: 'Auto top-up',
} as const;

/** The ways to pay in lists where `invoice` includes changes of plan. */
export const railNames: Readonly<Record<keyof typeof methodNames, string>> = {
  ...methodNames,
  invoice: 'Renewal or change of plan',
};

/** The way in which an order was paid, in words. */
export function methodOf(order: Order): string {
  const { rail, challengeId } = order;
  if (isPlanChange(order)) return 'Change of plan';
  return methodNames[rail === 'card' && challengeId !== null ? 'mpp' : rail];
}

/** Returns true for an invoice below the price of its plan: it was charged for a change within a period. */
export function isPlanChange({ rail, period, amount }: Order): boolean {
  return rail === 'invoice' && period !== null && amount < period.terms.price;
}

const declinedBy: readonly (readonly [pattern: RegExp, words: string])[] = [
  [/insufficient funds/i, 'insufficient funds'],
  [/expired/i, 'the card has expired'],
  [/security code|cvc/i, 'wrong security code'],
  [/requires authentication|3-?d secure/i, 'the bank asks the buyer to confirm'],
  [/^your card was declined\.?$/i, 'the bank gave no reason'],
];

/** Why a payment failed, for the seller. The processor writes to the buyer: "Your card was declined." */
export function failureText(failure: string): string {
  const known = declinedBy.find(([pattern]) => pattern.test(failure))?.[1];
  if (known !== undefined) return known;
  const text = failure.replace(/\byour card\b/gi, 'the card').replace(/\byour\b/gi, 'the buyer’s');
  return text.charAt(0).toLowerCase() + text.slice(1).replace(/\.$/, '');
}

/** The status of an order in words, with what has become of its money since. */
export function statusText(listed: ListedOrder): string {
  const { order, reversed, isDisputed, isLost, isPending } = listed;
  switch (order.state) {
    case 'offered':
      return 'not paid';
    case 'claimed':
      return 'being charged';
    case 'declined':
      return 'declined';
    case 'granted':
      if (isLost) return 'dispute lost';
      if (isDisputed) return 'disputed';
      if (reversed === Money.zero) return 'paid';
      if (isPending) return 'refund pending';
      return reversed < order.amount ? 'partly refunded' : 'refunded';
  }
}

/** The status of an order as a label, and another one while the buyer's bank asks about it. */
export function statusOf(listed: ListedOrder): Html {
  return html`${state(statusText(listed))}${listed.hasInquiry ? html` ${sign('inquiry', 'warn')}` : ''}`;
}

/** A table of orders with links to their pages. */
export function orders(label: string, all: readonly ListedOrder[], planName: PlanName): Html {
  const hasBuyers = all.some(({ buyer }) => buyer !== undefined);
  const row = (listed: ListedOrder) => {
    const { order, buyer } = listed;
    return html`<tr><th scope="row" class="nowrap"><a href="${pageOf(order.id)}">${money(order.amount)}</a></th><td>${statusOf(listed)}${noteOf(listed)}</td>${hasBuyers ? html`<td>${buyerLink(order.account, buyer ?? null)}</td>` : ''}<td class="nowrap">${methodOf(order)}</td><td>${planName(order.plan)}</td><td>${moment(order.createdMs)}</td></tr>`;
  };
  return table(
    label,
    [
      'Amount',
      { lead: 'Status' },
      ...(hasBuyers ? [{ bare: 'Buyer' }] : []),
      { bare: 'Method' },
      { bare: 'Plan' },
      { bare: 'Date' },
    ],
    all.map(row),
  );
}

/** A note below the status: why a payment was declined, or how much of it was returned. */
function noteOf({ order, reversed, isPending }: ListedOrder): Html {
  const text =
    order.failure !== null
      ? failureText(order.failure)
      : reversed > 0 && reversed < order.amount
        ? `${money(reversed)} ${isPending ? 'refunded or pending' : 'returned'}`
        : '';
  return text === '' ? html`` : html` <small>${text}</small>`;
}

/** An email address as a heading: it breaks before the at sign and after each dot. */
export function headingOf(email: string): Html {
  return html`${email.split(/(?=@)|(?<=[.])/).map((part, at) => (at === 0 ? part : html`<wbr>${part}`))}`;
}

/** A link to a buyer's account: its email address, or the start of its id. */
export function buyerLink(account: string | null, email: string | null): Html {
  if (account === null) return html``;
  const text = email === null ? html`<span class="id">${shortId(account)}</span>` : emailText(email);
  return html`<a href="/admin/console/accounts/${account}">${text}</a>`;
}

/** Longer hosts of addresses may break after their dots and hyphens, too. */
const hostCharsMax = 24;

/** An email address, which breaks before the at sign, and never within a word of its host. */
export function emailText(email: string): Html {
  const at = email.lastIndexOf('@');
  if (at === -1) return html`${email}`;
  const host = email.slice(at + 1).split(email.length - at > hostCharsMax ? /(?<=[.-])/ : /$^/);
  return html`${email.slice(0, at)}<wbr class="at">@${host.map((part, nth) => (nth === 0 ? part : html`<wbr>${part}`))}`;
}

/** The address of an account; without a confirmed one, where the buyer's address is known from. */
export function emailOf({ email, payerEmail, paid }: FoundAccount): string | Html {
  if (email !== null) return emailText(email);
  if (payerEmail !== null)
    return html`${emailText(payerEmail)} <small>not confirmed: the payer of the plan entered it at the checkout</small>`;
  return paid > 0
    ? 'not confirmed; the card processor has the address that was entered at the checkout'
    : 'none';
}

/** The start of an id. */
export function shortId(id: string): string {
  return id.length > idCharsShown ? `${id.slice(0, idCharsShown)}…` : id;
}

/** A link to the page of a purchase: its amount. */
export function orderLink(order: string, amount: Money.Money): Html {
  return html`<a href="${pageOf(order)}">${money(amount)}</a>`;
}

export function pageOf(order: string): string {
  return `/admin/console/payments/${encodeURIComponent(order)}`;
}
