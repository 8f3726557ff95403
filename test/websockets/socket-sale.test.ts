import { uuidv7 } from '@sluice/kernel/id';
import { ofMicro } from '@sluice/kernel/money';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Operation } from '../../src/catalog/operation.ts';
import { toSocketRule } from '../../src/catalog/socket-rule.ts';
import type { PaidCall } from '../../src/journeys/call-request.ts';
import type { PaidCallContext } from '../../src/journeys/paid-call-context.ts';
import { type Grant, SocketSale } from '../../src/journeys/socket-sale.ts';
import { UnpaidCalls } from '../../src/proxy/unpaid-calls.ts';
import { type OpenLedgerStore, openLedgerStore } from '../ledger/open-ledger-store.ts';
import { type OpenWriter, openWriter } from '../ledger/open-writer.ts';

const price = ofMicro(100);
let real: OpenLedgerStore;
let process: OpenWriter;
let ticking: NodeJS.Timeout;
let account = '';
let accounts = 0;

beforeAll(async () => {
  real = await openLedgerStore();
  process = await openWriter(real.url, 'socket-sale', Date.now);
  ticking = setInterval(() => process.writer.tick(), 20);
});
afterAll(async () => {
  clearInterval(ticking);
  await process?.end();
  await real?.end();
});
beforeEach(async () => {
  accounts += 1;
  account = `ann${accounts}`;
  await real.grant({ asset: 'usd', kind: 'grant', plan: 'p', amount: 2_500, expiresMs: null, account });
});

async function open({ ceiling = null as number | null, now = () => Date.now(), free = 5 } = {}) {
  const rule = toSocketRule({ step: 2 });
  const units = { kind: 'fixed', units: 1 };
  const operation = {
    id: 'feed',
    service: { slug: 'feed', price },
    units,
    unitsMax: units,
  } as unknown as Operation;
  const unpaid = new UnpaidCalls(now, { callsMax: free, windowMs: 60_000, readsMax: 1, readMsMax: 1 });
  const shop = { writer: process.writer, clock: now, unpaid, report: () => {} } as unknown as PaidCallContext;
  const call = { operation, account, ceiling, callerKey: null } as unknown as PaidCall;
  const request = { callId: uuidv7(now()), account, plans: ['p'], price, units: 2 };
  const held = await process.writer.hold(request);
  if (held.kind !== 'held') throw new Error(held.kind);
  const sale = new SocketSale(shop, call, rule, request, held.hold);
  const admit = async (): Promise<Grant | null> => sale.admit('upstream', Buffer.from('m'), false);
  const deliver = async (count: number) => {
    let delivered = 0;
    for (; delivered < count; delivered++) {
      const grant = await admit();
      if (grant === null) break;
      grant(true);
    }
    return delivered;
  };
  return { sale, admit, deliver };
}

const isIdle = () => expect(process.writer.held(account)).toEqual({ usd: 0, unit: 0 });

test('as many messages are granted as the balance covers, and all of them are charged once', async () => {
  const { sale, deliver } = await open();
  expect(await deliver(40)).toBe(25);
  expect(sale.refusal?.kind).toBe('exhausted');
  await Promise.all([sale.end(false), sale.end(true)]);
  expect(sale.charged).toEqual({ units: 25, cost: 2_500 });
  isIdle();
});

test('a message that was not delivered is free, unless its account leaves often', async () => {
  const polite = await open();
  (await polite.admit())?.(true);
  (await polite.admit())?.(false);
  await polite.sale.end(true);
  expect(polite.sale.charged.units).toBe(1);
  const often = await open({ free: 0 });
  (await often.admit())?.(true);
  (await often.admit())?.(false);
  await often.sale.end(true);
  expect(often.sale.charged.units).toBe(2);
  isIdle();
});

test('a part is booked when all of its messages were delivered or lost', async () => {
  const { sale, admit, deliver } = await open();
  const late = await admit();
  await deliver(19);
  const next = admit();
  // A booking that was under way would be done before that of another connection.
  const other = await open();
  await other.deliver(1);
  await other.sale.end(false);
  expect(sale.charged.units).toBe(0);
  late?.(false);
  (await next)?.(true);
  expect(sale.charged.units).toBe(19);
  await sale.end(false);
  expect(sale.charged.units).toBe(20);
  isIdle();
});

test('a part is booked after a minute, and the connection goes on', async () => {
  let nowMs = Date.now();
  const { sale, deliver } = await open({ now: () => nowMs });
  await deliver(3);
  expect(await sale.tick()).toBe(true);
  expect(sale.charged.units).toBe(0);
  nowMs += 61_000;
  expect(await sale.tick()).toBe(true);
  expect(sale.charged.units).toBe(3);
  await sale.end(false);
  expect(sale.charged.units).toBe(3);
  isIdle();
});

test("the caller's own ceiling applies to all parts together", async () => {
  const { sale, deliver } = await open({ ceiling: 2_300 });
  expect(await deliver(40)).toBe(23);
  expect(sale.refusal?.kind).toBe('price_ceiling');
  await sale.end(false);
  expect(sale.charged.units).toBe(23);
  isIdle();
});

test('a connection that ends while its hold grows keeps nothing held', async () => {
  const { sale, deliver, admit } = await open();
  await deliver(2);
  const growing = admit();
  const ending = sale.end(true);
  (await growing)?.(false);
  await ending;
  expect(sale.charged.units).toBe(2);
  isIdle();
});
