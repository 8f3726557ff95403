import * as Money from '@sluice/kernel/money';
import type { CatalogContext } from '../catalog/catalog-context.ts';
import { nameOf } from '../catalog/plan-name.ts';
import * as Email from '../identity/email.ts';
import type { MailContext } from '../identity/identity-context.ts';
import type { PaymentContext } from '../payment/payment-context.ts';
import { refundMail } from '../payment/refund-mail.ts';
import type { RefundRequest, RefundRequestInput } from '../payment/refund-request.ts';
import * as Paid from '../payment/reversal.ts';
import type { TextsContext } from '../text/texts-context.ts';
import * as Refund from './refund.ts';
import type { SellerContext } from './seller-context.ts';

/** The seller's key for the refund that answers a request, so that it is made once. */
export const refundKey = 'refund-request';

/** The dependencies of answering a request. */
export type RefundAnswerContext = Refund.RefundContext & Pick<SellerContext, 'refundRequests'>;

export type RequestResult =
  /** `isNew` false: the first request for this purchase, unchanged. */
  | { kind: 'asked'; request: RefundRequest; isNew: boolean }
  /** The account has no such purchase. */
  | { kind: 'unknown_purchase' }
  | { kind: 'not_paid' }
  /** At most `left` of the purchase can still be refunded. */
  | { kind: 'too_much'; left: Money.Money };

/**
 * Requests a refund of `amount` of a purchase, or of everything that was not refunded yet. A buyer can ask for spent credit too; the seller
 * decides whether to take that loss. There is one request for each purchase: another one returns the first.
 */
export async function ask(
  shop: Pick<PaymentContext, 'orders'> & Pick<SellerContext, 'refundRequests'>,
  account: string,
  purchase: string,
  { reason, amount }: RefundRequestInput,
): Promise<RequestResult> {
  const order = await shop.orders.find(purchase);
  if (order?.account !== account) return { kind: 'unknown_purchase' };
  const before = await shop.refundRequests.find(purchase);
  if (before !== null) return { kind: 'asked', request: before, isNew: false };
  if (order.state !== 'granted' || order.payment === null) return { kind: 'not_paid' };
  const left = Paid.refundable(await shop.orders.reversalsOf(purchase), order.amount);
  if (left === 0 || (amount !== null && amount > left)) return { kind: 'too_much', left };
  const isNew = await shop.refundRequests.ask(purchase, amount ?? left, reason);
  const request = await shop.refundRequests.find(purchase);
  if (request === null) throw new Error(`the refund request of ${purchase} was not stored`);
  return { kind: 'asked', request, isNew };
}

export type SellerAnswer =
  /** `amount` null: the requested amount. */
  | {
      kind: 'refund';
      amount: Money.Money | null;
      subscription: Paid.RefundInstruction['subscription'];
      byHand?: { reference: string | null } | null;
      returnedBefore?: Money.Money | null;
    }
  | { kind: 'decline'; reason: string };

export type AnswerResult =
  | Refund.RefundResult
  | { kind: 'declined'; request: RefundRequest }
  /** The request was answered before, and can no longer be declined. */
  | { kind: 'answered'; request: RefundRequest }
  | { kind: 'unknown_request' }
  /** Paid in a dollar token, which no processor can refund. The seller returns it manually, and records that with `byHand`. */
  | { kind: 'by_hand' };

/** Returns the request for a purchase of the account; null when there is none, or the purchase belongs to another account. */
export async function findOwn(
  { refundRequests }: Pick<SellerContext, 'refundRequests'>,
  account: string,
  purchase: string,
): Promise<RefundRequest | null> {
  const request = await refundRequests.find(purchase);
  return request?.account === account ? request : null;
}

/** Lists the purchases for which a refund can still be requested: not returned in full, and without a request. */
export function requestable<Entry extends { purchase: string; amount_usd: string; reversed_usd: string }>(
  paid: readonly Entry[],
  asked: readonly { purchase: string }[],
): Entry[] {
  return paid.filter(
    ({ purchase, amount_usd, reversed_usd }) =>
      amount_usd !== reversed_usd && !asked.some((one) => one.purchase === purchase),
  );
}

/** Answers a request: refunds money, also after declining, or declines with a reason that the buyer sees. `who` is for the audit log. */
export async function answer(
  shop: RefundAnswerContext,
  purchase: string,
  given: SellerAnswer,
  who: string,
): Promise<AnswerResult> {
  const request = await shop.refundRequests.find(purchase);
  if (request === null) return { kind: 'unknown_request' };
  if (given.kind === 'decline') {
    const isDone = await shop.refundRequests.decline(purchase, given.reason, who);
    const now = (await shop.refundRequests.find(purchase)) ?? request;
    return { kind: isDone ? 'declined' : 'answered', request: now };
  }
  const { byHand = null, returnedBefore = null } = given;
  if (byHand === null && (await shop.orders.find(purchase))?.rail === 'x402') return { kind: 'by_hand' };
  const amount = given.amount ?? request.amount;
  const { subscription } = given;
  const instruction = { order: purchase, amount, key: refundKey, subscription, byHand, returnedBefore };
  return Refund.refund(shop, instruction, who);
}

/** Notifies the seller of new requests by mail to the contact in the catalogue. If that is not a mailbox, requests are only listed. */
export async function notifySeller(
  shop: Pick<CatalogContext, 'catalog' | 'publicUrl'> &
    Pick<MailContext, 'mail'> &
    Pick<SellerContext, 'refundRequests'> &
    TextsContext,
): Promise<void> {
  const { name, contact } = shop.catalog.storefront;
  const to = Email.parse(contact);
  if (shop.mail === null || to === null) return;
  for (const request of await shop.refundRequests.takeUnnotified()) {
    const mail = refundMail(
      to,
      { name, publicUrl: shop.publicUrl, texts: shop.texts },
      nameOf(shop.catalog, request.plan),
      request,
    );
    await shop.mail.enqueue(mail, `refund-request:${request.purchase}`);
    await shop.refundRequests.markNotified(request.purchase);
  }
}

/** Formats a request for its buyer. */
export function asRefundRequest(request: RefundRequest) {
  const { purchase, amount, tax, reason, askedMs, state, refunded, refundedTax, answer, declinedMs } =
    request;
  return {
    purchase,
    amount_usd: Money.format(amount),
    tax_usd: Money.format(tax),
    reason,
    asked_at: new Date(askedMs).toISOString(),
    state,
    refunded_usd: Money.format(refunded),
    refunded_tax_usd: Money.format(refundedTax),
    answer,
    declined_at: declinedMs === null ? null : new Date(declinedMs).toISOString(),
  };
}

/** Formats a request for the seller. */
export function shownToSeller(request: RefundRequest) {
  const { account, plan, paid, paidTax, unspent } = request;
  return {
    ...asRefundRequest(request),
    account,
    plan,
    paid_usd: Money.format(paid),
    paid_tax_usd: Money.format(paidTax),
    unspent_usd: Money.format(unspent),
  };
}
