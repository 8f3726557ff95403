import * as Change from './billing/change.ts';
import * as Collection from './billing/collection.ts';
import * as Ending from './billing/ending.ts';
import * as Renewal from './billing/renewal.ts';
import * as CheckoutSession from './objects/checkout-session.ts';
import * as Confirmation from './objects/confirmation.ts';
import * as Dispute from './objects/dispute.ts';
import * as Event from './objects/event.ts';
import * as Invoice from './objects/invoice.ts';
import * as PaymentIntent from './objects/payment-intent.ts';
import * as Refund from './objects/refund.ts';
import * as Subscription from './objects/subscription.ts';
import type { RequestContext } from './request-context.ts';
import * as Settlement from './settlement.ts';
import * as Store from './store.ts';

/** A change that the passing of time causes, at a given second. */
type ScheduledEvent = { at: number; happen(ctx: RequestContext): void };

/** A subscription ends when its first invoice is not paid within this time. */
const firstPaymentSeconds = 23 * 3_600;
/** More events than this in one run indicate an endless loop. */
const stepsMax = 100_000;

/**
 * Runs all events that are due at `until` or before, in order and each at its own time: for the customers of a test
 * clock, or with null for all others.
 */
export function happen(ctx: RequestContext, until: number, clock: string | null): void {
  for (let step = 0; step < stepsMax; step += 1) {
    const next = earliest(scheduledEvents(ctx, clock));
    if (next === null || next.at > until) return;
    next.happen({ ...ctx, now: next.at });
  }
  throw new Error(`more than ${stepsMax} things are due before ${until}`);
}

function earliest(all: Iterable<ScheduledEvent>): ScheduledEvent | null {
  let first: ScheduledEvent | null = null;
  for (const event of all) if (first === null || event.at < first.at) first = event;
  return first;
}

function* scheduledEvents(ctx: RequestContext, clock: string | null): Iterable<ScheduledEvent> {
  const { store } = ctx;
  for (const subscription of Store.all(store, Subscription.subscriptions)) {
    if (subscription.test_clock === clock) yield* ofSubscription(store, subscription);
  }
  for (const invoice of Store.all(store, Invoice.invoices)) {
    if (invoice.test_clock === clock) yield* ofInvoice(invoice);
  }
  if (clock === null) yield* ofPayments(ctx);
}

/** Events that test clocks do not move: of pages, processing payments, refunds and disputes. */
function* ofPayments(current: RequestContext): Iterable<ScheduledEvent> {
  const { store } = current;
  for (const session of Store.all(store, CheckoutSession.checkoutSessions)) {
    if (session.status === 'open') {
      yield { at: session.expires_at, happen: (ctx) => CheckoutSession.expire(ctx, session) };
    }
  }
  for (const intent of Store.all(store, PaymentIntent.paymentIntents)) {
    if (intent._settles_at) {
      yield {
        at: intent._settles_at,
        happen: (ctx) => Settlement.follow(ctx, Confirmation.settle(ctx, intent, 'succeeded')),
      };
    }
  }
  for (const refund of Store.all(store, Refund.refunds)) {
    const { _ends: ends } = refund;
    if (ends) yield { at: ends.at, happen: (ctx) => Refund.end(ctx, refund, ends.as) };
    if (Refund.canBeFunded(current, refund))
      yield { at: current.now, happen: (ctx) => Refund.end(ctx, refund, 'succeeded') };
  }
  for (const dispute of Store.all(store, Dispute.disputes)) {
    const { due_by: at } = dispute.evidence_details;
    if (at !== null && Dispute.isOpen(dispute)) yield { at, happen: (ctx) => Dispute.lapse(ctx, dispute) };
  }
}

function* ofSubscription(
  store: Store.Store,
  subscription: Subscription.Subscription,
): Iterable<ScheduledEvent> {
  const { id, created, status, pending_update } = subscription;
  if (Subscription.isLive(subscription)) {
    const { end } = Subscription.period(subscription);
    yield { at: end, happen: (ctx) => Renewal.renew(ctx, subscription) };
  }
  const first = Store.get(store, Invoice.invoices, subscription.latest_invoice ?? '');
  const payment = Store.get(store, PaymentIntent.paymentIntents, first?._intent ?? '');
  if (status === 'incomplete' && payment?.status !== 'processing') {
    yield { at: created + firstPaymentSeconds, happen: (ctx) => Ending.endSubscription(ctx, id, {}) };
  }
  if (pending_update !== null) {
    yield {
      at: pending_update.expires_at,
      happen: (ctx) => {
        Change.dropPending(ctx, subscription);
        Event.record(
          ctx,
          'customer.subscription.pending_update_expired',
          Subscription.getSubscription(ctx, id),
        );
      },
    };
  }
}

function* ofInvoice(invoice: Invoice.Invoice): Iterable<ScheduledEvent> {
  const { status, automatically_finalizes_at: closesAt, next_payment_attempt: triedAt } = invoice;
  if (status === 'draft' && closesAt !== null) {
    yield {
      at: closesAt,
      happen: (ctx) => {
        const closed = Renewal.close(ctx, invoice);
        if (closed.status === 'open') Collection.collect(ctx, closed);
      },
    };
  }
  if (status === 'open' && triedAt !== null) {
    yield { at: triedAt, happen: (ctx) => Renewal.retry(ctx, invoice) };
  }
}
