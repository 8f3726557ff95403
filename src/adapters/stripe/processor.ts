import Stripe from 'stripe';
import * as Money from '../../kernel/money.ts';
import type { Order } from '../../payment/order.ts';
import type { ChargeOutcome, Checkout, Notice, Payment, Processor } from '../../payment/processor.ts';

const requestTimeoutMs = 15_000;
const networkRetriesMax = 2;
/** How old a signed notice may be. */
const noticeToleranceSeconds = 300;
/** Hosted pages close with the order; the processor wants at least half an hour. */
const checkoutLifeMinSeconds = 31 * 60;
const paymentsListedMax = 100;

export type StripeSettings = {
  secretKey: string;
  webhookSecret: string;
  /** `https://api.stripe.com`, or the sandbox. */
  apiBase: string;
};

/** The card processor by its own client; the sandbox speaks the same HTTP. */
export function open(settings: StripeSettings): Processor {
  const base = new URL(settings.apiBase);
  const protocol = base.protocol === 'http:' ? 'http' : 'https';
  const stripe = new Stripe(settings.secretKey, {
    host: base.hostname,
    port: base.port === '' ? (protocol === 'http' ? 80 : 443) : Number(base.port),
    protocol,
    timeout: requestTimeoutMs,
    maxNetworkRetries: networkRetriesMax,
    telemetry: false,
  });

  async function paymentsOf(order: Order): Promise<Payment[]> {
    // Not the search endpoint: it lags behind by up to a minute.
    const createdSeconds = Math.floor(order.createdMs / 1000) - 60;
    const found: Payment[] = [];
    for await (const intent of stripe.paymentIntents.list({
      created: { gte: createdSeconds },
      limit: paymentsListedMax,
    })) {
      if (intent.metadata.order === order.id) found.push(payment(intent));
    }
    return found;
  }

  async function charge(order: Order, challengeId: string, token: string): Promise<ChargeOutcome> {
    try {
      const intent = (await stripe.rawRequest(
        'POST',
        '/v1/payment_intents',
        {
          amount: cents(order),
          currency: 'usd',
          confirm: true,
          automatic_payment_methods: { enabled: true, allow_redirects: 'never' },
          shared_payment_granted_token: token,
          metadata: {
            order: order.id,
            plan: order.plan,
            account: order.account ?? '',
            challenge: challengeId,
          },
        },
        // Without the token: one that was minted anew for the same challenge must not charge again.
        { idempotencyKey: `mpp_${challengeId}` },
      )) as unknown as Stripe.PaymentIntent;
      return judge(payment(intent));
    } catch (error) {
      if (error instanceof Stripe.errors.StripeIdempotencyError) return judgeLatest(await paymentsOf(order));
      if (error instanceof Stripe.errors.StripeCardError) return { kind: 'declined', reason: error.message };
      if (error instanceof Stripe.errors.StripeInvalidRequestError)
        return { kind: 'declined', reason: 'The payment token is not valid for this payment.' };
      if (
        error instanceof Stripe.errors.StripeConnectionError ||
        error instanceof Stripe.errors.StripeAPIError
      )
        return { kind: 'unknown' };
      throw error;
    }
  }

  async function openCheckout(
    order: Order,
    pages: { title: string; success: string; cancel: string },
  ): Promise<Checkout> {
    const expiresAt = Math.max(
      Math.floor(order.expiresMs / 1000),
      Math.floor(order.createdMs / 1000) + checkoutLifeMinSeconds,
    );
    const metadata = { order: order.id, plan: order.plan, account: order.account ?? '' };
    const session = await stripe.checkout.sessions.create(
      {
        mode: 'payment',
        line_items: [
          {
            quantity: 1,
            price_data: { currency: 'usd', unit_amount: cents(order), product_data: { name: pages.title } },
          },
        ],
        client_reference_id: order.id,
        customer_creation: 'always',
        payment_intent_data: { metadata, setup_future_usage: 'off_session' },
        metadata,
        success_url: pages.success,
        cancel_url: pages.cancel,
        expires_at: expiresAt,
      },
      { idempotencyKey: `checkout_${order.id}` },
    );
    return readCheckout(session.id);
  }

  async function readCheckout(id: string): Promise<Checkout> {
    const session = await stripe.checkout.sessions.retrieve(id, { expand: ['payment_intent'] });
    const intent = session.payment_intent;
    return {
      session: session.id,
      order: session.client_reference_id,
      url: session.url,
      payment:
        typeof intent === 'object' && intent !== null && session.payment_status === 'paid'
          ? payment(intent)
          : null,
      open: session.status === 'open',
    };
  }

  return {
    charge,
    paymentsOf,
    openCheckout,
    readCheckout,
    async readPayment(id) {
      return payment(await stripe.paymentIntents.retrieve(id));
    },
    readNotice(body, signature) {
      try {
        return notice(
          stripe.webhooks.constructEvent(body, signature, settings.webhookSecret, noticeToleranceSeconds),
        );
      } catch (error) {
        if (error instanceof Stripe.errors.StripeSignatureVerificationError || error instanceof SyntaxError)
          return null;
        throw error;
      }
    },
  };
}

function cents(order: Order): number {
  const amount = Money.toCents(order.amount);
  if (amount === null) throw new RangeError(`order ${order.id} is not in whole cents`);
  return amount;
}

function payment(intent: Stripe.PaymentIntent): Payment {
  // What did not arrive in US dollars was not asked for by us, and pays for nothing.
  const received = intent.currency === 'usd' ? Money.ofCents(intent.amount_received) : Money.zero;
  const failure = intent.last_payment_error?.message ?? null;
  const state =
    intent.status === 'succeeded'
      ? 'succeeded'
      : intent.status === 'canceled' ||
          intent.status === 'requires_payment_method' ||
          intent.status === 'requires_action'
        ? 'failed'
        : 'pending';
  return { id: intent.id, order: intent.metadata.order ?? null, state, received, failure };
}

function judge(found: Payment): ChargeOutcome {
  switch (found.state) {
    case 'succeeded':
      return { kind: 'succeeded', payment: found };
    case 'failed':
      return {
        kind: 'declined',
        reason:
          found.failure ??
          'The card asks for a step that only its holder can take; pay on the hosted page instead.',
      };
    case 'pending':
      return { kind: 'unknown' };
  }
}

function judgeLatest(found: readonly Payment[]): ChargeOutcome {
  const paid = found.find((candidate) => candidate.state === 'succeeded') ?? found[0];
  return paid ? judge(paid) : { kind: 'unknown' };
}

function notice(event: Stripe.Event): Notice {
  const { id, type } = event;
  switch (event.type) {
    case 'checkout.session.completed':
    case 'checkout.session.async_payment_succeeded':
      return { id, type, object: { kind: 'checkout', id: event.data.object.id } };
    case 'payment_intent.succeeded':
      return { id, type, object: { kind: 'payment', id: event.data.object.id } };
    default:
      return { id, type, object: null };
  }
}
