import type { Audit } from '../identity/audit.ts';
import * as Money from '../kernel/money.ts';
import type { Order } from '../payment/order.ts';
import * as Reversal from '../payment/reversal.ts';
import type { Till } from './settlement.ts';

/**
 * Brings the credit that a payment bought in line with what has gone back of it. It asks how things stand and not what
 * happened, so it may be called in any order and however often. A payment that bought nothing here is none of ours.
 */
export async function look(shop: Till, payment: string): Promise<void> {
  const order = await shop.orders.paidBy(payment);
  const number = order && (await shop.orders.look(order.id));
  if (order === null || number === null) return;
  const found = await shop.processor.reversalsOf(payment);
  // Most payments never go back: then nothing is to be written.
  if (found.length === 0 && (await shop.orders.reversalsOf(order.id)).length === 0) return;
  await shop.orders.reverse(order.id, number, found);
  if (order.account !== null) shop.lane.touch(order.account);
}

/** What of an order has gone back, as far as our books know. */
export async function goneOf(shop: Pick<Till, 'orders'>, { id, amount }: Order): Promise<Money.Money> {
  return Reversal.total(await shop.orders.reversalsOf(id), amount);
}

export type Refunded =
  /** `left` can still go back; `loss`: what of all that went back had been spent, as far as it is known. */
  | { kind: 'refunded'; order: Order; reversal: Reversal.Reversal; left: Money.Money; loss: Money.Money }
  | { kind: 'unknown_order' }
  | { kind: 'not_paid'; state: Order['state'] }
  /** Of this order no more than `left` can go back. */
  | { kind: 'too_much'; left: Money.Money }
  | { kind: 'refused'; reason: string }
  /** The key has sent `amount` back, and not what is asked for now. */
  | { kind: 'mismatch'; amount: Money.Money }
  /** It may have gone back: look again before another try. */
  | { kind: 'pending' };

/**
 * The seller sends back money of an order: `amount`, or all that has not gone back yet. Its credit goes with it; what is
 * spent of it is the seller's loss. Under one `key` of the seller's it goes back once, whenever it is asked for again; without one, two
 * tries at once send it back once, as the number of a refund is in its idempotency key.
 * `who` is for the audit log, which has it before the money goes.
 */
export async function refund(
  shop: Till & { readonly audit: Audit },
  { order: orderId, amount, key: sellerKey }: Reversal.Refund,
  who: string,
): Promise<Refunded> {
  const order = await shop.orders.find(orderId);
  if (order === null) return { kind: 'unknown_order' };
  if (order.state !== 'granted' || order.payment === null) return { kind: 'not_paid', state: order.state };
  if (order.rail === 'x402')
    return {
      kind: 'refused',
      reason: 'it was paid in a dollar coin, which goes back from your own wallet.',
    };
  const before = await shop.processor.reversalsOf(order.payment);
  const left = Money.ofMicro(order.amount - Reversal.total(before, order.amount));
  const done = sellerKey === null ? undefined : before.find(({ key }) => key === sellerKey);
  if (done) {
    if (amount !== null && amount !== done.amount) return { kind: 'mismatch', amount: done.amount };
    await look(shop, order.payment);
    return { kind: 'refunded', reversal: done, order, left, loss: await shop.orders.lossOf(order.id) };
  }
  if (left === 0 || (amount !== null && amount > left)) return { kind: 'too_much', left };
  const number = before.filter(({ kind }) => kind === 'refund').length;
  const key = `refund_${order.id}_${sellerKey === null ? number : `key_${sellerKey}`}`;
  const asked = { amount_usd: Money.format(amount ?? left), left_usd: Money.format(left), key: sellerKey };
  const entry = await shop.audit.open(who, 'refund', order.id, asked);
  const outcome = await shop.processor.refund(order.payment, amount ?? left, key, sellerKey);
  await shop.audit.close(entry, outcome.kind === 'refunded' ? outcome.reversal : outcome);
  await look(shop, order.payment);
  switch (outcome.kind) {
    case 'refunded':
      return {
        ...outcome,
        order,
        left: Money.ofMicro(left - outcome.reversal.amount),
        loss: await shop.orders.lossOf(order.id),
      };
    case 'refused':
      return outcome;
    case 'unknown':
      return { kind: 'pending' };
  }
}

/** What became of it, for the seller. */
export function inWords(outcome: Refunded): string {
  const usd = (money: Money.Money) => `${Money.format(money)} USD`;
  switch (outcome.kind) {
    case 'refunded': {
      const { order, reversal, left, loss } = outcome;
      const cost = loss > 0 ? `\n${usd(loss)} of it had been spent: your loss.` : '';
      return `${usd(reversal.amount)} of ${order.id} went back (${reversal.id}, ${reversal.status}); ${usd(left)} of it remain paid.${cost}`;
    }
    case 'unknown_order':
      return 'There is no such purchase.';
    case 'not_paid':
      return `This purchase has not been paid (${outcome.state}).`;
    case 'too_much':
      return `Of this purchase ${usd(outcome.left)} can go back.`;
    case 'mismatch':
      return `Under this key ${usd(outcome.amount)} went back: nothing more does.`;
    case 'refused':
      return `The processor refuses: ${outcome.reason}`;
    case 'pending':
      return 'The processor did not answer. It may have gone back: run `sluice reconcile` before another try.';
  }
}
