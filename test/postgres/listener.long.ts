import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import postgres from 'postgres';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import * as Connection from '../../src/adapters/postgres/connection.ts';
import { Listener } from '../../src/adapters/postgres/listener.ts';
import * as ReplicaPair from '../support/replica-pair.ts';
import * as TcpRelay from '../support/tcp-relay.ts';

/** Longer than any step on a busy machine. */
const timeout = 20_000;
let pair: ReplicaPair.ReplicaPair;
let front: TcpRelay.TcpRelay;
let admin: postgres.Sql;
let listener: Listener;
let heard: string[] = [];
let beginnings = 0;
let arrivals = 0;

describe.runIf(ReplicaPair.isInstalled)('the connection that receives notifications', () => {
  beforeAll(async () => {
    pair = await ReplicaPair.open();
    front = await TcpRelay.open(port(pair.url));
    admin = postgres(pair.url, { max: 1, onnotice: () => {} });
    listener = new Listener(`postgres://postgres@127.0.0.1:${front.port}/postgres`);
    await listener.listen('one', (payload) => heard.push(`one ${payload}`));
    await listener.listen(
      'two',
      (payload) => heard.push(`two ${payload}`),
      () => {
        beginnings += 1;
      },
    );
  });
  beforeEach(() => {
    heard = [];
    beginnings = 0;
  });
  afterAll(async () => {
    await listener?.end();
    await admin?.end({ timeout: 1 });
    await front?.close();
    await pair?.close();
  });

  test('listens to all channels again after it was closed', async () => {
    await admin`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'sluice listener'`;
    await arrives();
    expect(beginnings).toBe(1);
  });

  test('is replaced when it stays open and a notification of its own process does not arrive', async () => {
    front.silence('sluice listener');
    await admin`SELECT pg_notify('one', 'lost')`;
    await whileExpecting(arrives);
    expect(heard).not.toContain('one lost');
    expect(beginnings).toBe(1);
  });

  test('listens to a further channel although it is replaced meanwhile', async () => {
    front.silence('sluice listener');
    await whileExpecting(() => listener.listen('three', (payload) => heard.push(`three ${payload}`)));
    await admin`SELECT pg_notify('three', 'here')`;
    await expect.poll(() => heard, { timeout }).toContain('three here');
    await arrives();
  });

  test('of several hosts, none of which is the primary, is not opened all the time by those that wait for one', async () => {
    let opened = 0;
    const standby = createServer((near) => {
      opened += 1;
      const far = connect(port(pair.standbyUrl), '127.0.0.1');
      near.on('error', () => undefined).pipe(far);
      far.on('error', () => undefined).pipe(near);
    }).listen(0, '127.0.0.1');
    await once(standby, 'listening');
    const host = `127.0.0.1:${(standby.address() as AddressInfo).port}`;
    const sql = Connection.openConnection(`postgres://postgres@${host},${host}/postgres`, 5);
    const answers = await Promise.allSettled(Array.from({ length: 5 }, () => sql`SELECT 1`));
    expect(answers.map(({ status }) => status)).toEqual(Array(5).fill('rejected'));
    // Five connections over the three seconds of a statement, each at most four times a second.
    expect(opened).toBeGreaterThan(5);
    expect(opened).toBeLessThan(90);
    await sql.end({ timeout: 0 });
    standby.close();
  });

  test('listens to a new primary although that refused it before its promotion', async () => {
    front.target = port(pair.standbyUrl);
    front.heal();
    const standby = postgres(pair.standbyUrl, { max: 1, onnotice: () => {} });
    const refused = async () => {
      const rows = await standby`SELECT calls FROM (SELECT count(*)::integer AS calls FROM pg_stat_activity
        WHERE application_name = 'sluice listener') a WHERE calls > 0`;
      return rows.length;
    };
    await expect.poll(refused, { timeout, interval: 5 }).toBe(1);
    await admin.end({ timeout: 0 });
    admin = standby;
    await pair.failOver();
    await arrives();
    expect(beginnings).toBe(1);
  });
});

/** Expects notifications again and again until `step` is done: one of the test before may still arrive, and end an expectation. */
async function whileExpecting(step: () => Promise<void>): Promise<void> {
  const expecting = setInterval(() => listener.expect(), 50);
  await step().finally(() => clearInterval(expecting));
}

/** Waits until both channels deliver. The payload is new each time: notifications of the test before may still arrive. */
async function arrives(): Promise<void> {
  const payload = `here ${++arrivals}`;
  const both = async () => {
    await admin`SELECT pg_notify('one', ${payload}), pg_notify('two', ${payload})`;
    return heard;
  };
  await expect.poll(both, { timeout }).toEqual(expect.arrayContaining([`one ${payload}`, `two ${payload}`]));
}

function port(url: string): number {
  return Number(new URL(url).port);
}
