// Runs one ledger writer in its own process, with callers that hold and settle as fast as they can.
// node ledger-process.ts <database URL> <writer> <account,account,...>; receives { callers, seconds } by IPC.

import { systemClock as clock } from '@sluice/kernel/clock';
import { uuidv7 } from '@sluice/kernel/id';
import { ofMicro } from '@sluice/kernel/money';
import { openConnection } from '../../src/adapters/postgres/connection.ts';
import { openLedgerStore } from '../../src/adapters/postgres/ledger-store.ts';
import { Listener } from '../../src/adapters/postgres/listener.ts';
import * as Notify from '../../src/adapters/postgres/notify.ts';
import { LedgerWriter } from '../../src/ledger/ledger-writer.ts';

const [url = '', name = '', list = ''] = process.argv.slice(2);
const accounts = list.split(',');
const units = 5;
const price = ofMicro(100);
const tickEveryMs = 50;

const sql = openConnection(url, 2);
const writer = new LedgerWriter(openLedgerStore(sql), name, clock, (event) => {
  if (event.kind !== 'opened') throw new Error(`writer: ${event.kind}`);
});
await writer.open();
await Notify.listen(new Listener(url), {
  granted: (account) => writer.touch(account),
  recall: (account) => writer.recall(account),
  returned: (account) => writer.cameBack(account),
  listening: () => writer.resynchronize(),
});
setInterval(() => writer.tick(), tickEveryMs);
let next = 0;

process.on('message', async ({ callers, seconds }: { callers: number; seconds: number }) => {
  const untilMs = performance.now() + seconds * 1_000;
  const counts = await Promise.all(Array.from({ length: callers }, () => callUntil(untilMs)));
  process.send?.({ calls: counts.reduce((sum, count) => sum + count, 0) });
});
process.once('SIGTERM', async () => {
  await writer.drain();
  process.exit(0);
});
process.send?.({ ready: true });

/** Makes calls one after the other: hold, settle, delivered. */
async function callUntil(untilMs: number): Promise<number> {
  let calls = 0;
  for (; performance.now() < untilMs; calls++) {
    next = (next + 1) % accounts.length;
    const account = accounts[next] ?? '';
    const callId = uuidv7(clock());
    const held = await writer.hold({ callId, account, plans: ['credit'], price, units, key: null });
    if (held.kind !== 'held') throw new Error(`not held: ${held.kind}`);
    const outcome = { units, status: 200, service: 'lists', operation: 'POST /v1/small' };
    const settled = await writer.settle(held.hold, outcome);
    if (settled.kind !== 'settled') throw new Error('not settled');
    writer.delivered(settled.seq);
  }
  return calls;
}
