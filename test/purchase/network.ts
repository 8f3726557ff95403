import Stripe from 'stripe';

/** The card sandbox of a shop, seen from outside: what it was asked to take, and what it is told to do. */
export type Network = {
  stripe: Stripe;
  /** A token for one charge of a card, as an agent's wallet makes them. */
  mint(card?: string): Promise<string>;
  /** Every payment that was tried for an order, with what it took. */
  paymentsOf(order: string): Promise<Stripe.PaymentIntent[]>;
  /** How many payments of an order went through. */
  takenFor(order: string): Promise<number>;
  /** `POST /_sandbox<path>`. Rejects unless it is taken. */
  control(path: string, body?: object): Promise<unknown>;
  /** Strikes the next `times` calls of a route. */
  fault(route: string, kind: string, times?: number, delayMs?: number): Promise<unknown>;
  /** Whether a fault that was ordered for a route is still to strike. */
  isStriking(route: string): Promise<boolean>;
  clearFaults(): Promise<unknown>;
  /** The notices about an order, in the order in which they were written. */
  noticesOf(order: string): Promise<Stripe.Event[]>;
  /** Whether the shop has taken all of them. */
  isHeard(order: string): Promise<boolean>;
};

const tokenLifeSeconds = 600;
const tokenAmountMax = 100_000;

export function of(sandboxUrl: string): Network {
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
          expires_at: Math.floor(Date.now() / 1000) + tokenLifeSeconds,
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
    async isStriking(route) {
      const { faults } = (await request('GET', '/faults')) as { faults: { route: string }[] };
      return faults.some((fault) => fault.route === route);
    },
    clearFaults: () => request('DELETE', '/faults', {}),
    noticesOf,
    async isHeard(order) {
      const { deliveries } = (await request('GET', '/webhooks/deliveries')) as {
        deliveries: { event: string; status: string }[];
      };
      const taken = deliveries.filter(({ status }) => status === 'delivered').map(({ event }) => event);
      const notices = await noticesOf(order);
      return notices.length > 0 && notices.every(({ id }) => taken.includes(id));
    },
  };
}
