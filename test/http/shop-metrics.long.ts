import { afterAll, beforeAll, expect, test } from 'vitest';
import * as Metrics from '../../src/http/telemetry/metrics.ts';
import type { ShopTotals } from '../../src/payment/shop-totals.ts';
import * as Customer from '../support/customer.ts';
import * as Shop from '../support/shop.ts';

const adminToken = 'admin-token-of-the-metrics-test-0123456789';
let shop: Shop.Shop;

beforeAll(async () => {
  shop = await Shop.open({ env: { ADMIN_TOKEN: adminToken } });
});
afterAll(async () => {
  await shop?.stop();
});

async function scrape(): Promise<string> {
  const response = await fetch(`${shop.url}/metrics`, { headers: { authorization: `Bearer ${adminToken}` } });
  return response.text();
}

test('accounts, purchases, revenue and balances of the shop are exported, all of them from the start', async () => {
  await Customer.register(shop.url);
  const buyer = await Customer.register(shop.url);
  await Customer.credit(shop.sql, buyer, 2_500_000);
  const text = await scrape();
  for (const line of [
    'sluice_shop_accounts{kind="anonymous"} 2',
    'sluice_shop_accounts{kind="claimed"} 0',
    'sluice_shop_purchases_total{rail="card"} 1',
    'sluice_shop_purchases_total{rail="x402"} 0',
    'sluice_shop_revenue_micro_usd_total{rail="card"} 2500000',
    'sluice_shop_returned_micro_usd{kind="refund"} 0',
    'sluice_shop_unspent_micro_usd{source="paid"} 2500000',
  ])
    expect(text).toContain(`${line}\n`);
  expect(text).toMatch(/sluice_units_total\{service="[\w-]+"\} 0/);
});

test('the database is read once a minute, and the last totals stay while it does not answer', async () => {
  let nowMs = 0;
  let reads = 0;
  const side = { usd: 0, units: 0 };
  const found = {
    accounts: { anonymous: 7, claimed: 0 },
    purchases: [],
    returned: { refund: 0, dispute: 0 },
    unspent: { paid: side, given: side },
  } as unknown as ShopTotals;
  const metrics = Metrics.createMetrics({
    writer: { ready: true, backlog: { calls: 0, ageMs: 0 } },
    clock: () => nowMs,
    shopTotals: async () => {
      reads += 1;
      if (reads > 1) throw new Error('no database');
      return found;
    },
  });
  const anonymous = 'sluice_shop_accounts{kind="anonymous"} 7\n';
  for (const ms of [0, 59_999, 60_000]) {
    nowMs = ms;
    expect(await metrics.text()).toContain(anonymous);
  }
  expect(reads).toBe(2);
});
