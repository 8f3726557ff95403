import type * as CardAttempt from '../payment/card-attempt.ts';
import type { Order } from '../payment/order.ts';
import type { PaymentContext } from '../payment/payment-context.ts';
import { ProcessorUnavailable } from '../payment/processor.ts';

type Context = Pick<PaymentContext, 'cardAttempts' | 'cardLimits' | 'orders' | 'processor' | 'report'>;

/** Reports that an attempt has to wait. The event names the kind of subject, and never an address or a card. */
export function report(
  { report: tell }: Pick<PaymentContext, 'report'>,
  { subject, isStopped }: CardAttempt.Delay,
  order: string | null,
): void {
  tell('card_testing', { subject, is_stopped: isStopped, ...(order !== null && { order }) });
}

/**
 * Starts a hosted page, or returns the time that it has to wait for: an account or address opens too many, or has too many declines.
 * `number`: the page of its order.
 */
export async function beginPage(
  shop: Pick<Context, 'cardAttempts' | 'cardLimits' | 'report'>,
  page: { order: string | null; number: number },
  payer: CardAttempt.Payer,
): Promise<CardAttempt.Delay | null> {
  const delay = await shop.cardAttempts.startPage(page, payer, shop.cardLimits);
  if (delay !== null) report(shop, delay, page.order);
  return delay;
}

/**
 * Records the outcome of a charge. A decline of a card that a person or an agent entered counts against the card, the account and the address.
 * A hosted page whose payer has too many declines is closed. Safe to repeat.
 */
export async function receiveCharge(shop: Context, charge: CardAttempt.ReadCharge): Promise<void> {
  const order = charge.order === null ? null : await shop.orders.find(charge.order);
  if (order === null) return;
  await shop.cardAttempts.record(charge, order.id);
  // Automatic charges (top-ups, renewals) have no payer who tries cards.
  if (charge.succeeded || order.rail !== 'card') return;
  const payer = {
    account: order.account,
    address: charge.challenge === null ? await shop.cardAttempts.pageAddress(order.id) : null,
    card: charge.card,
  };
  const delay = await shop.cardAttempts.declined(charge.challenge ?? charge.id, payer, shop.cardLimits);
  if (delay === null) return;
  report(shop, delay, order.id);
  if (charge.challenge === null) await closePage(shop, order);
}

/** Closes a page on which cards are tried. One that was paid meanwhile stays as it is; its payment is recorded by its own event. */
async function closePage({ orders, processor }: Context, order: Order): Promise<void> {
  if (order.checkoutSession === null) return;
  try {
    const { state } = await processor.closeCheckout(order.checkoutSession);
    if (state === 'expired') await orders.retirePage(order);
  } catch (fault) {
    // The page can still be paid; the next decline on it tries again.
    if (!(fault instanceof ProcessorUnavailable)) throw fault;
  }
}
