import Stripe from 'stripe';
import * as Money from '../../kernel/money.ts';
import { type Order, pageGraceMs } from '../../payment/order.ts';
import {
  type ChargeOutcome,
  type Checkout,
  type Listed,
  type Payment,
  type Processor,
  ProcessorAway,
  type RefundOutcome,
} from '../../payment/processor.ts';
import type { Reversal } from '../../payment/reversal.ts';
import type { SavedCard } from '../../payment/saved-card.ts';
import * as Billing from './billing.ts';
import * as Notice from './notice.ts';
import * as PaymentIntent from './payment-intent.ts';
import * as Reversed from './reversed.ts';

/** With its repetitions a charge ends within a minute: shop.at_work of migrations/0002_orders.sql counts on that. */
const requestTimeoutMs = 15_000;
const networkRetriesMax = 2;
/** Shared payment tokens are in preview at the processor, and want its version named. */
const sharedTokenVersion = '2026-07-29.preview';
/** How old a signed notice may be. */
const noticeToleranceSeconds = 300;
const pageSize = 100;
const paymentsReadMax = 5_000;
/** How far the processor's clock may be from ours. */
const clockSkewSeconds = 60;
const chargeMaxSeconds = 60;
const reversalsReadMax = 1_000;

const { errors } = Stripe;

export type StripeSettings = {
  secretKey: string;
  /** Any of them may have signed a notice. */
  webhookSecrets: readonly string[];
  /** `https://api.stripe.com`, or the sandbox. */
  apiBase: string;
  timeoutMs?: number;
};

/** The card processor by its own client; the sandbox speaks the same HTTP. */
export function open(settings: StripeSettings): Processor {
  const base = new URL(settings.apiBase);
  const protocol = base.protocol === 'http:' ? 'http' : 'https';
  const stripe = new Stripe(settings.secretKey, {
    host: base.hostname,
    port: base.port === '' ? (protocol === 'http' ? 80 : 443) : Number(base.port),
    protocol,
    timeout: settings.timeoutMs ?? requestTimeoutMs,
    maxNetworkRetries: networkRetriesMax,
    telemetry: false,
  });

  async function chargesOf(order: Order): Promise<Payment[]> {
    // By list, as the search of the processor lags behind by up to a minute. Made within the charge, so the list is short.
    const found: Payment[] = [];
    let read = 0;
    const claimedMs = order.claimedMs ?? order.createdMs;
    for await (const intent of stripe.paymentIntents.list({
      created: {
        gte: Math.floor(order.createdMs / 1000) - clockSkewSeconds,
        lte: Math.ceil(claimedMs / 1000) + chargeMaxSeconds + clockSkewSeconds,
      },
      limit: pageSize,
    })) {
      if (intent.metadata.order === order.id && intent.metadata.challenge)
        found.push(PaymentIntent.read(intent));
      read += 1;
      if (read > paymentsReadMax) throw new Error(`more than ${paymentsReadMax} payments beside ${order.id}`);
    }
    return found;
  }

  async function* payments(sinceMs: number): AsyncGenerator<Listed> {
    const created = { gte: Math.floor(sinceMs / 1000) };
    for await (const intent of stripe.paymentIntents.list({ created, limit: pageSize }))
      yield PaymentIntent.read(intent);
  }

  function charge(order: Order, challengeId: string, token: string): Promise<ChargeOutcome> {
    const asked = { ...chargeOf(order, challengeId), shared_payment_granted_token: token };
    // Without the token: one that was minted anew for the same challenge must not charge again.
    const options = { idempotencyKey: `mpp_${challengeId}`, apiVersion: sharedTokenVersion };
    const made = () => stripe.rawRequest('POST', '/v1/payment_intents', asked, options);
    return attempt(
      order,
      made as unknown as () => Promise<Stripe.PaymentIntent>,
      'The payment token is not valid for this payment.',
    );
  }

  function chargeSaved(
    order: Order,
    challengeId: string,
    { customer, method }: SavedCard,
  ): Promise<ChargeOutcome> {
    const asked = { ...chargeOf(order, challengeId), customer, payment_method: method, off_session: true };
    const made = () => stripe.paymentIntents.create(asked, { idempotencyKey: challengeId });
    return attempt(order, made, 'The card on file can no longer be charged.');
  }

  /** `invalid`: what the buyer is told where the processor finds fault with what is to be charged. */
  async function attempt(
    order: Order,
    made: () => Promise<Stripe.PaymentIntent>,
    invalid: string,
  ): Promise<ChargeOutcome> {
    try {
      return PaymentIntent.judge(PaymentIntent.read(await made()));
    } catch (error) {
      if (error instanceof errors.StripeCardError)
        return { kind: 'declined', reason: error.message, detail: null };
      // An answer, but not to the question: what became of the charge can be read.
      if (error instanceof errors.StripeAPIError || error instanceof errors.StripeIdempotencyError)
        return PaymentIntent.judgeLatest(await chargesOf(order).catch(() => []));
      if (passes(error)) return { kind: 'unknown' };
      if (error instanceof errors.StripeInvalidRequestError)
        return { kind: 'declined', reason: invalid, detail: error.message };
      throw error;
    }
  }

  async function savedCard(payment: string): Promise<SavedCard | null> {
    return PaymentIntent.savedCard(
      await stripe.paymentIntents.retrieve(payment, { expand: ['payment_method'] }),
    );
  }

  async function openCheckout(
    order: Order,
    pages: { title: string; success: string; cancel: string },
  ): Promise<Checkout> {
    const session = await stripe.checkout.sessions.create(
      {
        // What takes the place of a prepaid period is one too: a price with a credit in it must not renew.
        ...(order.period && !order.period.terms.replaces
          ? Billing.checkoutParams(order, order.period, pages.title)
          : onePayment(order, pages.title)),
        client_reference_id: order.id,
        metadata: about(order),
        success_url: pages.success,
        cancel_url: pages.cancel,
        // Of the order alone, not of now: the same request again must be the same to the letter.
        expires_at: Math.ceil((order.expiresMs + pageGraceMs) / 1000),
      },
      { idempotencyKey: `checkout_${order.id}` },
    );
    // A repeated request is given the first answer again, however the page stands by now.
    return readCheckout(session.id);
  }

  async function readCheckout(id: string): Promise<Checkout> {
    const session = await stripe.checkout.sessions.retrieve(id, { expand: ['payment_intent'] });
    const intent = session.payment_intent;
    const invoice = typeof session.invoice === 'string' ? session.invoice : (session.invoice?.id ?? null);
    const paid = typeof intent === 'object' && intent !== null && session.payment_status === 'paid';
    return {
      session: session.id,
      order: session.client_reference_id,
      url: session.status === 'open' ? session.url : null,
      payment: paid ? PaymentIntent.read(intent) : null,
      invoice: invoice === null ? null : await Billing.readInvoice(stripe, invoice),
    };
  }

  async function reversalsOf(payment: string): Promise<Reversal[]> {
    const of = { payment_intent: payment, limit: pageSize };
    const [refunds, disputes] = await Promise.all([
      stripe.refunds.list(of).autoPagingToArray({ limit: reversalsReadMax }),
      stripe.disputes.list(of).autoPagingToArray({ limit: reversalsReadMax }),
    ]);
    return [...refunds.map(Reversed.ofRefund), ...disputes.map(Reversed.ofDispute)];
  }

  async function refund(
    payment: string,
    amount: Money.Money,
    key: string,
    sellerKey: string | null,
  ): Promise<RefundOutcome> {
    try {
      const made = await stripe.refunds.create(
        {
          payment_intent: payment,
          amount: wholeCents(amount, payment),
          ...(sellerKey === null ? {} : { metadata: { [Reversed.keyField]: sellerKey } }),
        },
        { idempotencyKey: key },
      );
      return { kind: 'refunded', reversal: Reversed.ofRefund(made) };
    } catch (error) {
      if (passes(error)) return { kind: 'unknown' };
      if (error instanceof errors.StripeInvalidRequestError || error instanceof errors.StripeIdempotencyError)
        return { kind: 'refused', reason: error.message };
      throw error;
    }
  }

  return {
    charge,
    chargeSaved,
    savedCard: (payment) => savedCard(payment).catch(rejectAway),
    payments,
    reversalsOf: (id) => reversalsOf(id).catch(rejectAway),
    refund,
    readInvoice: (id) => Billing.readInvoice(stripe, id).catch(rejectAway),
    invoices: (sinceMs, subscription) => Billing.invoices(stripe, sinceMs, subscription),
    readSubscription: (id) => Billing.readSubscription(stripe, id).catch(rejectAway),
    cancelAtPeriodEnd: (id, cancels) => Billing.cancelAtPeriodEnd(stripe, id, cancels).catch(rejectAway),
    changePlan: (id, plan, credit, key) =>
      Billing.changePlan(stripe, id, plan, credit, key).catch(rejectAway),
    chargesOf: (order) => chargesOf(order).catch(rejectAway),
    openCheckout: (order, pages) => openCheckout(order, pages).catch(rejectAway),
    readCheckout: (id) => readCheckout(id).catch(rejectAway),
    readPayment: (id) => stripe.paymentIntents.retrieve(id).then(PaymentIntent.read, rejectAway),
    pageOf(payment) {
      // The sandbox has none.
      if (new URL(settings.apiBase).hostname !== 'api.stripe.com' || !payment.startsWith('pi_')) return null;
      const mode = /^[rs]k_test_/.test(settings.secretKey) ? '/test' : '';
      return `https://dashboard.stripe.com${mode}/payments/${encodeURIComponent(payment)}`;
    },
    readNotice(body, signature) {
      for (const secret of settings.webhookSecrets) {
        try {
          return Notice.read(stripe.webhooks.constructEvent(body, signature, secret, noticeToleranceSeconds));
        } catch (error) {
          if (error instanceof SyntaxError) return null;
          if (!(error instanceof errors.StripeSignatureVerificationError)) throw error;
        }
      }
      return null;
    },
  };
}

/** Whether a fault is the processor's, and the same request may do better later. It may also have been carried out. */
function passes(error: unknown): error is Error {
  return (
    error instanceof errors.StripeConnectionError ||
    error instanceof errors.StripeAPIError ||
    error instanceof errors.StripeRateLimitError ||
    // Another request under the same idempotency key is still at work.
    (error instanceof errors.StripeError && error.statusCode === 409)
  );
}

function rejectAway(error: unknown): never {
  throw passes(error) ? new ProcessorAway(error.message, { cause: error }) : error;
}

/** What a hosted page for a single payment is asked for. The card may be kept, for a top-up that its holder asks for later. */
function onePayment(order: Order, title: string): Stripe.Checkout.SessionCreateParams {
  return {
    mode: 'payment',
    line_items: [
      {
        quantity: 1,
        price_data: { currency: 'usd', unit_amount: cents(order), product_data: { name: title } },
      },
    ],
    customer_creation: 'always',
    payment_intent_data: { metadata: about(order), setup_future_usage: 'off_session' },
  };
}

/** What every charge of ours without a page has in common. */
function chargeOf(order: Order, challengeId: string) {
  return {
    amount: cents(order),
    currency: 'usd',
    confirm: true,
    automatic_payment_methods: { enabled: true, allow_redirects: 'never' as const },
    metadata: { ...about(order), challenge: challengeId },
  };
}

function about({ id, plan, account }: Order): Record<string, string> {
  return { order: id, plan, account: account ?? '' };
}

function cents(order: Order): number {
  return wholeCents(order.amount, order.id);
}

function wholeCents(amount: Money.Money, subject: string): number {
  const cents = Money.toCents(amount);
  if (cents === null) throw new RangeError(`the amount of ${subject} is not in whole cents`);
  return cents;
}
