import * as Money from '@sluice/kernel/money';
import { expect, test } from 'vitest';
import * as RefundPreview from '../../src/journeys/refund-preview.ts';
import { orderOf, reversalOf, usd } from '../http/console-fixtures.ts';

type Shop = Parameters<typeof RefundPreview.preview>[0];
const order = orderOf();
const lotOf = (kind: string, dollars: number) => ({
  ...{ asset: 'usd', kind, remaining: dollars * 1_000_000, expiresMs: null },
});

/** The preview of a refund from an account with auto top-up below 1.00 USD, and with this credit. */
async function previewed(dollars: number, credit: number, more: object = {}) {
  const { state = 'on', reversals = [], lots = [] } = more as { state?: string; reversals?: []; lots?: [] };
  const shop = {
    clock: () => 0,
    orders: { reversalsOf: async () => reversals, replacementsOf: async () => new Map() },
    subscriptions: { paidBy: async () => null },
    refundRequests: { find: async () => null },
    console: { revenueReport: { lotOf: async () => ({ remaining: 5_000_000, unspent: usd(5) }) } },
    topUps: { of: async () => ({ state, below: usd(1) }) },
    statements: { of: async () => [lotOf('purchase', credit), ...lots] },
  } as unknown as Shop;
  const found = await RefundPreview.preview(shop, order, usd(dollars));
  return found.kind === 'possible' ? found : expect.unreachable(found.kind);
}

test('the preview of a refund says what the database will do to auto top-up', async () => {
  const after = async (...given: Parameters<typeof previewed>) => (await previewed(...given)).topUp;
  expect(await after(5, 5)).toBe('ends');
  expect(await after(2, 5)).toBe('stays');
  expect(await after(2, 2.5)).toBe('stops');
  // A free trial does not delay the next charge.
  expect(await after(2, 2.5, { lots: [lotOf('trial', 9)] })).toBe('stops');
  expect(await after(5, 5, { state: 'off' })).toBe(null);
  const half = reversalOf({ amount: usd(2.5) });
  expect(await after(2.5, 5, { reversals: [half] })).toBe('ends');
  const dispute = { ...half, kind: 'dispute', status: 'needs_response' };
  expect(await after(1, 5, { reversals: [dispute] })).toBe('ends');
});

test('the inquiry of a bank ends with a full refund, and not with one in part', async () => {
  const inquiry = reversalOf({ kind: 'dispute', status: 'warning_needs_response', isEffective: false });
  const ends = async (dollars: number, reversals: object[]) =>
    (await previewed(dollars, 5, { reversals })).closesInquiry;
  expect(await ends(5, [inquiry])).toBe(true);
  expect(await ends(4, [inquiry])).toBe(false);
  expect(await ends(5, [{ ...inquiry, status: 'warning_closed' }])).toBe(false);
  expect((await previewed(5, 5)).returned).toBe(Money.zero);
});
