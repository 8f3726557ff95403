import { afterAll, beforeAll, expect, test } from 'vitest';
import * as Upstream from '../proxy/scripted-upstream.ts';
import * as Customer from '../support/customer.ts';
import * as Mailbox from '../support/mailbox.ts';
import * as Shop from '../support/shop.ts';

const adminToken = 'adm_of_the_trials_and_long_enough';

let upstream: Upstream.ScriptedUpstream;
let mailbox: Mailbox.Mailbox;
let shop: Shop.Shop;

beforeAll(async () => {
  upstream = await Upstream.scripted(({ socket, body }) => {
    socket.write(Upstream.http(200, `{"count":${JSON.parse(body).max}}`));
  });
  mailbox = await Mailbox.open();
  shop = await Shop.open({
    upstream: { url: upstream.url, key: 'upk_1' },
    catalog: 'trial-once.yaml',
    env: { ...mailbox.env, ADMIN_TOKEN: adminToken },
  });
});
afterAll(async () => {
  await shop?.stop();
  await mailbox?.stop();
  await upstream?.close();
});

const post = (path: string, body: unknown) =>
  Customer.send({
    method: 'POST',
    url: shop.url + path,
    headers: { 'content-type': 'application/json' },
    body,
  });
const read = async (path: string, headers: Record<string, string> = {}) =>
  (await Customer.send({ method: 'GET', url: shop.url + path, headers })).text;

async function register() {
  const { status, body } = await post('/agent/auth', { type: 'anonymous' });
  expect([status, body.trial.state, body.trial.once_per, body.plan]).toEqual([
    201,
    'needs_proof',
    ['email'],
    null,
  ]);
  return {
    account: body.account as string,
    token: body.access_token as string,
    assertion: body.identity_assertion as string,
    claimToken: body.claim_token as string,
  };
}

/** Registers an agent and claims its account for a person. Returns the agent with the response to the claim. */
async function claimed(email: string) {
  const agent = await register();
  expect((await post('/agent/auth/claim', { claim_token: agent.claimToken, email })).status).toBe(200);
  const mail = (await mailbox.mailsTo(email)).at(-1)?.text ?? '';
  const otp = /^ {4}(\d{3} \d{3})$/m.exec(mail)?.[1];
  const { status, body } = await post('/agent/auth/claim/complete', { claim_token: agent.claimToken, otp });
  expect(status).toBe(200);
  return { agent, body };
}

const call = (agent: Customer.Customer, max: number) =>
  Customer.call(agent, 'POST', `${shop.url}/v1/list`, { max });

test('a new account has no trial, the claim of a mailbox gives it, and a second claim says that it is used', async () => {
  const stranger = await register();
  expect((await call(stranger, 1)).status).toBe(403);
  const first = await claimed('ann@person.example');
  expect(first.body.trial).toMatchObject({ state: 'given', once_per: ['email'] });
  expect((await call(first.agent, 4)).status).toBe(200);
  const second = await claimed('ann+again@person.example');
  expect(second.body.trial).toMatchObject({ state: 'used', once_per: ['email'] });
});

test('a call above the hour of all trials is refused with the next hour and the plans, and reaches no upstream', async () => {
  const { agent } = await claimed('bea@person.example');
  const before = upstream.received.length;
  const refused = await call(agent, 20);
  expect([refused.status, refused.body.code], refused.text).toEqual([429, 'trial_paused']);
  const wait = Number(refused.headers.get('retry-after'));
  expect(wait).toBeGreaterThan(0);
  expect(wait).toBeLessThanOrEqual(3_600);
  expect(refused.body.plans.map(({ id }: { id: string }) => id)).toEqual(['credit']);
  expect(upstream.received).toHaveLength(before);
  await Customer.credit(shop.sql, agent, 500_000);
  expect((await call(agent, 20)).status).toBe(200);
});

test('pages and documents state the rule, and none offers a free start', async () => {
  const html = { accept: 'text/html' };
  const account = await read('/shop/account', html);
  const front = await read('/', html);
  for (const page of [account, front]) expect(page).not.toContain('Start free');
  expect(account).toContain('Open an account');
  expect(front).toContain('Get 25 results free');
  expect(front).toContain('One per email address');
  expect(front).toContain('25 results free when you confirm your email.');
  expect(front).not.toContain('>Send request<');
  expect(front).not.toContain('are free: no card, no sign-up');
  expect(await read('/llms.txt')).not.toContain('free with registration');
  expect(await read('/llms-full.txt')).toContain(
    'free after a claim with an email address (`once_per`: once for each email)',
  );
  expect(await read('/auth.md')).not.toContain('the free trial `plan`');
  const manifest = JSON.parse(await read('/manifest.json'));
  expect(manifest.plans.find(({ kind }: { kind: string }) => kind === 'trial').once_per).toEqual(['email']);
  const headers = { authorization: `Bearer ${adminToken}` };
  const signedIn = await fetch(`${shop.url}/admin/console/sign-in`, {
    method: 'POST',
    redirect: 'manual',
    headers: { 'sec-fetch-site': 'same-origin' },
    body: new URLSearchParams({ token: adminToken }),
  });
  const cookie = (signedIn.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
  const console = await read('/admin/console/catalogue', { ...html, cookie });
  expect(console).toContain(
    'given once to each email address. All new accounts together get at most 10 results in an hour.',
  );
  const metrics = await read('/metrics', headers);
  expect(metrics).toContain('sluice_upstream_waiting 0');
});
