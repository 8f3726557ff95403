import { zero } from '@sluice/kernel/money';
import { html } from 'hono/html';
import { isSlow, type Order } from '../../../payment/order.ts';
import type { UnfinishedOrder } from '../../../payment/revenue-report.ts';
import { standingOf } from '../../../payment/reversal.ts';
import { capitalized } from '../../../text/capitalized.ts';
import type { Html } from '../../pages/frame.ts';
import { type Column, moment } from './figures.ts';
import { buyerLink, orderLink, statusOf } from './orders.ts';

/** The cause why a charge has no outcome. */
export type Holdup = Pick<UnfinishedOrder, 'isAtWork' | 'reason'>;

const asking =
  'The shop asks the processor again every 20 seconds. The buyer gets nothing, and the money is not counted, until the outcome is known.';

export const about = `Charges without an outcome yet. ${asking} If one stays here for an hour, look for it at the processor.`;

export const columns: readonly Column[] = [
  'Amount',
  { lead: 'Status' },
  { bare: 'Buyer' },
  { bare: 'Created' },
  { bare: 'Reason' },
];

/** A row of the list of charges without an outcome. */
export function row(one: UnfinishedOrder): Html {
  const { order, email } = one;
  const status = statusOf({ order, reversed: zero, ...standingOf([]) });
  return html`<tr><th scope="row">${orderLink(order.id, order.amount)}</th><td>${status}</td><td>${buyerLink(order.account, email)}</td><td>${moment(order.createdMs)}</td><td class="words">${causeOf(one)}</td></tr>`;
}

/** The note on the page of a purchase that is being charged: its cause and the next step. */
export function note(order: Order, holdup: Holdup | null): Html {
  if (isSlow(order))
    return html`<p class="note">The buyer chose a payment method of a bank, which may take up to two weeks. There is nothing to do: the purchase is paid when the money arrives.</p>`;
  const cause = holdup === null ? 'The processor has not confirmed this charge yet' : causeOf(holdup);
  const search = html` If it stays so for an hour, search for <span class="id">${order.id}</span> at the processor.`;
  return html`<p class="note">${cause}. ${asking}${holdup?.isAtWork && holdup.reason === null ? '' : search}</p>`;
}

function causeOf({ isAtWork, reason }: Holdup): string {
  if (reason !== null) return faultInWords(reason);
  return isAtWork ? 'Being charged now' : 'Waiting for the next check';
}

/** An error of the shop's programs in plain words. */
export function faultInWords(text: string): string {
  if (/^ProcessorAway\b/.test(text)) return 'The processor did not answer';
  if (/no payment of this order/.test(text)) return 'The processor knows no such payment';
  const plain = text.replace(/^\w*Error: /, '');
  return capitalized(plain);
}
