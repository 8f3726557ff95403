import { afterAll, beforeAll, expect, test } from 'vitest';
import * as Upstream from '../proxy/scripted-upstream.ts';
import * as Customer from '../support/customer.ts';
import * as Mailbox from '../support/mailbox.ts';
import * as Shop from '../support/shop.ts';
import * as Agent from './agent.ts';
import * as Books from './books.ts';
import * as Network from './network.ts';
import * as Person from './person.ts';

const purchaseInput = { below_usd: '0.98', amount_usd: '1.00', monthly_max_usd: '3.00' };
/** 3-D Secure at every payment. */
const challengingCard = '4000 0027 6000 3184';

let upstream: Upstream.ScriptedUpstream;
let shop: Shop.Shop;
let network: Network.Network;
let mailbox: Mailbox.Mailbox;

beforeAll(async () => {
  upstream = await Upstream.scripted(({ socket, head }) => {
    const max = Number(/max=(\d+)/.exec(head)?.[1] ?? 1);
    socket.write(Upstream.http(200, JSON.stringify({ count: max })));
  });
  mailbox = await Mailbox.open();
  shop = await Shop.open({
    upstream: { url: upstream.url, key: 'upk_1' },
    catalog: 'periods.yaml',
    env: { ...Agent.shopEnv, ...mailbox.env },
  });
  network = Network.of(shop.sandboxUrl);
});
afterAll(async () => {
  await shop?.stop();
  await upstream?.close();
  await mailbox?.stop();
});

type Buyer = Agent.Agent & { token: string; account: string };

/** Registers an agent that has bought 1.00 USD on the hosted page. */
async function buyer(card?: string): Promise<Buyer> {
  const agent = await Agent.registered(shop.url);
  const offer = await Agent.offer(agent, { amount_usd: '1.00' });
  const page = await Person.open(offer.checkoutUrl);
  const answer = await Person.submit(page, card);
  let next = answer.headers.get('location') ?? '';
  if (next.includes('/challenge/')) {
    const body = new URLSearchParams({ outcome: 'complete' });
    next = (await fetch(next, { method: 'POST', body, redirect: 'manual' })).headers.get('location') ?? '';
  }
  expect((await fetch(next)).status).toBe(200);
  return agent;
}

/** Requests top-ups. Returns the page on which the card's holder can agree to them. */
async function asked(agent: Buyer, terms: object = purchaseInput): Promise<string> {
  const refused = await put(agent, terms);
  expect([refused.status, refused.body.code], refused.text).toEqual([409, 'consent_required']);
  return refused.body.consent_url;
}

/** The card's holder opens the page and agrees by entering the card. Returns the page that the shop shows then. */
async function agree(consentUrl: string, card?: string): Promise<string> {
  const page = await Person.openConsent(consentUrl);
  return (await fetch(await Person.pay(page, card))).text();
}

/** Registers an agent that has bought 1.00 USD and whose top-ups are on. */
async function toppedUp(
  card?: string,
  terms: object = purchaseInput,
): Promise<Buyer & { consentUrl: string }> {
  const agent = await buyer();
  const consentUrl = await asked(agent, terms);
  expect(await agree(consentUrl, card)).toContain('Auto top-up is on');
  return { ...agent, consentUrl };
}

function put(agent: Buyer, body: unknown): Promise<Customer.Answer> {
  return Customer.call(agent, 'PUT', `${shop.url}/account/auto-top-up`, body);
}

async function use(agent: Buyer, units: number): Promise<void> {
  const { status, text } = await Customer.call(agent, 'GET', `${shop.url}/v1/search?max=${units}`);
  expect(status, text).toBe(200);
}

async function overview(agent: Buyer) {
  return (await Customer.call(agent, 'GET', `${shop.url}/account`)).body;
}

/** Returns the payments of all top-ups of an account, as the processor has them. */
async function charges(agent: Buyer) {
  const all = await network.stripe.paymentIntents.list({ limit: 100 }).autoPagingToArray({ limit: 1_000 });
  return all.filter(({ metadata }) => metadata.challenge?.startsWith(`topup_${agent.account}_`));
}

test('it is off until the holder of a card agrees to it on a page that states the terms', async () => {
  const agent = await buyer();
  expect((await overview(agent)).auto_top_up).toEqual({ state: 'off' });
  const consentUrl = await asked(agent);
  // The same terms return the same page, and nothing is charged meanwhile.
  expect(await asked(agent)).toBe(consentUrl);
  expect((await overview(agent)).auto_top_up).toEqual({ state: 'off' });
  const ours = await (await fetch(consentUrl)).text();
  const theirs = await (await fetch(await Person.openConsent(consentUrl))).text();
  for (const text of [ours, theirs])
    for (const part of ['0.98 USD', '1.00 USD', '3.00 USD', agent.account.slice(-4)])
      expect(text).toContain(part);
  expect(ours).toContain(agent.account);
  const agreements = () =>
    shop.sql`SELECT who, detail FROM shop.account_event WHERE account_id = ${agent.account} AND act = 'top_up_agreed'`;
  expect(await agreements()).toEqual([]);
  await agree(consentUrl);
  expect((await overview(agent)).auto_top_up).toMatchObject({ state: 'on', ...purchaseInput });
  // The audit list has one entry, with what was agreed to and for which card.
  const detail = { amount_micro_usd: 1_000_000, brand: 'visa', last4: '4242' };
  expect(await agreements()).toEqual([{ who: 'cardholder', detail }]);
});

test('a payment on the hosted page leaves no card that could be charged again', async () => {
  const agent = await buyer();
  await asked(agent, { below_usd: '500.00', amount_usd: '1000.00', monthly_max_usd: '100000.00' });
  const { data } = await network.stripe.paymentIntents.list({ limit: 1 });
  expect(data[0]).toMatchObject({ setup_future_usage: null, customer: null });
  expect(await charges(agent)).toEqual([]);
});

test('more than the holder has agreed to needs a new agreement, and less does not', async () => {
  const agent = await toppedUp();
  const less = { below_usd: '0.50', amount_usd: '0.60', monthly_max_usd: '2.00' };
  expect((await put(agent, less)).body.auto_top_up).toMatchObject({ state: 'on', ...less });
  for (const more of [
    { ...purchaseInput, amount_usd: '1.01' },
    { ...purchaseInput, monthly_max_usd: '3.01' },
    { ...purchaseInput, below_usd: '0.99' },
  ])
    await asked(agent, more);
  // None of the requested terms is in force.
  expect((await overview(agent)).auto_top_up).toMatchObject({ state: 'on', ...less });
  expect((await put(agent, {})).body.auto_top_up.state).toBe('off');
  expect((await put(agent, purchaseInput)).body.auto_top_up).toMatchObject({ state: 'on', ...purchaseInput });
});

/** A form of the shop's own pages. */
const ownForm = () => ({ method: 'POST', headers: { origin: shop.url } });

/** Answers the question of the page that ends an agreement. Returns the page that follows. */
async function stop(consentUrl: string): Promise<string> {
  const body = new URLSearchParams({ confirm: 'yes' });
  return (await fetch(`${consentUrl}/stop`, { ...ownForm(), body })).text();
}

test('the holder of the card can stop it without the account, and the account cannot begin again by itself', async () => {
  const agent = await toppedUp();
  expect(await (await fetch(agent.consentUrl)).text()).toContain('Auto top-up is on');
  // Without the answer to the question, nothing ends.
  const question = await fetch(`${agent.consentUrl}/stop`, ownForm());
  expect(await question.text()).toContain('Turn off auto top-up?');
  expect((await overview(agent)).auto_top_up.state).toBe('on');
  for (const page of await Promise.all([1, 2].map(() => stop(agent.consentUrl)))) {
    expect(page).toContain('Auto top-up is off');
    expect(page).toMatch(/Stopped on<\/dt><dd>\d/);
    expect(page).not.toContain('Until');
  }
  expect((await overview(agent)).auto_top_up.state).toBe('stopped');
  expect(await asked(agent)).not.toBe(agent.consentUrl);
});

test('the cardholder reads that a charge follows at once, and afterwards what was charged', async () => {
  const agent = await Agent.registered(shop.url);
  const consentUrl = await asked(agent);
  const page = async () => (await fetch(consentUrl)).text();
  expect(await page()).toContain(
    '1.00 USD is charged as soon as the card is saved, because the credit is below 0.98 USD.',
  );
  expect(await page()).not.toContain('Nothing is charged now');
  const card = await (await fetch(await Person.openConsent(consentUrl))).text();
  expect(card).toContain('If it is below 0.98 USD when you save the card, 1.00 USD is charged at once.');
  expect(await agree(consentUrl)).toMatch(/1\.00 USD is being charged now|Charged this month: 1\.00 USD/);
  await expect.poll(page).toContain('Charged this month: 1.00 USD.');
  expect(await charges(agent)).toHaveLength(1);
  // With credit enough, nothing is charged when the card is saved.
  const rich = await buyer();
  expect(await (await fetch(await asked(rich))).text()).toContain('Nothing is charged now.');
});

test('after the account has turned it off, its page says so, and the cardholder can still end the agreement', async () => {
  const agent = await toppedUp();
  const page = async () => (await fetch(agent.consentUrl)).text();
  expect(await page()).toContain('Auto top-up is on');
  expect((await put(agent, {})).body.auto_top_up.state).toBe('off');
  const off = await page();
  expect(off).toContain('Auto top-up is paused');
  expect(off).not.toContain('Auto top-up is on');
  await use(agent, 30);
  expect(await charges(agent)).toEqual([]);
  expect((await put(agent, purchaseInput)).body.auto_top_up.state).toBe('on');
  expect(await page()).toContain('Auto top-up is on');
  expect((await put(agent, {})).body.auto_top_up.state).toBe('off');
  expect(await stop(agent.consentUrl)).toContain('Auto top-up is off');
  // Another charge needs a new agreement.
  await asked(agent);
});

test('an agreement whose browser never came back counts by the notice', async () => {
  const agent = await buyer();
  const consentUrl = await asked(agent);
  await Person.pay(await Person.openConsent(consentUrl));
  await expect.poll(async () => (await overview(agent)).auto_top_up.state).toBe('on');
});

test('the holder of the card is mailed of each charge, with the way to stop it', async () => {
  const agent = await toppedUp();
  await use(agent, 30);
  const mine = async () =>
    (await mailbox.mailsTo('buyer@example.com')).filter(({ text }) => text.includes(agent.account));
  await expect.poll(async () => (await mine()).length).toBe(1);
  const [mail] = await mine();
  expect(mail?.subject).toContain('1.00 USD');
  expect(mail?.text).toContain(agent.consentUrl);
  const receipt = /Receipt:\s+(\S+)/.exec(mail?.text ?? '')?.[1] ?? '';
  expect(await (await fetch(receipt)).text()).toMatch(/Receipt.*1\.00\sUSD/s);
});

test('a key of the account may look, and agrees to nothing', async () => {
  const agent = await buyer();
  const made = await Customer.call(agent, 'POST', `${shop.url}/account/keys`, { name: 'a helper' });
  const token: string = made.body.key;
  expect((await Customer.call({ token }, 'GET', `${shop.url}/account/auto-top-up`)).status).toBe(200);
  const refused = await Customer.call({ token }, 'PUT', `${shop.url}/account/auto-top-up`, purchaseInput);
  expect([refused.status, refused.body.code]).toEqual([403, 'key_not_allowed']);
});

test.each([
  [{ ...purchaseInput, amount_usd: '0.10', below_usd: '0.05' }, 'amount_usd'],
  [{ ...purchaseInput, below_usd: '2.00' }, 'below_usd'],
  [{ ...purchaseInput, monthly_max_usd: '0.99' }, 'monthly_max_usd'],
  [{ ...purchaseInput, amount_usd: 1 }, 'amount_usd'],
  [{ ...purchaseInput, below_usd: '0.001' }, 'below_usd'],
  [{ below_usd: '1.00' }, 'amount_usd'],
  [{ ...purchaseInput, below: '1.00' }, 'body'],
  [{ enabled: 'yes' }, 'enabled'],
  [[], 'body'],
])('refuses %o', async (body, field) => {
  const answer = await put(await Agent.registered(shop.url), body);
  expect(answer.status).toBe(422);
  expect(answer.body.errors.map((error: { field: string }) => error.field)).toContain(field);
});

test('a call that leaves less than was agreed is followed by one charge of the card', async () => {
  const agent = await toppedUp();
  expect((await overview(agent)).auto_top_up).toEqual({
    state: 'on',
    ...purchaseInput,
    charged_this_month_usd: '0.00',
    card: { brand: 'visa', last4: '4242' },
  });
  await shop.addStorefront();
  await use(agent, 30);
  await expect.poll(async () => (await overview(agent)).balance_usd).toBe('1.97');
  expect((await charges(agent)).map(({ status }) => status)).toEqual(['succeeded']);
  const receipts = (await Customer.call(agent, 'GET', `${shop.url}/account/receipts`)).body.receipts;
  expect(receipts.map(({ rail, amount_usd }: Record<string, string>) => [rail, amount_usd])).toEqual([
    ['top_up', '1.00'],
    ['card', '1.00'],
  ]);
  expect((await put(agent, {})).body.auto_top_up).toMatchObject({
    state: 'off',
    charged_this_month_usd: '1.00',
  });
  await Books.proves(shop.sql);
});

test.each([
  ['that wants 3-D Secure', challengingCard, null, 'authenticat'],
  ['that is declined by now', undefined, 'pm_card_chargeDeclined', 'declined'],
  ['that is no longer kept', undefined, 'pm_gone', 'no longer be charged'],
])('a card %s stops it, with the reason, until it is agreed to anew', async (_, number, method, reason) => {
  const agent = await toppedUp(number);
  if (method)
    await shop.sql`UPDATE shop.top_up SET saved_card = jsonb_set(saved_card, '{method}', to_jsonb(${method}::text)) WHERE account_id = ${agent.account}`;
  await use(agent, 30);
  const stops = () => expect.poll(async () => (await overview(agent)).auto_top_up.state).toBe('stopped');
  await stops();
  const told = (await Customer.call(agent, 'GET', `${shop.url}/account/auto-top-up`)).body.auto_top_up;
  expect(told.reason).toContain(reason);
  expect(told.charged_this_month_usd).toBe('0.00');
  expect((await overview(agent)).balance_usd).toBe('0.97');
  if (method) return;
  expect((await put(agent, purchaseInput)).body.auto_top_up.state).toBe('on');
  await stops();
  expect(await charges(agent)).toHaveLength(2);
});

test('a process that is killed in the middle of a charge leaves one payment, which is granted once', async () => {
  const agent = await toppedUp();
  await network.control('/webhooks/pause');
  await network.fault('POST /v1/payment_intents', 'timeout_after', 1);
  await use(agent, 30);
  await expect.poll(async () => (await charges(agent)).length).toBe(1);
  await Promise.all(shop.storefronts.map((storefront) => storefront.kill()));
  const [row] =
    await shop.sql`SELECT state FROM shop.purchase WHERE account_id = ${agent.account} AND rail = 'top_up'`;
  expect(row?.state).toBe('claimed');
  const url = await shop.addStorefront();
  const balance = async () => (await Customer.call(agent, 'GET', `${url}/account`)).body.balance_usd;
  await expect.poll(balance, { timeout: 40_000, interval: 500 }).toBe('1.97');
  expect(await charges(agent)).toHaveLength(1);
  await network.control('/webhooks/resume');
  await Books.proves(shop.sql);
});
