import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import type * as Connection from '../../src/adapters/postgres/connection.ts';
import { openConnection } from '../../src/adapters/postgres/connection.ts';
import { openSellerEvents } from '../../src/adapters/postgres/events.ts';
import { checkEvents } from '../../src/cli/check/events.ts';
import * as EventsCommand from '../../src/cli/commands/events.ts';
import { openStoredSecrets, parseKey } from '../../src/identity/stored-secret.ts';
import * as EventEndpoint from '../../src/payment/event-endpoint.ts';
import { createMigrated, type Database } from '../support/database.ts';
import { deliverAll } from './deliver-all.ts';
import { openReceiver, type Receiver } from './receiver.ts';
import { keys, secretsOf } from './secrets.ts';

const newKeys = `next=${Buffer.alloc(32, 2).toString('base64')}`;
const otherOfSameId = `test=${Buffer.alloc(32, 3).toString('base64')}`;
const owner = 'event_endpoint:ep_1';

let database: Database;
let sql: Connection.Connection;
let secret: string;
let receiver: Receiver;
beforeAll(async () => {
  database = await createMigrated();
  sql = openConnection(database.url, 4);
});
afterAll(async () => {
  await sql?.end();
  await database?.drop();
});
beforeEach(async () => {
  await sql`DELETE FROM shop.event_endpoint`;
  await sql`DELETE FROM shop.event`;
  secret = EventEndpoint.newSecret();
  receiver = await openReceiver(() => [secret]);
});
afterEach(() => {
  vi.unstubAllEnvs();
  return receiver.close();
});

const eventsWith = (setting: string) => openSellerEvents(sql, secretsOf(setting));
const endpoint = () => ({ id: 'ep_1', url: receiver.url, types: null, secret });
const stored = async () => {
  const [row] = await sql<
    { secret: string; previous_secret: string | null }[]
  >`SELECT * FROM shop.event_endpoint`;
  return [row?.secret ?? '', row?.previous_secret ?? null] as const;
};
let numbers = 0;
const write = () => sql`SELECT shop.add_event('order.granted', 'acc_1', ${`n${++numbers}`}, '{}')`;

test('a stored secret is opened by its key, in its own row, and only unchanged', () => {
  const secrets = secretsOf(keys);
  const sealed = secrets.seal(secret, owner);
  expect(sealed).toMatch(/^sealed:test:/);
  expect(Buffer.from(sealed.split(':')[2] ?? '', 'base64url').toString('latin1')).not.toContain(
    secret.slice(6, 20),
  );
  expect(secrets.open(sealed, owner)).toEqual({ secret });
  expect(secretsOf(`${newKeys},${keys}`).open(sealed, owner)).toEqual({ secret });
  expect(secrets.seal(secret, owner)).toBe(sealed);
  expect(secrets.seal(secret, 'event_endpoint:ep_2')).not.toBe(sealed);
  expect(secrets.open(sealed, 'event_endpoint:ep_2')).toMatchObject({
    fault: expect.stringContaining('changed'),
  });
  expect(secretsOf(otherOfSameId).open(sealed, owner)).toMatchObject({
    fault: expect.stringContaining('"test"'),
  });
  expect(secretsOf(newKeys).open(sealed, owner)).toMatchObject({
    fault: expect.stringContaining('does not have'),
  });
  for (let at = 'sealed:test:'.length; at < sealed.length; at += 1) {
    const changed = sealed.slice(0, at) + (sealed[at] === 'A' ? 'B' : 'A') + sealed.slice(at + 1);
    // The last character of the base64 text may hold no bit of the tag.
    if (Buffer.from(changed.slice(12), 'base64url').equals(Buffer.from(sealed.slice(12), 'base64url')))
      continue;
    expect(secrets.open(changed, owner)).toHaveProperty('fault');
  }
  for (const short of ['sealed:test:', 'sealed:test:A', `sealed:test:${'A'.repeat(24)}`])
    expect(secrets.open(short, owner)).not.toEqual({ secret: '' });
});

test.each(['', 'a', 'a=', 'a=c2hvcnQ=', `=${'A'.repeat(43)}=`, `a b=${'A'.repeat(43)}=`])(
  '"%s" is no key',
  (text) => {
    expect(parseKey(text)).toBeNull();
  },
);

test('the database holds no secret in the clear, and a rotation and its repetition keep the former one for a day', async () => {
  const events = eventsWith(keys);
  await events.add(endpoint(), 'test');
  const former = secret;
  secret = EventEndpoint.newSecret();
  await Promise.all([1, 2].map(() => events.rotate('ep_1', secret, false, 'test')));
  await events.rotate('ep_1', secret, false, 'test');
  const texts = await stored();
  for (const text of texts) expect(text).toMatch(/^sealed:test:/);
  expect(texts.map((text) => secretsOf(keys).open(text ?? '', owner))).toEqual([
    { secret },
    { secret: former },
  ]);
  const dump =
    JSON.stringify(await sql`SELECT * FROM shop.event_endpoint`) +
    JSON.stringify(await sql`SELECT * FROM shop.audit`);
  for (const text of [secret, former]) expect(dump).not.toContain(text.slice(6));
  const now = EventEndpoint.newSecret();
  await events.rotate('ep_1', now, true, 'test');
  expect((await stored())[1]).toBeNull();
});

test('a secret from before there was a key is read, then encrypted once, and again by the next key', async () => {
  await sql`INSERT INTO shop.event_endpoint (id, url, secret, previous_secret, previous_until)
    VALUES ('ep_1', ${receiver.url}, ${secret}, 'whsec_b2xk', now() - interval '1 hour')`;
  await write();
  await deliverAll(sql, eventsWith(''));
  expect(receiver.received).toHaveLength(1);
  expect(await eventsWith('').reseal()).toEqual({ count: 1, unreadable: [] });
  expect(await stored()).toEqual([secret, null]);
  const runs = await Promise.all([1, 2].map(() => eventsWith(keys).reseal()));
  expect(runs.reduce((sum, { count }) => sum + count, 0)).toBe(1);
  expect(await eventsWith(keys).reseal()).toEqual({ count: 0, unreadable: [] });
  expect((await stored())[0]).toMatch(/^sealed:test:/);
  expect(await eventsWith(`${newKeys},${keys}`).reseal()).toEqual({ count: 1, unreadable: [] });
  await write();
  await deliverAll(sql, eventsWith(newKeys));
  expect(receiver.received).toHaveLength(2);
  expect(receiver.faults).toEqual([]);
});

test('with a wrong key nothing is sent to the endpoint, the others are served, and a new secret repairs it', async () => {
  await eventsWith(keys).add(endpoint(), 'test');
  const healthy = await openReceiver(() => [secret]);
  const events = eventsWith(otherOfSameId);
  await events.add({ ...endpoint(), id: 'ep_2', url: healthy.url }, 'test');
  expect(await events.reseal()).toEqual({
    count: 0,
    unreadable: [{ endpoint: 'ep_1', fault: expect.stringContaining('"test"') }],
  });
  await write();
  await deliverAll(sql, events);
  expect([receiver.signatures, healthy.received.length]).toEqual([[], 1]);
  const [event] = await events.list({}, 1);
  const delivery = (await events.find(event?.id ?? ''))?.deliveries.find((one) => one.endpoint === 'ep_1');
  expect(delivery).toMatchObject({ state: 'failed' });
  expect(delivery?.attempts.at(-1)?.fault).toContain('ENCRYPTION_KEYS');
  secret = EventEndpoint.newSecret();
  await events.rotate('ep_1', secret, false, 'test');
  await write();
  await deliverAll(sql, events);
  expect(receiver.received).toHaveLength(1);
  expect(receiver.faults).toEqual([]);
  await healthy.close();
});

test('without a key no endpoint is added, and the check names what is wrong', async () => {
  const events = openSellerEvents(sql, openStoredSecrets([]));
  await expect(events.add(endpoint(), 'test')).rejects.toThrow('ENCRYPTION_KEYS is missing');
  vi.stubEnv('DATABASE_URL', database.url);
  vi.stubEnv('ENCRYPTION_KEYS', '');
  vi.stubEnv('DATA_DIR', '/nonexistent');
  vi.spyOn(console, 'log').mockImplementation(() => {});
  const command = EventsCommand.run(['endpoints', 'add', 'https://seller.example/']);
  await expect(command).rejects.toThrow('ENCRYPTION_KEYS is missing');
  vi.restoreAllMocks();
  const check = (setting: string) => checkEvents(database.url, { ENCRYPTION_KEYS: setting });
  expect(await check('')).toEqual([]);
  await sql`INSERT INTO shop.event_endpoint (id, url, secret) VALUES ('ep_1', ${receiver.url}, ${secret})`;
  expect(await check('')).toMatchObject([{ state: 'problem', next: expect.stringContaining('openssl') }]);
  expect(await check(keys)).toMatchObject([{ state: 'not proved' }]);
  await eventsWith(keys).reseal();
  expect(await check(keys)).toMatchObject([{ state: 'ok' }]);
  expect(await check(newKeys)).toMatchObject([{ state: 'problem', says: expect.stringContaining('"test"') }]);
  expect(await check(otherOfSameId)).toMatchObject([{ state: 'problem' }]);
});
