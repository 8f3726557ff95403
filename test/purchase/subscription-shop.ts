import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest';
import * as Upstream from '../proxy/scripted-upstream.ts';
import * as Customer from '../support/customer.ts';
import * as Shop from '../support/shop.ts';
import * as Agent from './agent.ts';
import * as Network from './network.ts';
import * as Person from './person.ts';

export type SubscriptionShop = { shop: Shop.Shop; network: Network.Network };

export type Subscriber = Agent.Agent & { token: string; account: string; order: string };

/**
 * Opens a shop that sells the plans of `catalog` for each test of the calling file, and closes it afterwards. Tests cannot share one,
 * because they move the sandbox's clock, which affects everything in it.
 */
export function openForEachTest(
  receive: (opened: SubscriptionShop) => void,
  { catalog = 'periods.yaml', env = {} }: Shop.Options = {},
): void {
  let upstream: Upstream.ScriptedUpstream;
  let shop: Shop.Shop;
  beforeAll(async () => {
    upstream = await Upstream.scripted(({ socket, head }) => {
      const max = Number(/max=(\d+)/.exec(head)?.[1] ?? 1);
      socket.write(Upstream.http(200, JSON.stringify({ count: max })));
    });
  });
  afterAll(() => upstream?.close());
  beforeEach(async () => {
    shop = await Shop.open({
      upstream: { url: upstream.url, key: 'upk_1' },
      catalog,
      env: { ...Agent.shopEnv, ...env },
    });
    receive({ shop, network: Network.of(shop.sandboxUrl) });
  });
  afterEach(() => shop?.stop());
}

/** Registers an account that subscribes to `plan` on the hosted page. */
export async function subscribe(shop: Shop.Shop, plan: string): Promise<Subscriber> {
  const agent = await Agent.registered(shop.url);
  const offer = await Agent.offer(agent, {}, plan);
  expect((await fetch(await Person.pay(await Person.open(offer.checkoutUrl)))).status).toBe(200);
  return { ...agent, order: offer.order };
}

/** Uses units of the account's plans. There is no trial that would be used first. */
export async function useUnits(
  shop: Shop.Shop,
  { token }: { token?: string | null },
  units: number,
): Promise<void> {
  for (let left = units; left > 0; left -= 50) {
    const url = `${shop.url}/v1/search?max=${Math.min(50, left)}`;
    const { status, text } = await Customer.call({ token: token ?? '' }, 'GET', url);
    expect(status, text).toBe(200);
  }
}

/** Moves the clock to the renewal of the only subscription, whose card is declined, and waits until the shop knows. */
export async function failRenewal({ sql }: Shop.Shop, network: Network.Network): Promise<void> {
  const [row] = await sql<{ id: string }[]>`SELECT processor_id AS id FROM shop.subscription`;
  const id = row?.id ?? '';
  const { customer } = await network.stripe.subscriptions.retrieve(id);
  const failing = await network.stripe.paymentMethods.attach('pm_card_chargeCustomerFail', {
    customer: String(customer),
  });
  await network.stripe.subscriptions.update(id, { default_payment_method: failing.id });
  await network.control('/clock', { advance_seconds: 31 * 24 * 60 * 60 });
  await expect
    .poll(() => sql`SELECT 1 FROM shop.subscription WHERE status = 'past_due' AND pay_url IS NOT NULL`, {
      timeout: 30_000,
    })
    .toHaveLength(1);
}
