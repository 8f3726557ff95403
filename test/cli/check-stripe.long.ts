import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import * as CardNetwork from '../../packages/stripe-sandbox/test/card-network.ts';
import { needed } from '../../src/adapters/stripe/webhook-event.ts';
import type { Finding } from '../../src/cli/check/finding.ts';
import * as Sluice from './sluice.ts';

const publicUrl = 'https://shop.invalid';
const [account, endpoints, tokens] = [
  'GET /v1/account',
  'GET /v1/webhook_endpoints',
  'GET /v1/shared_payment/granted_tokens/:id',
] as const;
const healthy = [
  'ok: the test key opens acct_sandbox',
  `ok: all ${needed.length} events are sent to https://shop.invalid/webhooks/stripe`,
  'not proved: whether agents can pay to profile_test_mine: the API cannot read profiles',
];

let network: CardNetwork.CardNetwork;
let folder: string;
let settings: Record<string, string>;

beforeAll(async () => {
  network = await CardNetwork.open();
  folder = await mkdtemp(join(tmpdir(), 'sluice-check-'));
  // No other part of the check has a problem, so the exit status is that of the cards.
  settings = {
    CATALOG: fileURLToPath(new URL('../fixtures/scripted.yaml', import.meta.url)),
    DATA_DIR: folder,
    PUBLIC_URL: publicUrl,
    STRIPE_SECRET_KEY: 'sk_test_mine',
    STRIPE_WEBHOOK_SECRET: 'whsec_x',
    STRIPE_NETWORK_ID: 'profile_test_mine',
    STRIPE_API_BASE: network.url,
    ADMIN_TOKEN: 'a'.repeat(30),
  };
  await network.stripe.webhookEndpoints.create({
    url: `${publicUrl}/webhooks/stripe`,
    enabled_events: [...needed],
  });
});
afterEach(async () => {
  await fetch(`${network.url}/_sandbox/faults`, {
    method: 'DELETE',
    headers: { 'content-type': 'application/json' },
  });
  await network.order('/account', {
    ...{ charges_enabled: true, payouts_enabled: true, default_currency: 'usd' },
  });
});
afterAll(async () => {
  await network?.close();
  await rm(folder, { recursive: true, force: true });
});

/** Returns the findings about cards, each with its next step, and the exit status. */
async function check(
  other: Record<string, string> = {},
): Promise<{ code: number | null; findings: string[]; next: (string | null)[] }> {
  const { code, out } = await Sluice.here(['check', '--json'], { ...settings, ...other });
  const { findings }: { findings: Finding[] } = JSON.parse(out);
  const cards = findings.filter(
    ({ part, says }) => part === 'cards' && !says.includes('STRIPE_WEBHOOK_SECRET is right'),
  );
  return {
    code,
    findings: cards.map(({ state, says }) => `${state}: ${says}`),
    next: cards.map((one) => one.next),
  };
}

const refused = (status: number, message: string, code?: string) => ({
  error: { status, type: 'invalid_request_error', message, ...(code && { code }) },
});

test('without a fault there is no problem', async () => {
  expect(await check()).toMatchObject({ code: 0, findings: healthy });
});

type Row = [
  what: string,
  orders: readonly Record<string, unknown>[],
  code: 0 | 1,
  /** Findings in place of the healthy ones, or beside them. */
  says: readonly string[],
];

const limited = 'Stripe is limiting requests (429';
const held =
  'This object cannot be accessed right now because another API request or Stripe process is currently accessing it.';

test.each<Row>([
  [
    'a server error before the account is read',
    [{ route: account, kind: '500_before' }],
    1,
    [
      'problem: the account could not be read. Stripe answered 500: A fault that was ordered struck this request.',
    ],
  ],
  [
    'a server error after the account is read',
    [{ route: account, kind: '500_after' }],
    1,
    [
      'problem: the account could not be read. Stripe answered 500: A fault that was ordered struck this request.',
    ],
  ],
  [
    'no response for the account',
    [{ route: account, kind: 'timeout_after' }],
    1,
    [`problem: {url} does not respond: there was no response within 5 seconds`],
  ],
  [
    // The client connects once more by itself.
    'a connection that is cut',
    [{ route: account, kind: 'cut_after', times: 2 }],
    1,
    ['problem: {url} does not respond: the connection failed: socket hang up'],
  ],
  ['a slow account', [{ route: account, kind: 'delay_before', delay_ms: 300 }], 0, healthy],
  [
    'a lock on the account',
    [{ route: account, kind: 'lock_timeout' }],
    0,
    [`not proved: the account could not be read. ${limited} lock_timeout): ${held}`, ...healthy.slice(1)],
  ],
  [
    'too many requests',
    [{ route: account, kind: 'refuse', ...refused(429, 'Slow down.', 'rate_limit') }],
    0,
    [`not proved: the account could not be read. ${limited} rate_limit): Slow down.`, ...healthy.slice(1)],
  ],
  [
    'a revoked key',
    [{ route: account, kind: 'refuse', ...refused(401, 'Expired API Key provided.', 'api_key_expired') }],
    1,
    ['problem: Stripe rejects the test key: Expired API Key provided.'],
  ],
  [
    'a restricted key that cannot read its account',
    [{ route: account, kind: 'refuse', ...refused(403, 'No permission.') }],
    0,
    ['not proved: the test key is restricted and cannot read its account', ...healthy.slice(1)],
  ],
  [
    'a request that Stripe does not understand',
    [{ route: account, kind: 'refuse', ...refused(400, 'Unknown version.') }],
    1,
    ['problem: the account could not be read. Stripe answered 400: Unknown version.'],
  ],
  [
    'missing permissions',
    ['balance_transactions', 'checkout/sessions', 'customers', 'disputes', 'invoiceitems', 'invoices'].map(
      (name) => ({ route: `GET /v1/${name}`, kind: 'refuse', ...refused(403, 'No permission.') }),
    ),
    1,
    [
      healthy[0] ?? '',
      'problem: the key has no permission to read Checkout Sessions, Customers, Invoices, Invoice Items, Disputes, Balance Transactions',
      ...healthy.slice(1),
    ],
  ],
  [
    'the other missing permissions',
    ['charges', 'payment_intents', 'prices', 'products', 'refunds', 'setup_intents', 'subscriptions'].map(
      (name) => ({
        ...{ route: `GET /v1/${name}`, kind: 'refuse', ...refused(403, 'No permission.') },
      }),
    ),
    1,
    [
      healthy[0] ?? '',
      'problem: the key has no permission to read PaymentIntents, Subscriptions, Products, Prices, Refunds, Charges, Setup Intents',
      ...healthy.slice(1),
    ],
  ],
  [
    'a missing permission beside reads that fail',
    [
      { route: 'GET /v1/disputes', kind: 'refuse', ...refused(403, 'No permission.') },
      { route: 'GET /v1/customers', kind: 'lock_timeout' },
      { route: 'GET /v1/refunds', kind: '500_before' },
    ],
    1,
    [
      healthy[0] ?? '',
      'problem: the key has no permission to read Disputes',
      `not proved: the permissions for Customers, Refunds could not be checked: ${limited} lock_timeout): ${held}`,
      ...healthy.slice(1),
    ],
  ],
  [
    'no permission to read webhook endpoints',
    [{ route: endpoints, kind: 'refuse', ...refused(403, 'No permission.') }],
    0,
    [
      healthy[0] ?? '',
      'not proved: whether events are sent to https://shop.invalid/webhooks/stripe: the key has no permission to read Webhook Endpoints',
      healthy[2] ?? '',
    ],
  ],
  [
    'webhook endpoints that cannot be read',
    [{ route: endpoints, kind: 'cut_after', times: 2 }],
    0,
    [
      healthy[0] ?? '',
      'not proved: whether events are sent to https://shop.invalid/webhooks/stripe: the connection failed: socket hang up',
      healthy[2] ?? '',
    ],
  ],
  [
    'an account without the preview of payment tokens',
    [
      {
        route: tokens,
        kind: 'refuse',
        ...refused(400, 'Not enabled for your account.', 'feature_not_enabled'),
      },
    ],
    0,
    [
      ...healthy.slice(0, 2),
      "not proved: whether this account can charge agents' payment tokens: Stripe answered 400 feature_not_enabled: Not enabled for your account.",
    ],
  ],
])('%s', async (_what, orders, code, says) => {
  for (const order of orders) await network.order('/faults', { times: 1, ...order });
  const checked = await check();
  expect(checked.findings).toEqual(says.map((line) => line.replace('{url}', network.url)));
  expect(checked.code).toBe(code);
  // Every problem comes with a next step.
  expect(checked.findings.filter((line, at) => !line.startsWith('ok') && checked.next[at] === null)).toEqual(
    [],
  );
});

test.each<[what: string, order: Record<string, unknown>, code: 0 | 1, says: readonly string[]]>([
  [
    'an account that cannot charge',
    { charges_enabled: false },
    1,
    ['problem: the test key opens acct_sandbox, which cannot charge cards yet'],
  ],
  [
    'an account without payouts',
    { payouts_enabled: false },
    1,
    ['problem: the test key opens acct_sandbox, which cannot pay out what it receives'],
  ],
  [
    'an account that settles in euros, with another minimum',
    { default_currency: 'eur' },
    0,
    [
      "not proved: the test key opens acct_sandbox, which settles in EUR: Stripe's minimum charge is in that currency",
    ],
  ],
  [
    'an account with several restrictions',
    { charges_enabled: false, payouts_enabled: false, default_currency: 'gbp' },
    1,
    [
      'problem: the test key opens acct_sandbox, which cannot charge cards yet',
      'problem: the test key opens acct_sandbox, which cannot pay out what it receives',
      "not proved: the test key opens acct_sandbox, which settles in GBP: Stripe's minimum charge is in that currency",
    ],
  ],
])('%s', async (_what, order, code, says) => {
  await network.order('/account', order);
  expect(await check()).toMatchObject({ code, findings: [...says, ...healthy.slice(1)] });
});
