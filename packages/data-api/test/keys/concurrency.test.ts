import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import * as Key from '../../src/keys/key.ts';
import * as PeopleService from '../support/people-service.ts';

const program = fileURLToPath(new URL('fixtures/process.ts', import.meta.url));
const person = { person_network_url: 'https://www.network.example/in/marta' };
const nobody = { person_network_url: 'https://www.network.example/in/nobody' };

let service: PeopleService.PeopleService;
let children: ChildProcess[];
let urls: string[];
beforeAll(async () => {
  service = await PeopleService.start([{ slug: 'marta' }]);
  children = [0, 1].map(() => fork(program, [service.databaseUrl], { execArgv: [] }));
  urls = await Promise.all(children.map(async (child) => String((await once(child, 'message'))[0])));
});
afterAll(async () => {
  for (const child of children) child.disconnect();
  await service.close();
});

type Seen = { status: number; used: number; remaining: number };

/** Sends a call, alternating between the two processes by `turn`. */
async function call(turn: number, secret: string, body: object): Promise<Seen> {
  const response = await fetch(`${urls[turn % 2]}/v2/enrichment/person`, {
    method: 'POST',
    headers: { 'x-api-key': secret, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const { fair_usage: usage } = (await response.json()) as {
    fair_usage?: { records_used: number; records_remaining: number };
  };
  return {
    status: response.status,
    used: usage?.records_used ?? 0,
    remaining: usage?.records_remaining ?? -1,
  };
}

const plan = (recordsPerMonth: number) => ({ name: 'Test', requestsPerSecond: 100_000, recordsPerMonth });

async function idOf(secret: string): Promise<string> {
  return (await service.keyInfo(secret)).body.id;
}
async function rotate(secret: string, overlapSeconds: number): Promise<string> {
  const path = `/admin/keys/${await idOf(secret)}/rotate`;
  return (await service.admin('POST', path, { overlap_seconds: overlapSeconds })).body.secret;
}
const count = (seen: readonly Seen[], status: number) => seen.filter((one) => one.status === status).length;

it('uses an allowance to its last record and no further, over two processes, while the key is rotated', async () => {
  const first = await service.issue(plan(97));
  const early = Array.from({ length: 80 }, (_, turn) => call(turn, first, turn % 4 === 0 ? nobody : person));
  const second = await rotate(first, 3_600);
  const late = Array.from({ length: 80 }, (_, turn) =>
    call(turn, turn % 2 === 0 ? first : second, turn % 4 === 1 ? nobody : person),
  );
  const seen = await Promise.all([...early, ...late]);
  expect(count(seen, 200) + count(seen, 402)).toBe(160);
  const used = seen.reduce((sum, one) => sum + one.used, 0);
  // A call without a result reserves a record briefly, so a concurrent call can be refused. The usage is exact anyway.
  expect(used).toBeLessThanOrEqual(97);
  const { body } = await service.keyInfo(second);
  expect(body.records_remaining).toBe(97 - used);
  const rest = [];
  for (let turn = 0; turn < body.records_remaining + 1; turn++) rest.push(await call(turn, second, person));
  expect([count(rest, 200), count(rest, 402)]).toEqual([body.records_remaining, 1]);
  expect((await service.keyInfo(first)).body.records_remaining).toBe(0);
});

it('never shows a balance that was not there, down to the last record', async () => {
  const secret = await service.issue(plan(60));
  const seen = await Promise.all(Array.from({ length: 90 }, (_, turn) => call(turn, secret, person)));
  expect([count(seen, 200), count(seen, 402)]).toEqual([60, 30]);
  const answered = seen.filter((one) => one.status === 200);
  for (const one of answered) {
    expect(one.remaining).toBeGreaterThanOrEqual(0);
    expect(one.remaining).toBeLessThan(60);
  }
  expect(Math.min(...answered.map((one) => one.remaining))).toBe(0);
});

it('lets a secret that has ended use nothing more, in either process', async () => {
  const first = await service.issue(plan(500));
  const calls = Array.from({ length: 40 }, (_, turn) => call(turn, first, person));
  const second = await rotate(first, 0);
  const after = await Promise.all(Array.from({ length: 20 }, (_, turn) => call(turn, first, person)));
  expect(count(after, 401)).toBe(20);
  const seen = await Promise.all(calls);
  expect(count(seen, 200) + count(seen, 401)).toBe(40);
  expect((await service.keyInfo(second)).body.records_remaining).toBe(500 - count(seen, 200));
});

it('keeps calls under way out of the balance of the plan that follows', async () => {
  const secret = await service.issue(plan(50));
  const id = await idOf(secret);
  const calls = Array.from({ length: 40 }, (_, turn) => call(turn, secret, turn % 2 === 0 ? nobody : person));
  const wide = { plan: { name: 'Wide', requests_per_second: 10_000, records_per_month: 1_000 } };
  await service.admin('PATCH', `/admin/keys/${id}`, wide);
  await Promise.all(calls);
  const [row] = await service.sql<{ remaining: number; used: number }[]>`
    select records_remaining as remaining,
           (select coalesce(sum(used), 0) from direct.usage u where u.key_id = k.id and u.period = k.period)::int as used
    from direct.api_key k where id = ${id}`;
  expect(row?.remaining).toBe(1_000 - (row?.used ?? -1));
});

it('renews an unlimited key never and counts what it uses', async () => {
  const secret = await service.issue({ name: 'Whole', requestsPerSecond: 100_000, recordsPerMonth: null });
  const seen = await Promise.all(Array.from({ length: 30 }, (_, turn) => call(turn, secret, person)));
  expect(count(seen, 200)).toBe(30);
  const [row] = await service.sql<{ used: number }[]>`
    select sum(used)::int as used from direct.usage where key_id = ${await idOf(secret)}`;
  expect(row?.used).toBe(30);
  const found = await service.sql`select 1 from direct.api_secret where digest = ${Key.digest(secret)}`;
  expect(found).toHaveLength(1);
});
