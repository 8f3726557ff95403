import Stripe from 'stripe';

/** A shop's card sandbox from the outside: the payments that it received, and the faults that it should cause. */
export type Network = {
  stripe: Stripe;
  /** Mints a token for one charge of a card, like an agent's wallet. */
  mint(card?: string): Promise<string>;
  /** Returns every payment that was attempted for an order, with the amount received. */
  paymentsOf(order: string): Promise<Stripe.PaymentIntent[]>;
  /** Returns the number of payments of an order that succeeded. */
  takenFor(order: string): Promise<number>;
  /** Sends `POST /_sandbox<path>`. Rejects unless it succeeds. */
  control(path: string, body?: object): Promise<unknown>;
  /** Causes a fault in the next `times` calls of a route. */
  fault(route: string, kind: string, times?: number, delayMs?: number): Promise<unknown>;
  /** Refuses the next `times` calls of a route with an error of the processor, without carrying them out. */
  refuse(route: string, times: number, error: Readonly<Record<string, unknown>>): Promise<unknown>;
  /** Returns true while a fault of a route has not occurred as often as requested. */
  isStriking(route: string): Promise<boolean>;
  clearFaults(): Promise<unknown>;
  /** Returns the webhook events that have not been accepted yet. */
  waiting(): Promise<string[]>;
  /** Returns the webhook events about an order, in the order in which they were written. */
  noticesOf(order: string): Promise<Stripe.Event[]>;
  /** Returns true when the shop has accepted all of them. */
  isConnected(order: string): Promise<boolean>;
};

const tokenLifeSeconds = 600;
const tokenAmountMax = 100_000;

/** @param nowMs the time of the sandbox, when a test has moved it */
export function of(sandboxUrl: string, nowMs: () => number = Date.now): Network {
  const { hostname: host, port } = new URL(sandboxUrl);
  const stripe = new Stripe('sk_test_witness', { host, port, protocol: 'http', telemetry: false });

  async function request(method: string, path: string, body?: object): Promise<unknown> {
    const response = await fetch(`${sandboxUrl}/_sandbox${path}`, {
      method,
      headers: { 'content-type': 'application/json' },
      body: body ? JSON.stringify(body) : null,
    });
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    return response.json();
  }

  async function paymentsOf(order: string): Promise<Stripe.PaymentIntent[]> {
    const all = await stripe.paymentIntents.list({ limit: 100 }).autoPagingToArray({ limit: 5_000 });
    return all.filter(({ metadata }) => metadata.order === order);
  }

  async function noticesOf(order: string): Promise<Stripe.Event[]> {
    const all = await stripe.events.list({ limit: 100 }).autoPagingToArray({ limit: 5_000 });
    const isAbout = ({ data }: Stripe.Event) =>
      'metadata' in data.object && data.object.metadata?.order === order;
    return all.filter(isAbout).reverse();
  }

  return {
    stripe,
    async mint(card = 'pm_card_visa') {
      const granted = (await stripe.rawRequest('POST', '/v1/test_helpers/shared_payment/granted_tokens', {
        payment_method: card,
        usage_limits: {
          currency: 'usd',
          max_amount: tokenAmountMax,
          expires_at: Math.floor(nowMs() / 1000) + tokenLifeSeconds,
        },
      })) as { id: string };
      return granted.id;
    },
    paymentsOf,
    async takenFor(order) {
      return (await paymentsOf(order)).filter(({ status }) => status === 'succeeded').length;
    },
    control: (path, body = {}) => request('POST', path, body),
    fault: (route, kind, times = 1, delayMs = 0) =>
      request('POST', '/faults', { route, kind, times, delay_ms: delayMs }),
    refuse: (route, times, error) => request('POST', '/faults', { route, kind: 'refuse', times, error }),
    async isStriking(route) {
      const { faults } = (await request('GET', '/faults')) as { faults: { route: string }[] };
      return faults.some((fault) => fault.route === route);
    },
    clearFaults: () => request('DELETE', '/faults', {}),
    async waiting() {
      const { deliveries } = (await request('GET', '/webhooks/deliveries')) as {
        deliveries: { event: string; status: string }[];
      };
      return deliveries.filter(({ status }) => status === 'pending').map(({ event }) => event);
    },
    noticesOf,
    async isConnected(order) {
      const { deliveries } = (await request('GET', '/webhooks/deliveries')) as {
        deliveries: { event: string; status: string }[];
      };
      const taken = deliveries.filter(({ status }) => status === 'delivered').map(({ event }) => event);
      const notices = await noticesOf(order);
      return notices.length > 0 && notices.every(({ id }) => taken.includes(id));
    },
  };
}
