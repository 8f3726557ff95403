import * as Email from '../identity/email.ts';
import * as Money from '../kernel/money.ts';
import * as RefundMail from '../payment/refund-mail.ts';
import type { Asking, RefundRequest } from '../payment/refund-request.ts';
import * as Paid from '../payment/reversal.ts';
import * as Reversal from './reversal.ts';
import type { Till } from './settlement.ts';
import type { Shop } from './shop.ts';

/** Under it the refund that answers a request goes back once, whoever says so how often. */
const refundKey = 'refund-request';

export type Asked =
  /** `isNew` false: it has been asked before, and stands as it was asked then. */
  | { kind: 'asked'; request: RefundRequest; isNew: boolean }
  /** This account has no such purchase. */
  | { kind: 'unknown_purchase' }
  | { kind: 'not_paid' }
  /** Of the purchase no more than `left` has not gone back yet. */
  | { kind: 'too_much'; left: Money.Money };

/**
 * A buyer asks for money of a purchase: `amount`, or all that has not gone back yet. Spent credit may be asked for too: whether the seller
 * bears that loss is his to decide. Once for each purchase; asked again, the first request is told as it stands.
 */
export async function ask(
  shop: Pick<Shop, 'orders' | 'refundRequests'>,
  account: string,
  purchase: string,
  { reason, amount }: Asking,
): Promise<Asked> {
  const order = await shop.orders.find(purchase);
  if (order?.account !== account) return { kind: 'unknown_purchase' };
  const before = await shop.refundRequests.find(purchase);
  if (before !== null) return { kind: 'asked', request: before, isNew: false };
  if (order.state !== 'granted' || order.payment === null) return { kind: 'not_paid' };
  const gone = Paid.total(await shop.orders.reversalsOf(purchase), order.amount);
  const left = Money.ofMicro(order.amount - gone);
  if (left === 0 || (amount !== null && amount > left)) return { kind: 'too_much', left };
  const isNew = await shop.refundRequests.ask(purchase, amount ?? left, reason);
  const request = await shop.refundRequests.find(purchase);
  if (request === null) throw new Error(`the refund request of ${purchase} was not stored`);
  return { kind: 'asked', request, isNew };
}

export type Answer =
  /** `amount` null: what was asked for. */
  { kind: 'refund'; amount: Money.Money | null } | { kind: 'decline'; reason: string };

export type Answered =
  | Reversal.Refunded
  | { kind: 'declined'; request: RefundRequest }
  /** It has been answered before, and cannot be declined any more. */
  | { kind: 'answered'; request: RefundRequest }
  | { kind: 'unknown_request' }
  /** Paid in a coin: no processor sends that back. */
  | { kind: 'by_hand' };

/** The seller answers: sends money back, also after he declined, or declines with a reason that the buyer sees. `who` is for the audit log. */
export async function answer(
  shop: Till & Pick<Shop, 'audit' | 'refundRequests'>,
  purchase: string,
  given: Answer,
  who: string,
): Promise<Answered> {
  const request = await shop.refundRequests.find(purchase);
  if (request === null) return { kind: 'unknown_request' };
  if (given.kind === 'decline') {
    const isDone = await shop.refundRequests.decline(purchase, given.reason, who);
    const now = (await shop.refundRequests.find(purchase)) ?? request;
    return { kind: isDone ? 'declined' : 'answered', request: now };
  }
  if ((await shop.orders.find(purchase))?.rail === 'x402') return { kind: 'by_hand' };
  const amount = given.amount ?? request.amount;
  return Reversal.refund(shop, { order: purchase, amount, key: refundKey }, who);
}

/** Tells the seller, at the contact of the catalogue, of requests that he has not been told of. Where it is no mailbox, they are listed only. */
export async function tell(
  shop: Pick<Shop, 'catalog' | 'claiming' | 'publicUrl' | 'refundRequests'>,
): Promise<void> {
  const { name, contact } = shop.catalog.storefront;
  const to = Email.parse(contact);
  if (shop.claiming === null || to === null) return;
  for (const request of await shop.refundRequests.takeUntold()) {
    const mail = RefundMail.write(to, { name, publicUrl: shop.publicUrl }, request);
    // The others would have to wait as long, and are sent when their time is up.
    if ((await shop.claiming.mailer.send(mail)) === 'away') return;
    // Refused for good or sent: either way there is nothing more to send.
    await shop.refundRequests.told(request.purchase);
  }
}

/** A request as its buyer is told of it. */
export function shown(request: RefundRequest) {
  const { purchase, amount, reason, askedMs, state, refunded, answer, declinedMs } = request;
  return {
    purchase,
    amount_usd: Money.format(amount),
    reason,
    asked_at: new Date(askedMs).toISOString(),
    state,
    refunded_usd: Money.format(refunded),
    answer,
    declined_at: declinedMs === null ? null : new Date(declinedMs).toISOString(),
  };
}

/** And as the seller is. */
export function shownToSeller(request: RefundRequest) {
  const { account, plan, paid, unspent } = request;
  return {
    ...shown(request),
    account,
    plan,
    paid_usd: Money.format(paid),
    unspent_usd: Money.format(unspent),
  };
}
