import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import * as Money from '@sluice/kernel/money';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { openStripe } from '../../src/adapters/stripe/processor.ts';
import { checkCards } from '../../src/cli/check/cards.ts';
import { lifeMs } from '../../src/payment/order.ts';
import * as Upstream from '../proxy/scripted-upstream.ts';
import * as Agent from '../purchase/agent.ts';
import * as Network from '../purchase/network.ts';
import * as Person from '../purchase/person.ts';
import { unpaidOrder } from '../purchase/unpaid-order.ts';
import * as Customer from '../support/customer.ts';
import * as Shop from '../support/shop.ts';
import * as Conformance from './conformance.ts';
import * as Operations from './operations.ts';
import * as Recorder from './recorder.ts';

/** Parameters in preview, which the pinned version's types do not have. */
const previewParams = ['shared_payment_granted_token', 'payment_method_data'];
const monthSeconds = 31 * 24 * 3_600;
const failingRenewals = '4000 0000 0000 0341';
const address = { country: 'DE' };
const adapter = new URL('../../src/adapters/stripe/', import.meta.url);

let client: Operations.Client;
let recorder: Recorder.Recorder;
let upstream: Upstream.ScriptedUpstream;
let shop: Shop.Shop;
let network: Network.Network;
beforeAll(async () => {
  client = Operations.read();
  recorder = await Recorder.open();
  upstream = await Upstream.scripted(({ socket, head }) => {
    const max = Number(/max=(\d+)/.exec(head)?.[1] ?? 1);
    socket.write(Upstream.http(200, JSON.stringify({ count: max })));
  });
  shop = await Shop.open({
    upstream: { url: upstream.url, key: 'upk_1' },
    catalog: 'taxed.yaml',
    env: { ...Agent.shopEnv, STRIPE_API_BASE: recorder.url },
  });
  recorder.forwardTo(shop.sandboxUrl);
  network = Network.of(shop.sandboxUrl);
  await live();
});
afterAll(async () => {
  await shop?.stop();
  await recorder?.close();
  await upstream?.close();
});

/** Reads of the preview version, which the client's types do not contain. */
const previewReads = /^\/v1\/shared_payment\/granted_tokens\/spt_\w+$/;

/** Returns the deviations of one exchange. */
function faultsOf({ method, path, version, params, status, response }: Recorder.Exchange): string[] {
  const operation = Operations.find(client, method, path);
  const isPreview = version.endsWith('.preview');
  if (isPreview && method === 'GET' && previewReads.test(path)) return [];
  if (operation === null) return [`${method} ${path} is no operation of the client`];
  const known = Object.fromEntries(
    Object.entries(params).filter(([name]) => !(isPreview && previewParams.includes(name))),
  );
  const at = `${method} ${operation.path.source}`;
  const { checker } = client;
  const asked = operation.params
    ? Conformance.faultsOf(checker, known, operation.params, 'form', `${at} params`)
    : Object.keys(known).map((name) => `${at} params.${name} is unknown`);
  if (status !== 200) return asked;
  const items = operation.isList ? (response as { data: unknown[] }).data : [response];
  return [
    ...asked,
    ...items.flatMap((one) =>
      Conformance.faultsOf(checker, one, operation.response, 'json', `${at} response`),
    ),
  ];
}

/** Uses a shop so that it makes every kind of request. */
async function live(): Promise<void> {
  const processor = openStripe({
    secretKey: 'sk_test_sandbox',
    webhookSecrets: ['whsec_test'],
    apiBase: recorder.url,
    mark: { origin: shop.url, former: [] },
  });
  const sinceMs = Date.now() - 60_000;

  // Agents and people buy credit.
  const agent = await Agent.registered(shop.url);
  const offer = await Agent.offer(agent, { amount_usd: '10.00', billing_address: address });
  expect((await Agent.pay(agent, offer, await network.mint())).status).toBe(200);
  const paged = await Agent.offer(agent, { amount_usd: '5.00' });
  await fetch(await Person.pay(await Person.open(paged.checkoutUrl), undefined, address));
  const closed = await Agent.offer(agent, { amount_usd: '6.00' });
  const session = (await Person.open(closed.checkoutUrl)).split('/').at(-1) ?? '';
  await processor.closeCheckout(session);

  // A renewing plan is bought and changed.
  const subscriber = await Agent.registered(shop.url);
  const plan = await Agent.offer(subscriber, {}, 'small');
  await fetch(await Person.pay(await Person.open(plan.checkoutUrl), undefined, address));
  const account = () => Customer.call(subscriber, 'GET', `${shop.url}/account`);
  await vi.waitFor(async () => expect((await account()).body.subscriptions).toHaveLength(1), 20_000);
  const subscription = (await account()).body.subscriptions[0].id as string;
  await Customer.call(subscriber, 'POST', `${shop.url}/account/plans/small/change`, { plan: 'large' });
  const { customer } = await processor.renewalOf(subscription);
  expect(await processor.payerOf(subscription)).toMatchObject({ customer, card: { last4: '4242' } });
  expect(await processor.openPortal(customer, `${shop.url}/`)).toContain('/c/portal/');
  // A new card pays the renewal that failed; the one after it fails too, and is void.
  await failRenewal();
  await keepCard(customer, subscription);
  await failRenewal();
  await processor.voidUnpaid(subscription);
  await keepCard(customer, subscription);
  await processor.cancelAtPeriodEnd(subscription, true);
  await processor.cancelAtPeriodEnd(subscription, false);
  // The plan is cancelled while its next renewal is a draft.
  const { items } = await network.stripe.subscriptions.retrieve(subscription);
  const { now } = (await network.control('/clock', { advance_seconds: 0 })) as { now: number };
  const endsAt = items.data[0]?.current_period_end ?? now;
  await network.control('/clock', { advance_seconds: endsAt - now + 60 });
  await processor.cancelNow(subscription);
  await processor.voidUnpaid(subscription);

  // A saved card is charged, without and with a token of a page.
  const [kept] = (await network.stripe.customers.list({ limit: 1 })).data;
  const [method] = (await network.stripe.paymentMethods.list({ customer, type: 'card' })).data;
  expect([kept, method]).not.toContain(undefined);
  const card = { customer, method: method?.id ?? '', brand: 'visa', last4: '4242' };
  const topUp = unpaidOrder({ rail: 'top_up', savedCard: card, expiresMs: Date.now() + lifeMs });
  const charged = await processor.chargeSaved(topUp, topUp.challengeId ?? '', card, true);
  expect(charged, JSON.stringify(charged)).toMatchObject({ kind: 'succeeded' });

  // Payments are refunded, and both sides are compared.
  for await (const payment of processor.payments(sinceMs)) {
    if (payment.state !== 'succeeded') continue;
    await processor.feesOf(payment.id);
    await processor.reversalsOf(payment.id);
    await processor.invoicePage(payment.id);
    await processor.cardOfPayment(payment.id);
    if (payment.tax === 'page') await processor.taxOnPage(payment.id);
  }
  const [first] = await network.paymentsOf(offer.order);
  const money = { amount: Money.ofCents(100), tax: Money.ofCents(19) };
  await processor.refund(first?.id ?? '', money, 'refund_one', 'key');
  for await (const _ of processor.invoices(sinceMs, subscription));
  await checkCards({
    secretKey: 'sk_test_sandbox',
    apiBase: recorder.url,
    networkId: '',
    isTaxed: true,
    publicUrl: shop.url,
    sandbox: null,
  });

  // The owner of an account is erased; a repetition changes nothing.
  await processor.eraseCustomer(customer);
  await processor.eraseCustomer('cus_unknown');

  async function failRenewal(): Promise<void> {
    await keepCard(customer, subscription, failingRenewals);
    await network.control('/clock', { advance_seconds: monthSeconds });
    const standing = () => processor.readSubscription(subscription);
    await vi.waitFor(async () => expect((await standing())?.status).toBe('past_due'), 20_000);
  }

  async function keepCard(owner: string, reference: string, number?: string): Promise<void> {
    const page = await processor.openCardPage({
      reference,
      customer: owner,
      message: 'You agree.',
      success: `${shop.url}/cards/return?session={CHECKOUT_SESSION_ID}`,
      cancel: `${shop.url}/cards/cancelled`,
      isTaxed: true,
      expiresMs: null,
    });
    await Person.pay(page.url ?? '', number, address);
    const saved = await processor.readCardPage(page.session);
    if (saved === null) throw new Error('no card was kept');
    await processor.useCard(reference, saved.card);
  }
}

test('everything that the shop asks of Stripe, and what it is answered in tests, fits the types of the pinned client', async () => {
  await mkdir(new URL('../../coverage/', import.meta.url), { recursive: true });
  const file = new URL('../../coverage/stripe-exchanges.json', import.meta.url);
  await writeFile(file, JSON.stringify(recorder.exchanges, null, 2));
  expect(recorder.exchanges.length).toBeGreaterThan(80);
  const faults = recorder.exchanges.flatMap(faultsOf);
  expect([...new Set(faults)]).toEqual([]);
});

test('every operation that the adapter calls was recorded', async () => {
  const sources = await Promise.all(
    (await readdir(adapter)).map((name) => readFile(new URL(name, adapter), 'utf8')),
  );
  const calls = sources.flatMap((source) => [...source.matchAll(/\bstripe\.((?:\w+\.)+)(\w+)\(/g)]);
  const wanted = calls
    .map(([, chain = '', method = '']) => [chain.slice(0, -1), method] as const)
    .filter(([chain]) => chain !== 'webhooks');
  expect(wanted.length).toBeGreaterThan(20);
  const recorded = new Set(
    recorder.exchanges.map(({ method, path }) => Operations.find(client, method, path)?.name),
  );
  const nameOf = ([chain, method]: readonly [string, string]) => {
    const path = `/v1/${chain.replaceAll('.', '/').replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}`;
    return client.operations.find(
      (one) =>
        one.name.endsWith(`.${method}`) &&
        new RegExp(`^\\^${path}(/\\[|/[^/]*$|\\$)`).test(one.path.source.replaceAll('\\/', '/')),
    )?.name;
  };
  for (const call of wanted) expect(recorded, call.join('.')).toContain(nameOf(call));
});

test.each([
  [
    'an unknown parameter',
    (one: Recorder.Exchange) => ({ ...one, params: { ...one.params, taxes: '1' } }),
    'params.taxes is unknown',
  ],
  [
    'a missing parameter',
    ({ params: { currency: _, ...params }, ...one }: Recorder.Exchange) => ({ ...one, params }),
    'params.currency is missing',
  ],
  [
    'a value that an enumeration lacks',
    (one: Recorder.Exchange) => ({ ...one, response: { ...(one.response as object), status: 'paid' } }),
    'response.status has "paid"',
  ],
  [
    'a member that the response lacks',
    (one: Recorder.Exchange) => {
      const { amount_received: _, ...response } = one.response as Record<string, unknown>;
      return { ...one, response };
    },
    'response.amount_received is missing',
  ],
])('%s is found', (_, plant, fault) => {
  const exchange = recorder.exchanges.find(
    ({ method, path, status }) => method === 'POST' && path === '/v1/payment_intents' && status === 200,
  );
  if (!exchange) throw new Error('no payment was recorded');
  expect(faultsOf(exchange)).toEqual([]);
  expect(faultsOf(plant(exchange)).join()).toContain(fault);
});
