import type { IdentityContext } from '../identity/identity-context.ts';
import type { FraudSignal } from '../payment/fraud-signal.ts';
import type { PaymentContext } from '../payment/payment-context.ts';
import { ObjectUnknown, type WebhookEvent } from '../payment/processor.ts';
import * as CardTesting from './card-testing.ts';
import * as Checkout from './checkout.ts';
import { settle } from './grant-order.ts';
import * as KeptCard from './kept-card.ts';
import * as Renewal from './renewal.ts';
import * as Reversal from './sync-reversals.ts';

const failureCharsMax = 500;

type WebhookContext = PaymentContext & Pick<IdentityContext, 'accounts'>;

export type WebhookResult = { kind: 'unsigned' } | { kind: 'done' };

/**
 * Processes a webhook event of the processor. Events can arrive in any order and repeatedly: the object that an event names is read from the
 * processor, and the work is durable before the event is acknowledged. A rejection makes the processor send it again.
 */
export async function receive(shop: WebhookContext, body: string, signature: string): Promise<WebhookResult> {
  const notice = shop.processor.parseWebhookEvent(body, signature);
  if (!notice) return { kind: 'unsigned' };
  if (!(await shop.webhookEvents.record(notice.id, notice.type))) return { kind: 'done' };
  try {
    await applyEvent(shop, notice);
  } catch (fault) {
    if (fault instanceof ObjectUnknown && fault.object === notice.object?.id) {
      // A repetition would have the same result: the processor repeats failed events for days, and then stops sending any.
      shop.report('notice_object_unknown', { notice: notice.id, type: notice.type, object: fault.object });
      await shop.webhookEvents.done(notice.id);
      return { kind: 'done' };
    }
    // The database itself may be unavailable; then the original error is more informative.
    await shop.webhookEvents
      .failed(notice.id, String(fault).slice(0, failureCharsMax))
      .catch(() => undefined);
    throw fault;
  }
  await shop.webhookEvents.done(notice.id);
  return { kind: 'done' };
}

async function applyEvent(shop: WebhookContext, { object }: WebhookEvent): Promise<void> {
  switch (object?.kind) {
    case 'checkout':
      await completePage(shop, object.id);
      break;
    case 'payment':
      await syncPayment(shop, object.id);
      break;
    case 'invoice':
      await Renewal.book(shop, await shop.processor.readInvoice(object.id));
      break;
    case 'subscription':
      await Renewal.syncSubscription(shop, object.id);
      break;
    case 'charge':
      await CardTesting.receiveCharge(shop, await shop.processor.readCharge(object.id));
      break;
    case 'failed_setup':
      await CardTesting.receiveFailedSetup(shop, object.failure);
      break;
    case 'fraud_signal':
      await flag(shop, object.signal);
      break;
    case undefined:
      break;
  }
}

/** Handles a completed page: records its payment, or uses its saved card. */
async function completePage(shop: WebhookContext, session: string): Promise<void> {
  const page = await shop.processor.readCheckout(session);
  if (page.kept !== null) await KeptCard.complete(shop, page.kept);
  else await Checkout.complete(shop, page);
}

/** Records a sign of fraud with its payment and reports the first one to the operator. It refunds and freezes nothing: the seller decides. */
async function flag(shop: PaymentContext, signal: FraudSignal): Promise<void> {
  // The event can arrive before the one that books the payment.
  await syncPayment(shop, signal.payment);
  const order = await shop.fraudSignals.record(signal);
  if (order === null) return;
  const { id, kind, payment, reason } = signal;
  shop.report('fraud_signal', { signal: id, kind, reason, order, payment });
}

/** Synchronizes a payment with the processor, whatever the event reports: the payment itself, and its reversals. */
async function syncPayment(shop: PaymentContext, paymentId: string): Promise<void> {
  const payment = await shop.processor.readPayment(paymentId);
  const order = payment.order === null ? null : await shop.orders.find(payment.order);
  if (order) await settle(shop, order, payment);
  if (order && payment.charge?.succeeded) await shop.cardAttempts.record(payment.charge, order.id);
  await Reversal.syncReversals(shop, paymentId);
}
