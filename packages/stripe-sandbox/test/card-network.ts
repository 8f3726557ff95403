import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { systemClock } from '@sluice/kernel/clock';
import Stripe from 'stripe';
import type { Config } from '../src/config.ts';
import { start } from '../src/server.ts';

/** A sandbox on a free port, and the stock client that talks to it. */
export type CardNetwork = {
  url: string;
  stripe: Stripe;
  client(options: { maxNetworkRetries?: number; timeout?: number; key?: string }): Stripe;
  /** `POST /_sandbox<path>`; rejects unless it is taken. */
  order(path: string, body?: object): Promise<unknown>;
  close(): Promise<void>;
};

export async function open(over: Partial<Config> = {}, clock = systemClock): Promise<CardNetwork> {
  const { url, close } = await start(
    {
      host: '127.0.0.1',
      port: 0,
      webhook: null,
      dataDir: null,
      publicUrl: null,
      businessName: null,
      ...over,
    },
    clock,
  );
  const { hostname: host, port } = new URL(url);
  const client: CardNetwork['client'] = ({ key = 'sk_test_shop', ...options }) =>
    new Stripe(key, {
      host,
      port,
      protocol: 'http',
      maxNetworkRetries: 0,
      timeout: 5_000,
      telemetry: false,
      ...options,
    });
  return {
    url,
    stripe: client({}),
    client,
    order: async (path, body = {}) => {
      const response = await fetch(`${url}/_sandbox${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
      const answer: unknown = await response.json();
      if (!response.ok) throw new Error(JSON.stringify(answer));
      return answer;
    },
    close,
  };
}

/** A payment that an agent's server makes: confirmed at once, no redirects. */
export const atOnce = {
  amount: 500,
  currency: 'usd',
  confirm: true,
  automatic_payment_methods: { enabled: true, allow_redirects: 'never' },
} as const satisfies Stripe.PaymentIntentCreateParams;

/** Returns the parameters of a checkout for five dollars of credit. */
export function fiveDollars(
  over: Stripe.Checkout.SessionCreateParams = {},
): Stripe.Checkout.SessionCreateParams {
  const price_data = {
    currency: 'usd',
    unit_amount: 500,
    product_data: { name: 'Credit', description: '5,000 results' },
  };
  return {
    mode: 'payment',
    line_items: [{ quantity: 1, price_data }],
    success_url: 'http://localhost:9/done?session={CHECKOUT_SESSION_ID}',
    cancel_url: 'http://localhost:9/plans',
    ...over,
  };
}

/** The error that a promise rejects with, as the client's own class. */
export async function errorOf(
  promise: Promise<unknown>,
): Promise<InstanceType<typeof Stripe.errors.StripeError>> {
  const error: unknown = await promise.then(
    () => null,
    (reason: unknown) => reason,
  );
  if (error instanceof Stripe.errors.StripeError) return error;
  throw new Error(`expected an error of the API, not ${String(error)}`);
}

/** A shop's notice endpoint: takes, or refuses, and remembers what came. */
export type NoticeInbox = {
  url: string;
  /** The secret that verifies notices. */
  secret: string;
  /** Every notice taken, verified by the stock client, in the order of arrival. */
  taken: Stripe.Event[];
  /** The number of notices with an invalid signature. */
  forged: number;
  /** Statuses for the next requests, before it goes back to 200. */
  refusals: number[];
  /** Comes back when `count` notices have been taken. */
  until(count: number): Promise<Stripe.Event[]>;
  close(): Promise<void>;
};

export async function openInbox(): Promise<NoticeInbox> {
  const waiting: { count: number; wake: () => void }[] = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request.setEncoding('utf8')) body += String(chunk);
    const refusal = inbox.refusals.shift();
    response.writeHead(refusal ?? take(body, String(request.headers['stripe-signature']))).end();
    for (const { count, wake } of waiting) if (inbox.taken.length >= count) wake();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const inbox: NoticeInbox = {
    url: `http://127.0.0.1:${port}/notices`,
    secret: 'whsec_of_the_shop',
    taken: [],
    forged: 0,
    refusals: [],
    until: async (count) => {
      if (inbox.taken.length < count) await new Promise<void>((wake) => waiting.push({ count, wake }));
      return inbox.taken;
    },
    close: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
  return inbox;

  function take(body: string, signature: string): number {
    try {
      inbox.taken.push(Stripe.webhooks.constructEvent(body, signature, inbox.secret));
      return 200;
    } catch {
      inbox.forged += 1;
      return 400;
    }
  }
}
