import * as Money from '@sluice/kernel/money';
import { withoutBudget } from '@sluice/kernel/statement-deadline';
import type { Audit } from '../identity/audit.ts';
import type { Order, ReversalLoss } from '../payment/order.ts';
import type { PaymentContext } from '../payment/payment-context.ts';
import type { RefundOutcome } from '../payment/processor.ts';
import * as Reversal from '../payment/reversal.ts';
import * as RefundedSubscription from './refunded-subscription.ts';
import { syncReversals } from './sync-reversals.ts';
import * as UnconfirmedRefund from './unconfirmed-refund.ts';

/** The dependencies of refunding a purchase. */
export type RefundContext = PaymentContext & { readonly audit: Audit };

export type RefundResult =
  /** `left` can still be refunded; `loss` is the part of all reversals that had been spent. */
  | {
      kind: 'refunded';
      order: Order;
      reversal: Reversal.Reversal;
      left: Money.Money;
      loss: ReversalLoss;
      /** The subscription that was ended, or has yet to be ended; null when there is none, or it was kept. */
      ended: (RefundedSubscription.SubscriptionEnd & { isDone: boolean }) | null;
      /** True when the key made this refund before: no more money was sent. */
      isRepeated?: true;
    }
  /** `returned` of this order is returned by now, or on its way (`isPending`), which differs from what the seller knew. Nothing was refunded. */
  | { kind: 'changed'; returned: Money.Money; left: Money.Money; isPending: boolean }
  /** Another refund of this order is being made, or may have been made. Nothing was refunded by this one. */
  | { kind: 'busy' }
  | { kind: 'unknown_order' }
  | { kind: 'not_paid'; state: Order['state'] }
  /** At most `left` of this order can be refunded. */
  | { kind: 'too_much'; left: Money.Money }
  | { kind: 'refused'; reason: string }
  /** The key was used before to refund `amount`, which differs from this request. */
  | { kind: 'mismatch'; amount: Money.Money }
  /** The refund may have been made. Reconcile before trying again. */
  | { kind: 'pending' };

/**
 * Refunds `amount` of an order, or everything that was not refunded yet, and takes its credit back; credit that was spent is the seller's
 * loss. With the seller's own `key` the refund is made once, however often it is requested. Without a key, two concurrent requests make one
 * refund, because the refund's number is part of its idempotency key; one whose outcome is not known delays the next.
 * A subscription of which the order paid a period is ended too, unless the seller keeps it. `who` is for the audit log, which is written
 * before the refund.
 */
export async function refund(
  shop: RefundContext,
  instruction: Reversal.RefundInstruction,
  who: string,
): Promise<RefundResult> {
  const { order: orderId, amount, key: sellerKey, subscription, byHand = null } = instruction;
  if (byHand !== null) {
    const { returnedBefore = null } = instruction;
    return recordSentByHand(shop, { order: orderId, amount, key: sellerKey, ...byHand, returnedBefore }, who);
  }
  const order = await shop.orders.find(orderId);
  if (order === null) return { kind: 'unknown_order' };
  if (order.state !== 'granted' || order.payment === null) return { kind: 'not_paid', state: order.state };
  if (order.rail === 'x402')
    return {
      kind: 'refused',
      reason:
        'it was paid with x402, which only you can refund. Send the amount from your own wallet, then record that with `sent_by_hand` (--sent-by-hand).',
    };
  const before = Reversal.split(await shop.processor.reversalsOf(order.payment), order);
  const left = Reversal.refundable(before, order.amount);
  const done = sellerKey === null ? undefined : before.find(({ key }) => key === sellerKey);
  if (done) {
    if (amount !== null && amount !== done.amount) return { kind: 'mismatch', amount: done.amount };
    await syncReversals(shop, order.payment);
    const ended = await endSubscription(shop, order, left, subscription);
    const loss = await lossOf(shop, order);
    return { kind: 'refunded', reversal: done, order, left, loss, ended, isRepeated: true };
  }
  const changed = changeOf(instruction, before, order);
  if (changed !== null) {
    await syncReversals(shop, order.payment);
    return changed;
  }
  if (left === 0 || (amount !== null && amount > left)) return { kind: 'too_much', left };
  const number = before.filter(({ kind }) => kind === 'refund').length;
  const key = `refund_${order.id}_${sellerKey === null ? number : `key_${sellerKey}`}`;
  const rest = Money.ofMicro(left - (amount ?? left));
  const ending = await RefundedSubscription.endingOf(shop, order, rest);
  const asked = {
    amount_usd: Money.format(amount ?? left),
    left_usd: Money.format(left),
    key: sellerKey,
    // Only where there is one that could be charged again.
    subscription: ending === null ? null : subscription,
  };
  const entry = await shop.audit.open(who, 'refund', order.id, asked);
  const { payment } = order;
  const blocked = await blockedBy(shop, { entry, left }, instruction, { ...order, payment }).catch(
    async (fault: unknown) => {
      await shop.audit.close(entry, { kind: 'not_sent' });
      throw fault;
    },
  );
  if (blocked !== null) {
    await shop.audit.close(entry, blocked);
    return blocked;
  }
  return withoutBudget(async () => {
    const money = { amount: amount ?? left, tax: taxDue(order, before, amount ?? left) };
    const outcome = netOf(order, await shop.processor.refund(payment, money, key, sellerKey));
    try {
      await shop.audit.close(entry, outcome.kind === 'refunded' ? outcome.reversal : outcome);
      await syncReversals(shop, payment);
      if (outcome.kind !== 'refunded') return outcome.kind === 'refused' ? outcome : { kind: 'pending' };
      const rest = Money.ofMicro(left - outcome.reversal.amount);
      const ended = await endSubscription(shop, order, rest, subscription);
      return { ...outcome, order, left: rest, loss: await lossOf(shop, order), ended };
    } catch (fault) {
      if (outcome.kind !== 'refunded') throw fault;
      // The money is on its way back. An error would invite a second refund; the processor's event records this one.
      shop.report('refund_not_recorded', { order: order.id, reason: String(fault) });
      return { kind: 'pending' };
    }
  });
}

/** Compares what was returned of an order with what the seller knew; null when it is the same. */
function changeOf(
  { returnedBefore = null }: Reversal.RefundInstruction,
  reversals: readonly Reversal.Reversal[],
  { amount }: Order,
): Extract<RefundResult, { kind: 'changed' }> | null {
  const returned = Reversal.totalReversed(reversals, amount);
  if (returnedBefore === null || returned === returnedBefore) return null;
  const isPending = reversals.some(Reversal.isPending);
  return { kind: 'changed', returned, left: Reversal.refundable(reversals, amount), isPending };
}

/**
 * Looks again once the entry of a refund is in the audit log, where two refunds that are requested at the same time see each other: at most one of
 * them is made. While it is not known whether another refund was made, none with another key is made. A refund that does not depend on what was
 * returned before is also made beside one with another key that is still running. Refunds without a key are the same one only while as much is left.
 */
async function blockedBy(
  shop: RefundContext,
  { entry, left }: { entry: number; left: Money.Money },
  instruction: Reversal.RefundInstruction,
  order: Order & { payment: string },
): Promise<Extract<RefundResult, { kind: 'busy' | 'changed' }> | null> {
  const { returnedBefore = null } = instruction;
  const rivals = (listed: readonly Reversal.Reversal[]) =>
    UnconfirmedRefund.list(shop, order.id, listed).then((all) =>
      all
        .filter(
          (one) =>
            one.entry !== entry && (one.key !== instruction.key || (one.key === null && one.left !== left)),
        )
        .filter((one) => !one.isRunning || returnedBefore !== null || one.key === instruction.key),
    );
  if (returnedBefore === null && (await rivals([])).length === 0) return null;
  const now = Reversal.split(await shop.processor.reversalsOf(order.payment), order);
  if ((await rivals(now)).length > 0) return { kind: 'busy' };
  const isOwn = now.some(({ key }) => key !== null && key === instruction.key);
  return isOwn ? null : changeOf(instruction, now, order);
}

/** Returns the tax to refund with `amount` of an order. */
export function taxDue(order: Order, before: readonly Reversal.Reversal[], amount: Money.Money): Money.Money {
  const gone = {
    net: Reversal.totalReversed(before, order.amount),
    tax: Reversal.totalTaxReversed(before, order.tax),
  };
  return Reversal.taxToRefund(order, gone, amount);
}

/** Returns the outcome with amount and tax separated. */
function netOf(order: Order, outcome: RefundOutcome): RefundOutcome {
  if (outcome.kind !== 'refunded') return outcome;
  const [reversal = outcome.reversal] = Reversal.split([outcome.reversal], order);
  return { ...outcome, reversal };
}

/** Processes return recalled credit with their next batch. The loss is read again at this interval, and at most this often. */
const lossReadEveryMs = 60;
const lossReadsMax = 5;

/** Returns the loss after processes have returned credit that no call uses. The wait is bounded: calls in progress may still hold some of it. */
async function lossOf(shop: Pick<PaymentContext, 'orders'>, { id }: Order): Promise<ReversalLoss> {
  for (let look = 1; ; look++) {
    const loss = await shop.orders.lossOf(id);
    if (loss.pending === 0 || look === lossReadsMax) return loss;
    await new Promise((resolve) => setTimeout(resolve, lossReadEveryMs));
  }
}

async function endSubscription(
  shop: PaymentContext,
  order: Order,
  left: Money.Money,
  wanted: Reversal.RefundInstruction['subscription'],
): Promise<Extract<RefundResult, { kind: 'refunded' }>['ended']> {
  const ending = wanted === 'keep' ? null : await RefundedSubscription.endingOf(shop, order, left);
  return ending && { ...ending, isDone: await RefundedSubscription.end(shop, ending) };
}

/** Records that the seller returned an x402 payment manually. Its credit is taken back, and the buyer's refund request is answered. */
async function recordSentByHand(
  shop: Pick<PaymentContext, 'orders' | 'writer'>,
  refund: Parameters<PaymentContext['orders']['recordSentByHand']>[0],
  who: string,
): Promise<RefundResult> {
  const recorded = await shop.orders.recordSentByHand(refund, who);
  const order = await shop.orders.find(refund.order);
  if (order === null || recorded.kind === 'unknown_order') return { kind: 'unknown_order' };
  switch (recorded.kind) {
    case 'recorded': {
      if (order.account !== null) shop.writer.touch(order.account);
      const reversal = (await shop.orders.reversalsOf(order.id)).find(({ id }) => id === recorded.reversal);
      if (reversal === undefined) throw new Error(`the reversal ${recorded.reversal} was not stored`);
      return {
        kind: 'refunded',
        order,
        reversal,
        left: recorded.remaining,
        loss: await lossOf(shop, order),
        ended: null,
      };
    }
    case 'mismatch':
      return { kind: 'mismatch', amount: recorded.amount };
    case 'too_much':
      return { kind: 'too_much', left: recorded.remaining };
    case 'changed': {
      const left = recorded.remaining;
      return { kind: 'changed', returned: Money.ofMicro(order.amount - left), left, isPending: false };
    }
    case 'not_paid':
      return { kind: 'not_paid', state: order.state };
    case 'not_coin':
      return {
        kind: 'refused',
        reason:
          'it was not paid with x402. Repeat the refund without `sent_by_hand` (--sent-by-hand): the card processor makes it.',
      };
  }
}

/** Describes the result to the seller. */
export function describeRefund(outcome: RefundResult): string {
  const usd = (money: Money.Money) => `${Money.format(money)} USD`;
  switch (outcome.kind) {
    case 'refunded': {
      const { order, reversal, left, loss, ended } = outcome;
      const end =
        ended === null
          ? ''
          : ended.isDone
            ? `\n${RefundedSubscription.describeEnded(ended)}`
            : `\nThe subscription ${ended.subscription} could not be ended and still renews. End it at the processor, or repeat this refund with the same key.`;
      const cost =
        loss.certain > 0 ? `\n${usd(loss.certain)} of it had been spent. That part is your loss.` : '';
      const open =
        loss.pending > 0
          ? `\nCalls in progress hold ${usd(loss.pending)} of it. The part that they use is your loss.`
          : '';
      const tax = reversal.tax ? ` and ${usd(reversal.tax)} of tax` : '';
      return `${usd(reversal.amount)}${tax} of ${order.id} were refunded (${reversal.id}, ${reversal.status}); ${usd(left)} of it remain paid.${cost}${open}${end}`;
    }
    case 'changed':
      return `Nothing was refunded: ${usd(outcome.returned)} of this purchase is returned by now, which differs from what you knew.`;
    case 'busy':
      return 'Nothing was refunded: another refund of this purchase is being made, or its outcome is not known yet. Try again in ten minutes.';
    case 'unknown_order':
      return 'There is no purchase with this id.';
    case 'not_paid':
      return `This purchase has not been paid (${outcome.state}).`;
    case 'too_much':
      return `At most ${usd(outcome.left)} of this purchase can still be refunded.`;
    case 'mismatch':
      return `This key was used before, for a refund of ${usd(outcome.amount)}. Use a new key for another refund.`;
    case 'refused':
      return `Refused: ${outcome.reason}`;
    case 'pending':
      return 'The processor did not respond, so the refund may have been made. Run `sluice reconcile` before you try again.';
  }
}
