import { id } from '@sluice/kernel/id';
import { expect, vi } from 'vitest';
import * as Upstream from '../proxy/scripted-upstream.ts';
import * as Agent from '../purchase/agent.ts';
import * as Customer from '../support/customer.ts';
import type * as Shop from '../support/shop.ts';
import { Studio } from './studio.ts';
import type { Visitor } from './visitor.ts';

export const front = '/admin';
export const at = (path: string) => `/admin/console/${path}`;

/** Opens a shop without mail, with a scripted API behind it. A body with `gone` is answered by a closed connection. */
export async function openSite(options: Shop.Options = {}): Promise<Studio> {
  const upstream = await Upstream.scripted(({ socket, body }) => {
    const { max_results, gone } = JSON.parse(body || '{}');
    if (gone) return socket.destroy();
    socket.write(Upstream.http(200, JSON.stringify({ results: [], results_length: max_results ?? 0 })));
  });
  return Studio.open({
    ...{ upstream: { url: upstream.url, key: 'upk_1' }, hasMail: false },
    closing: () => upstream.close(),
    ...options,
  });
}

const calls: [string, object][] = [
  ['/v2/search/people', { max_results: 25 }],
  ['/v2/search/companies', { max_results: 40 }],
  ['/v2/jobs/search', { max_results: 12 }],
];

export type Buyer = Agent.Agent & { token: string; account: string; order: string; email: string };
export const names = ['ada@lovelace.example', 'grace@hopper.example', 'mary@somerville.example'] as const;
const others = [
  'emmy@noether.example',
  'sofia@kovalevskaya.example',
  'a.rather.long.name.of.a.buyer@subdomain.example',
];

/** A buyer with credit, calls and a key with a limit. */
export async function bought(
  { shop, network }: Studio,
  email: string,
  amount_usd = '5.00',
  card?: string,
): Promise<Buyer> {
  const agent = await Agent.registered(shop.url);
  const offer = await Agent.offer(agent, { amount_usd });
  expect((await Agent.pay(agent, offer, await network.mint(card))).status).toBe(200);
  await shop.sql`UPDATE shop.account SET email = ${email}, claimed_at = now() WHERE id = ${agent.account}`;
  for (const [path, body] of calls) await Customer.call(agent, 'POST', shop.url + path, body);
  const key = { name: 'nightly job', budget_usd: '2.00' };
  await Customer.call(agent, 'POST', `${shop.url}/account/keys`, key);
  return { ...agent, order: offer.order, email };
}

/** A shop that has been open for a month: buyers with calls and keys, a declined card, a refund request and a dispute. */
export async function history(site: Studio): Promise<Map<string, Buyer>> {
  const { shop, network } = site;
  const buyers = new Map<string, Buyer>();
  for (const email of [...names, ...others]) buyers.set(email, await bought(site, email));
  const poor = await Agent.registered(shop.url);
  await Agent.pay(poor, await Agent.offer(poor), await network.mint('pm_card_chargeDeclined'));
  const asking = buyers.get(names[2]) as Buyer;
  const request = { amount_usd: '4.00', reason: 'I bought by mistake, and have hardly used it.' };
  await Customer.call(asking, 'POST', `${shop.url}/purchases/${asking.order}/refund-request`, request);
  // Earlier days, by what the books say of them.
  for (let day = 1; day < 30; day += 1)
    for (let nth = 0; nth < 1 + ((day * 7) % 4); nth += 1) {
      const account = id('acc');
      const made = new Date(Date.now() - day * 86_400_000);
      await shop.sql`INSERT INTO shop.account (id, origin, created_at) VALUES (${account}, 'purchase', ${made})`;
      const paid = (5 + ((day * nth * 13) % 60)) * 1_000_000;
      await Customer.credit(shop.sql, { account, token: '', assertion: '' }, paid);
      const rail = ['card', 'top_up', 'card', 'x402'][(day + nth) % 4] ?? 'card';
      const challenge = (day + nth) % 8 === 0 ? account : null;
      await shop.sql`UPDATE shop.purchase SET granted_at = ${made}, created_at = ${made}, rail = ${rail}, challenge_id = ${challenge} WHERE account_id = ${account}`;
    }
  await disputed(site, buyers.get('emmy@noether.example') as Buyer);
  return buyers;
}

/** Has the bank of a buyer dispute the payment. */
export async function disputed({ shop, network }: Studio, { order }: Buyer): Promise<void> {
  const [payment] = await network.paymentsOf(order);
  await network.control('/disputes', { payment_intent: payment?.id, reason: 'product_not_received' });
  const reversals = () =>
    shop.sql`SELECT 1 FROM shop.reversal WHERE purchase_id = ${order} AND kind = 'dispute'`;
  await vi.waitFor(async () => expect((await reversals()).length).toBe(1), 20_000);
}

/** Invites a person to the console. Returns the link that is shown. */
export async function invited(
  owner: Visitor,
  email: string,
  name: string,
  role: string,
  take?: string,
): Promise<string> {
  await owner.open(at('team'));
  await owner.fill({ '#email': email, '#name': name, '#invite-role': role });
  await owner.press('Invite');
  if (take !== undefined) await owner.shot(take);
  return (await owner.page.locator('pre.secret').textContent()) ?? '';
}
