import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import * as Sluice from '../cli/sluice.ts';
import * as Customer from '../support/customer.ts';
import * as Shop from '../support/shop.ts';
import * as Agent from './agent.ts';
import * as Books from './books.ts';
import * as Network from './network.ts';
import * as Person from './person.ts';

/** No payment is taken for an account that cannot use what is paid: the seller has frozen it, or its owner is erased. */
const adminToken = 'adm_of_the_frozen_accounts_and_long';
let shop: Shop.Shop;
let network: Network.Network;
let other: string;
let agent: Awaited<ReturnType<typeof Agent.registered>>;

beforeAll(async () => {
  shop = await Shop.open({ env: { ...Agent.shopEnv, ADMIN_TOKEN: adminToken } });
  network = Network.of(shop.sandboxUrl);
  other = await shop.addStorefront();
});
beforeEach(async () => {
  agent = await Agent.registered(shop.url);
});
afterAll(async () => {
  await Books.proves(shop.sql);
  await shop?.stop();
});

async function freeze({ account }: { account: string }, verb: 'freeze' | 'unfreeze' = 'freeze') {
  const done = await Customer.call(
    { token: adminToken },
    'POST',
    `${shop.url}/admin/accounts/${account}/${verb}`,
    {},
  );
  expect(done.status, done.text).toBe(200);
}
const erase = ({ account }: { account: string }) =>
  Sluice.runBeside(shop, 'accounts', 'erase', account, '--yes', '--forfeit');
const visit = (url: string) => fetch(url, { redirect: 'manual' });

describe.each([
  ['frozen', freeze, 'The shop has frozen the account'],
  ['erased', erase, 'The account of this link is closed.'],
] as const)('an account that is %s', (_, end, reason) => {
  test('is not charged for a challenge that it got before, with its token or without, in any process', async () => {
    const offer = await Agent.offer(agent, { amount_usd: '5.00' });
    await end(agent);
    const spt = await network.mint();
    for (const url of [shop.url, other])
      for (const token of [agent.token, null]) {
        const paid = await Agent.pay({ ...agent, url, token }, offer, spt);
        expect([paid.status, paid.body.code]).toEqual([403, 'account_frozen']);
      }
    expect(await network.paymentsOf(offer.order)).toEqual([]);
  });

  test('gets no card page by a link that it got before', async () => {
    const offer = await Agent.offer(agent, { amount_usd: '5.00' });
    await end(agent);
    for (const url of [offer.checkoutUrl, offer.checkoutUrl.replace(shop.url, other)]) {
      const page = await visit(url);
      expect(page.status).toBe(403);
      const html = await page.text();
      for (const part of ['This payment cannot be made.', reason, '>Contact the shop</a>'])
        expect(html).toContain(part);
    }
  });
});

test('a frozen account is paid for again once it is unfrozen', async () => {
  const offer = await Agent.offer(agent, { amount_usd: '5.00' });
  await freeze(agent);
  expect((await visit(offer.checkoutUrl)).status).toBe(403);
  await freeze(agent, 'unfreeze');
  expect((await Agent.pay({ ...agent, token: null }, offer, await network.mint())).status).toBe(200);
  expect(await Books.lotsOf(shop.sql, offer.order)).toEqual([5_000_000]);
});

test('the open card pages of an account are closed before it is erased', async () => {
  const offer = await Agent.offer(agent, { amount_usd: '5.00' });
  const open = await Person.open(offer.checkoutUrl);
  expect((await erase(agent)).code).toBe(0);
  await expect(Person.pay(open)).rejects.toThrow();
  expect(await network.paymentsOf(offer.order)).toEqual([]);
});

test('an account whose card page was just paid is not erased, so that the payer does not lose the money', async () => {
  const offer = await Agent.offer(agent, { amount_usd: '5.00' });
  await Person.pay(await Person.open(offer.checkoutUrl));
  const erased = await Sluice.runBeside(shop, 'accounts', 'erase', agent.account, '--yes');
  expect(erased.code).toBe(1);
  expect(await Books.lotsOf(shop.sql, offer.order)).toEqual([5_000_000]);
});

test('a payment that waits to be settled again is not taken while its account is frozen', async () => {
  const { order } = await Agent.offer(agent, { amount_usd: '5.00' });
  const [credential, writer] = ['a digest', 'a process'];
  const wait = () =>
    shop.sql`UPDATE shop.purchase SET state = 'claimed', claimed_by = 'queued', credential_digest = ${credential}, claimed_at = now() WHERE id = ${order}`;
  const resume = async () =>
    (await shop.sql`SELECT shop.resume_purchase(${order}, ${writer}) AS done`)[0]?.done;
  const claim = async () =>
    (
      await shop.sql`SELECT outcome FROM shop.claim_purchase(${order}, 'challenge', ${credential}, ${writer})`
    )[0]?.outcome;
  await wait();
  await freeze(agent);
  expect(await resume()).toBe(false);
  expect(await claim()).toBe('frozen');
  await freeze(agent, 'unfreeze');
  expect(await resume()).toBe(true);
  await wait();
  expect(await claim()).toBe('claimed');
  await shop.sql`UPDATE shop.purchase SET state = 'declined', claimed_by = NULL WHERE id = ${order}`;
});
