// A ledger lane in a process of its own, with nothing around it: callers that hold and settle as fast as they can.
// node ledger-process.ts <database URL> <lane> <account,account,...>; asked by IPC: { callers, seconds }.
import * as Announcements from '../../src/adapters/postgres/announcements.ts';
import * as Books from '../../src/adapters/postgres/books.ts';
import * as Connection from '../../src/adapters/postgres/connection.ts';
import { systemClock as clock } from '../../src/kernel/clock.ts';
import { uuidv7 } from '../../src/kernel/id.ts';
import { ofMicro } from '../../src/kernel/money.ts';
import { Lane } from '../../src/ledger/lane.ts';

const [url = '', name = '', list = ''] = process.argv.slice(2);
const accounts = list.split(',');
const units = 5;
const price = ofMicro(100);
const tickEveryMs = 50;

const sql = Connection.open(url, 2);
const lane = new Lane(Books.open(sql), name, clock, (event) => {
  if (event.kind !== 'opened') throw new Error(`lane: ${event.kind}`);
});
await lane.open();
await Announcements.listen(sql, {
  granted: (account) => lane.touch(account),
  recall: (account) => lane.recall(account),
  returned: (account) => lane.cameBack(account),
});
setInterval(() => lane.tick(), tickEveryMs);
let next = 0;

process.on('message', async ({ callers, seconds }: { callers: number; seconds: number }) => {
  const untilMs = performance.now() + seconds * 1_000;
  const counts = await Promise.all(Array.from({ length: callers }, () => callUntil(untilMs)));
  process.send?.({ calls: counts.reduce((sum, count) => sum + count, 0) });
});
process.once('SIGTERM', async () => {
  await lane.drain();
  process.exit(0);
});
process.send?.({ ready: true });

/** One caller after the other's answer: hold, settle, delivered. */
async function callUntil(untilMs: number): Promise<number> {
  let calls = 0;
  for (; performance.now() < untilMs; calls++) {
    next = (next + 1) % accounts.length;
    const account = accounts[next] ?? '';
    const callId = uuidv7(clock());
    const held = await lane.hold({ callId, account, plans: ['credit'], price, units, key: null });
    if (held.kind !== 'held') throw new Error(`not held: ${held.kind}`);
    const outcome = { units, status: 200, service: 'lists', operation: 'POST /v1/small' };
    const settled = await lane.settle(held.hold, outcome);
    if (settled.kind !== 'settled') throw new Error('not settled');
    lane.delivered(settled.seq);
  }
  return calls;
}
