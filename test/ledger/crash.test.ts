import { sha256Hex } from '@sluice/kernel/digest';
import { id, uuidv7 } from '@sluice/kernel/id';
import { ofMicro } from '@sluice/kernel/money';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { openIdempotencyKeys } from '../../src/adapters/postgres/idempotency-keys.ts';
import type { Hold } from '../../src/ledger/hold.ts';
import type { IdempotencyClaim, IdempotencyKey } from '../../src/ledger/idempotency-key.ts';
import { LedgerInconsistent, type LedgerStore } from '../../src/ledger/ledger-store.ts';
import type { Usage } from '../../src/ledger/usage.ts';
import { unguarded } from '../support/unguarded.ts';
import { type OpenLedgerStore, openLedgerStore } from './open-ledger-store.ts';
import { type OpenWriter, openWriter } from './open-writer.ts';

let real: OpenLedgerStore;
const writers: OpenWriter[] = [];
let nowMs = Date.now();

beforeAll(async () => {
  real = await openLedgerStore();
});
afterEach(async () => {
  expect(await real.prove()).toEqual([]);
  for (const { end } of writers.splice(0)) await end();
});
afterAll(() => real.end());

/** Opens a writer and an account with a dollar. */
async function open(
  meddle?: (books: LedgerStore) => LedgerStore,
): Promise<{ process: OpenWriter; account: string }> {
  const process = await openWriter(real.url, id('writer'), () => nowMs, meddle);
  writers.push(process);
  const account = id('acc');
  await real.grant({ account, asset: 'usd', kind: 'grant', plan: 'p', amount: 1_000_000, expiresMs: null });
  return { process, account };
}

async function hold({ writer }: OpenWriter, account: string, units: number): Promise<Hold> {
  const answer = await writer.hold({
    callId: uuidv7(Date.now()),
    account,
    plans: ['p'],
    price: ofMicro(1_000),
    units,
  });
  if (answer.kind !== 'held') throw new Error(answer.kind);
  return answer.hold;
}

const outcome = (units: number) => ({ units, status: 200, service: 's', operation: 'o' });

/** Moves time by a quarter of a second, so that the checkpoint reports the delivered responses. */
async function checkpoint({ writer }: OpenWriter, account: string): Promise<void> {
  nowMs += 250;
  writer.tick();
  // This lease request is sent with the checkpoint or after it.
  await writer
    .hold({ callId: uuidv7(Date.now()), account, plans: ['p'], price: ofMicro(1_000), units: 900 })
    .then((answer) => {
      if (answer.kind === 'held') writer.release(answer.hold);
    });
}

async function balance(account: string): Promise<number> {
  return (await real.statement(account)).reduce((sum, { remaining }) => sum + remaining, 0);
}

async function leased(account: string): Promise<number> {
  const [row] = await real.sql<
    [{ sum: number }]
  >`SELECT coalesce(sum(amount), 0)::bigint AS sum FROM ledger.lease WHERE account_id = ${account}`;
  return row.sum;
}

test('dies after the hold: nothing is charged, and the lease comes back with the reaper', async () => {
  const { process, account } = await open();
  await hold(process, account, 100);
  // The lease covers the call's worst case and some headroom, up to the writer's share.
  expect(await leased(account)).toBeGreaterThanOrEqual(100_000);
  await real.sql`SELECT ledger.reap_silent('0 seconds')`;
  expect([await balance(account), await leased(account)]).toEqual([1_000_000, 0]);
});

test('dies after the upstream answered, before the commit: nothing is charged', async () => {
  const { process, account } = await open((books) => ({
    ...books,
    batch: async (batch) => (batch.usage.length > 0 ? new Promise(() => {}) : books.batch(batch)),
  }));
  void process.writer.settle(await hold(process, account, 100), outcome(60));
  await process.kill();
  expect([await balance(account), await leased(account)]).toEqual([1_000_000, 0]);
});

test('dies with the answer charged and not sent: it is given back, on the record', async () => {
  const { process, account } = await open();
  expect(await process.writer.settle(await hold(process, account, 100), outcome(60))).toMatchObject({
    kind: 'settled',
    cost: 60_000,
  });
  expect(await balance(account)).toBe(940_000);
  await process.kill();
  expect(await balance(account)).toBe(1_000_000);
  const posted =
    await real.sql`SELECT amount FROM ledger.posting WHERE account_id = ${account} AND kind = 'undelivered'`;
  expect(posted.map(({ amount }) => amount)).toEqual([60_000]);
  await process.kill();
  expect(await balance(account)).toBe(1_000_000);
});

/** Starts a call with an idempotency key. */
async function draw(
  { writer }: OpenWriter,
  account: string,
  key: string,
): Promise<{ drawn: IdempotencyClaim; idempotencyKey: IdempotencyKey }> {
  const idempotencyKey = {
    account,
    key: sha256Hex(key),
    request: sha256Hex('r'),
    callId: uuidv7(Date.now()),
    ...writer.writer,
  };
  return { drawn: await real.idempotencyKeys.claim(idempotencyKey), idempotencyKey };
}

async function settleKeyed(
  process: OpenWriter,
  account: string,
  idempotencyKey: IdempotencyKey,
  body: Buffer | null,
): Promise<string> {
  const request = { callId: idempotencyKey.callId, account, plans: ['p'], price: ofMicro(1_000), units: 100 };
  const held = await process.writer.hold(request);
  if (held.kind !== 'held') throw new Error(held.kind);
  const settled = await process.writer.settle(held.hold, outcome(60), {
    key: idempotencyKey.key,
    headers: ['a', 'b'],
    body,
  });
  return settled.kind;
}

test('dies with the answer charged, kept under its key and not sent: it stays charged, and is given again', async () => {
  const { process, account } = await open();
  const { idempotencyKey } = await draw(process, account, 'k');
  const body = Buffer.from([0, 1, 255]);
  expect(await settleKeyed(process, account, idempotencyKey, body)).toBe('settled');
  await process.kill();
  await real.books.undeliver([idempotencyKey.callId]);
  expect(await balance(account)).toBe(940_000);
  const again = { callId: idempotencyKey.callId, status: 200, headers: ['a', 'b'], body };
  for (let i = 0; i < 2; i++)
    expect((await draw(process, account, 'k')).drawn).toEqual({ kind: 'kept', response: again });
});

test('dies with the answer charged, too large to be kept and not sent: it is given back, and its key is free', async () => {
  const { process, account } = await open();
  const { idempotencyKey } = await draw(process, account, 'k');
  expect(await settleKeyed(process, account, idempotencyKey, null)).toBe('settled');
  expect((await draw(process, account, 'k')).drawn).toMatchObject({ kind: 'kept', response: { body: null } });
  await process.kill();
  expect(await balance(account)).toBe(1_000_000);
  const second = await draw(process, account, 'k');
  expect(second.drawn).toEqual({ kind: 'taken', keepsBody: true });
  expect(await settleKeyed(process, account, second.idempotencyKey, null)).toBe('settled');
});

test('dies as it serves a key: nobody gets it while the writer lives, and then whoever asks', async () => {
  const { process, account } = await open();
  const other = await openWriter(real.url, id('writer'), () => nowMs);
  writers.push(other);
  await draw(process, account, 'k');
  expect((await draw(other, account, 'k')).drawn).toEqual({ kind: 'in_flight' });
  await real.sql`SELECT ledger.reap(${process.name})`;
  const { drawn, idempotencyKey } = await draw(other, account, 'k');
  expect(drawn.kind).toBe('taken');
  // The resumed process does not get the key back.
  expect((await draw(process, account, 'k')).drawn).toEqual({ kind: 'in_flight' });
  expect(await settleKeyed(other, account, idempotencyKey, Buffer.alloc(1))).toBe('settled');
});

test('what an account may do under keys in a day is bounded', async () => {
  const { process, account } = await open();
  const tight = openIdempotencyKeys(real.sql, { life: '24 hours', idempotencyKeysMax: 2, bytesMax: 5 });
  const take = async (key: string) => {
    const idempotencyKey = {
      account,
      key: sha256Hex(key),
      request: sha256Hex('r'),
      callId: uuidv7(Date.now()),
      ...process.writer.writer,
    };
    return { idempotencyKey, drawn: await tight.claim(idempotencyKey) };
  };
  const first = await take('1');
  expect(first.drawn).toEqual({ kind: 'taken', keepsBody: true });
  await settleKeyed(process, account, first.idempotencyKey, Buffer.alloc(5));
  const second = await take('2');
  expect(second.drawn).toEqual({ kind: 'taken', keepsBody: false });
  expect((await take('3')).drawn).toEqual({ kind: 'too_many' });
  expect((await take('1')).drawn.kind).toBe('kept');
  // The refused key left no row.
  expect((await draw(process, account, '3')).drawn.kind).toBe('taken');
});

test('what is too old to count is forgotten, and its days are dropped', async () => {
  const { process, account } = await open();
  const { idempotencyKey } = await draw(process, account, 'k');
  await settleKeyed(process, account, idempotencyKey, Buffer.alloc(1));
  await real.sql`UPDATE ledger.idempotency_key SET taken_at = taken_at - interval '25 hours' WHERE account_id = ${account}`;
  expect((await draw(process, account, 'k')).drawn.kind).toBe('taken');
  await real.sql`UPDATE ledger.idempotency_key SET taken_at = taken_at - interval '25 hours' WHERE account_id = ${account}`;
  const old = new Date(Date.now() - 3 * 86_400_000).toISOString().slice(0, 10);
  await real.sql.unsafe(`CREATE TABLE ledger.stored_response_${old.replaceAll('-', '')} PARTITION OF ledger.stored_response
    FOR VALUES FROM (ledger.uuid_at('${old}T00:00Z')) TO (ledger.uuid_at('${old}T23:00Z'))`);
  const [row] = await real.sql`SELECT ledger.prune_idempotency_keys('24 hours', 10) AS count`;
  expect(row?.count).toBe(1);
  const left =
    await real.sql`SELECT relname FROM pg_class WHERE relname LIKE 'stored_response_2%' AND relkind = 'r' ORDER BY 1`;
  expect(left.length).toBe(8);
  expect((await draw(process, account, 'k')).drawn.kind).toBe('taken');
});

test('dies after the answer was sent and said to be: it stays charged', async () => {
  const { process, account } = await open();
  const settled = await process.writer.settle(await hold(process, account, 100), outcome(60));
  if (settled.kind === 'settled') process.writer.delivered(settled.seq);
  await checkpoint(process, account);
  await process.kill();
  expect(await balance(account)).toBe(940_000);
});

test('loses the answer of a commit: the same batch again charges once, and the call is answered', async () => {
  let lost = 0;
  const { process, account } = await open((books) => ({
    ...books,
    async batch(batch) {
      const answer = await books.batch(batch);
      if (batch.usage.length > 0 && lost++ === 0) throw new Error('cut');
      return answer;
    },
  }));
  const settled = process.writer.settle(await hold(process, account, 100), outcome(60));
  while (process.events.every(({ kind }) => kind !== 'ledger_unreachable')) await new Promise(setImmediate);
  process.writer.tick();
  expect(await settled).toMatchObject({ kind: 'settled', cost: 60_000 });
  expect(lost).toBe(2);
  expect(await balance(account)).toBe(940_000);
});

test('is paused past its lease and wakes: the call is refused and not charged, and the next one is served', async () => {
  const { process, account } = await open();
  const held = await hold(process, account, 100);
  await real.sql`SELECT ledger.reap_silent('0 seconds')`;
  expect(await process.writer.settle(held, outcome(60))).toMatchObject({ kind: 'refused' });
  while (!process.writer.ready) await new Promise(setImmediate);
  expect(await balance(account)).toBe(1_000_000);
  expect(await process.writer.settle(await hold(process, account, 10), outcome(10))).toMatchObject({
    kind: 'settled',
  });
});

test('sells more than it has leased: the books stop it, and charge nothing', async () => {
  const { process, account } = await open();
  const { books } = real;
  await hold(process, account, 100);
  const [row] =
    await real.sql`SELECT epoch, (SELECT max(seq) FROM ledger.batch b WHERE b.writer_id = l.id AND b.epoch = l.epoch) AS seq FROM ledger.writer l WHERE id = ${process.name}`;
  const [lot] = await real.statement(account);
  const call = {
    callId: uuidv7(Date.now()),
    draw: 0,
    account,
    lot: lot?.lot ?? 0,
    plan: 'p',
    service: 's',
    operation: 'o',
    status: 200,
    key: null,
  };
  const usage: Usage[] = [{ ...call, units: 501, price: 1_000, amount: 501_000 }];
  const batch = {
    writer: process.name,
    epoch: row?.epoch,
    seq: row?.seq + 1,
    deliveredSeq: 0,
    checkpoint: true,
    usage,
    storedResponses: [],
    returns: [],
    wants: [],
  };
  await expect(books.batch(batch)).rejects.toThrow(LedgerInconsistent);
  expect(await balance(account)).toBe(1_000_000);
});

test('loses a batch that it was told of, as a standby might: it stops instead of going on', async () => {
  const { process, account } = await open();
  await process.writer.settle(await hold(process, account, 100), outcome(60));
  // The writer may find the loss by its next heartbeat, and places no hold from then on.
  const held = await hold(process, account, 40);
  await unguarded(real.sql, async (sql) => {
    await sql`DELETE FROM ledger.batch WHERE writer_id = ${process.name}`;
    await sql`DELETE FROM ledger.usage WHERE writer_id = ${process.name}`;
  });
  expect(await process.writer.settle(held, outcome(40))).toMatchObject({ kind: 'refused' });
  expect(process.events.map(({ kind }) => kind)).toContain('ledger_inconsistent');
});

test('books a call once, though a second batch brings it again', async () => {
  const { process, account } = await open();
  const held = await hold(process, account, 100);
  await process.writer.settle(held, outcome(60));
  const [lot] = await real.statement(account);
  const [row] =
    await real.sql`SELECT epoch, (SELECT max(seq) FROM ledger.batch b WHERE b.writer_id = l.id AND b.epoch = l.epoch) AS seq FROM ledger.writer l WHERE id = ${process.name}`;
  const call = {
    callId: held.callId,
    draw: 0,
    account,
    lot: lot?.lot ?? 0,
    plan: 'p',
    service: 's',
    operation: 'o',
    status: 200,
    key: null,
  };
  const usage: Usage[] = [{ ...call, units: 60, price: 1_000, amount: 60_000 }];
  const batch = {
    writer: process.name,
    epoch: row?.epoch,
    seq: row?.seq + 1,
    deliveredSeq: 0,
    checkpoint: true,
    usage,
    storedResponses: [],
    returns: [],
    wants: [],
  };
  expect(await real.books.batch(batch)).toEqual({ state: 'ok' });
  expect(await balance(account)).toBe(940_000);
});
