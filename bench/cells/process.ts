// Runs one process with a ledger writer for each cell, and callers that hold and settle as fast as they can, or at a rate.
// node process.ts <JSON of Setup>; receives { callers, seconds, perSecond } by IPC, and answers with the number of calls and batches.

import { systemClock as clock } from '@sluice/kernel/clock';
import { slotOf, slotsMax, uuidv7 } from '@sluice/kernel/id';
import { ofMicro } from '@sluice/kernel/money';
import { openConnection } from '../../src/adapters/postgres/connection.ts';
import { openLedgerStore } from '../../src/adapters/postgres/ledger-store.ts';
import type { LedgerStore } from '../../src/ledger/ledger-store.ts';
import { LedgerWriter } from '../../src/ledger/ledger-writer.ts';
import { dividedStore } from './divided-store.ts';

/** `urls`: the databases of the cells, each with an equal range of slots. `usageUrl`: the database of all their usage, if it is another one. */
export type Setup = { urls: readonly string[]; name: string; accounts: readonly string[]; usageUrl?: string };
export type Load = { callers: number; seconds: number };
export type Done = { calls: number; batches: number; latenciesMs: number[] };

const { urls, name, accounts, usageUrl } = JSON.parse(process.argv[2] ?? '') as Setup;
const units = 5;
const price = ofMicro(100);
const tickEveryMs = 50;
const sampledEvery = 16;

let batches = 0;
function counted(store: LedgerStore): LedgerStore {
  return {
    ...store,
    batch(batch) {
      batches += 1;
      return store.batch(batch);
    },
  };
}

function storeOf(url: string): LedgerStore {
  const open = (at: string) => openLedgerStore(openConnection(at, 2));
  return usageUrl === undefined ? open(url) : dividedStore(open(url), open(usageUrl));
}

const writers = await Promise.all(
  urls.map(async (url) => {
    const writer = new LedgerWriter(counted(storeOf(url)), name, clock, (event) => {
      if (event.kind !== 'opened') throw new Error(`writer: ${event.kind}`);
    });
    await writer.open();
    return writer;
  }),
);
setInterval(() => {
  for (const writer of writers) writer.tick();
}, tickEveryMs);
let next = 0;

process.on('message', async ({ callers, seconds }: Load) => {
  const before = batches;
  const latenciesMs: number[] = [];
  const untilMs = performance.now() + seconds * 1_000;
  const counts = await Promise.all(Array.from({ length: callers }, () => callUntil(untilMs, latenciesMs)));
  process.send?.({
    calls: counts.reduce((sum, count) => sum + count, 0),
    batches: batches - before,
    latenciesMs,
  });
});
process.once('SIGTERM', async () => {
  await Promise.all(writers.map((writer) => writer.drain()));
  process.exit(0);
});
process.send?.({ ready: true });

async function callUntil(untilMs: number, latenciesMs: number[]): Promise<number> {
  let calls = 0;
  for (; performance.now() < untilMs; calls++) {
    next = (next + 1) % accounts.length;
    const account = accounts[next] ?? '';
    const startMs = performance.now();
    const writer = writers[Math.floor((slotOf(account) * writers.length) / slotsMax)] as LedgerWriter;
    const callId = uuidv7(clock(), account);
    const held = await writer.hold({ callId, account, plans: ['credit'], price, units, key: null });
    if (held.kind !== 'held') throw new Error(`not held: ${held.kind}`);
    const outcome = { units, status: 200, service: 'lists', operation: 'POST /v1/small' };
    const settled = await writer.settle(held.hold, outcome);
    if (settled.kind !== 'settled') throw new Error('not settled');
    writer.delivered(settled.seq);
    if (calls % sampledEvery === 0) latenciesMs.push(performance.now() - startMs);
  }
  return calls;
}
