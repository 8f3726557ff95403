import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { addressBook } from '../../../src/direct/adapters/address-book.ts';
import { mailLines } from '../../../src/direct/adapters/mail-lines.ts';
import * as Standing from '../../../src/direct/emails/standing.ts';
import * as Worker from '../../../src/direct/emails/worker.ts';
import * as Desk from '../desk.ts';
import type { MailServer } from './mail-server.ts';
import * as MailWorld from './mail-world.ts';

const dayMs = 86_400_000;
const minuteMs = 60_000;
const noSuchUser = { code: 550, text: '5.1.1 no such user' };
const ours = (address: string) => (address.startsWith('nobody_') ? noSuchUser : null);
const many = (count: number, domain: string) =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`p${at}@${domain}`, null]));
const names = {
  'acme.test': { mx: [[10, 'mx.acme.test'] as const] },
  'other.test': { mx: [[10, 'mx.acme.test'] as const] },
  'mx.acme.test': { a: ['127.0.3.1'] },
};

let world: MailWorld.MailWorld;
let server: MailServer;
afterEach(() => world.close());

async function open(emails: MailWorld.Emails, recipients = ours) {
  world = await MailWorld.open(emails, names);
  server = await world.ordinary('127.0.3.1', recipients);
}
const asked = () => server.said.filter((line) => line.startsWith('RCPT TO:<') && !line.includes('nobody_'));
const states = () =>
  world.sql`select state, count(*) as count from direct.address group by state order by state`;
const never = new AbortController().signal;

describe('a server that greylists', () => {
  it('is tried again after ten minutes, and the address told once it is accepted', async () => {
    let isKnown = false;
    await open({ 'jane@acme.test': null }, (address) =>
      isKnown ? ours(address) : { code: 451, text: '4.7.1 greylisted' },
    );
    await world.verify();
    await world.verify();
    expect(asked()).toHaveLength(1);
    expect(await world.known('jane@acme.test')).toMatchObject({
      state: 'unknown',
      attempts: 1,
      trouble: 'greylisted',
    });
    isKnown = true;
    world.clock.nowMs += 10 * minuteMs;
    await world.verify();
    expect(await world.known('jane@acme.test')).toEqual({
      state: 'verified',
      reason: 'accepted',
      attempts: 0,
      trouble: null,
    });
    expect(await world.isTold('jane@acme.test')).toBe(true);
  });

  it('whoever asks for whomever is believed as soon as it has heard of both', async () => {
    const heard = new Set<string>();
    await open({ 'jane@acme.test': null, 'john@acme.test': null }, (address) => {
      if (heard.has(address)) return address.startsWith('jane') ? null : noSuchUser;
      heard.add(address);
      return { code: 450, text: '4.2.0 greylisted, see the manual' };
    });
    await world.verify();
    world.clock.nowMs += 10 * minuteMs;
    await world.verify();
    expect(await world.known('jane@acme.test')).toMatchObject({ state: 'verified' });
    expect(await world.known('john@acme.test')).toMatchObject({ state: 'invalid' });
  });

  it('for two days takes nothing back meanwhile, and everything after that', async () => {
    await open({ 'jane@acme.test': Desk.startMs - 29 * dayMs }, () => ({
      code: 451,
      text: '4.7.1 greylisted',
    }));
    await world.verify();
    expect(await world.isTold('jane@acme.test')).toBe(true);
    for (let tries = 1; tries < 7; tries++) {
      expect(await world.known('jane@acme.test')).toMatchObject({ state: 'verified', attempts: tries });
      const [row] = await world.sql`select due_at from direct.address`;
      world.clock.nowMs = row?.due_at.getTime();
      await world.verify();
    }
    expect(asked()).toHaveLength(7);
    expect(await world.known('jane@acme.test')).toMatchObject({ state: 'unknown', reason: 'greylisted' });
    expect(await world.isTold('jane@acme.test')).toBe(false);
  });
});

describe('a test', () => {
  it('that a server refuses takes back what the owner of the data said', async () => {
    await open({ 'jane@acme.test': Desk.startMs - 29 * dayMs }, () => noSuchUser);
    expect(await world.isTold('jane@acme.test')).toBe(true);
    await world.sql`update direct.address set due_at = ${new Date(world.clock.nowMs)}`;
    world.clock.nowMs += dayMs / 2;
    await world.verify();
    await world.sql`update direct.address set due_at = ${new Date(world.clock.nowMs)}`;
    await world.verify();
    expect(await world.known('jane@acme.test')).toMatchObject({ state: 'invalid' });
    expect(await world.isTold('jane@acme.test')).toBe(false);
  });

  it('keeps an address told for thirty days to the moment, and not without the next one', async () => {
    await open({ 'jane@acme.test': null });
    await world.verify();
    const testedMs = world.clock.nowMs;
    world.clock.nowMs = testedMs + 30 * dayMs;
    expect(await world.isTold('jane@acme.test')).toBe(true);
    world.clock.nowMs += 1;
    expect(await world.isTold('jane@acme.test')).toBe(false);
    await world.verify();
    expect(await world.isTold('jane@acme.test')).toBe(true);
  });

  it('asks a server for ten addresses in one conversation, on two lines at once, with rests in between', async () => {
    await open({ ...many(60, 'acme.test'), ...many(60, 'other.test') });
    const startMs = world.clock.nowMs;
    const tally = await world.verify();
    expect([...(await states())]).toEqual([{ state: 'verified', count: 120 }]);
    expect(tally).toMatchObject({ conversations: 12, troubled: 0, late: 0 });
    expect(tally.waits).toBeGreaterThan(0);
    expect(server.connections()).toBe(12);
    expect(server.mostAtOnce()).toBeLessThanOrEqual(2);
    // Twelve conversations on two lines are five rests of five seconds on each.
    expect(world.clock.nowMs - startMs).toBeGreaterThanOrEqual(25_000);
    expect(new Set(asked()).size).toBe(120);
    expect(asked()).toHaveLength(120);
  });
});

describe('two workers', () => {
  it('never test an address both, nor have more lines together than one may have', async () => {
    await open({ ...many(60, 'acme.test'), ...many(60, 'other.test') });
    await Promise.all([world.verify(), world.verify(), world.verify()]);
    expect([...(await states())]).toEqual([{ state: 'verified', count: 120 }]);
    expect(new Set(asked()).size).toBe(120);
    expect(asked()).toHaveLength(120);
    expect(server.mostAtOnce()).toBeLessThanOrEqual(2);
  });

  it('never claim an address both, however often they try', async () => {
    await open(many(300, 'acme.test'));
    const book = addressBook(world.sql);
    const { nowMs } = world.clock;
    await book.sync(nowMs);
    const claims = await Promise.all(
      Array.from({ length: 12 }, () => book.claim(40, nowMs, nowMs + minuteMs)),
    );
    const claimed = claims.flat().map(({ email }) => email);
    expect(new Set(claimed).size).toBe(claimed.length);
    for (let last = claimed.length; last > 0; ) {
      const more = await book.claim(40, nowMs, nowMs + minuteMs);
      claimed.push(...more.map(({ email }) => email));
      last = more.length;
    }
    expect(new Set(claimed).size).toBe(300);
    expect(claimed).toHaveLength(300);
  });
});

describe('a worker that is killed', () => {
  beforeEach(() => open({ 'jane@acme.test': Desk.startMs - 31 * dayMs }));

  it('loses nothing: its claim runs out, and what it says after that counts for nothing', async () => {
    const book = addressBook(world.sql);
    const { nowMs } = world.clock;
    await book.sync(nowMs);
    const [lost] = await book.claim(10, nowMs, nowMs + 15 * minuteMs);
    await world.verify();
    expect(asked()).toEqual([]);
    world.clock.nowMs += 15 * minuteMs;
    await world.verify();
    expect(await world.known('jane@acme.test')).toMatchObject({ state: 'verified' });
    if (!lost) throw new Error('nothing was claimed');
    const standing = Standing.after(
      lost.before,
      lost.email,
      { kind: 'told', state: 'invalid', reason: 'late' },
      nowMs,
    );
    expect(await book.keep([{ email: lost.email, claim: lost.claim, standing }])).toBe(1);
    expect(await world.known('jane@acme.test')).toMatchObject({ state: 'verified' });
  });

  it('holds its line for no longer than its lease, and gives back none that is somebody else’s', async () => {
    const lines = mailLines(world.sql);
    const held = await lines.take('acme.test', 1, 0, 1_000);
    if (!held) throw new Error('no line');
    expect(await lines.take('acme.test', 1, 999, 2_000)).toBeNull();
    expect(await lines.take('acme.test', 1, 1_000, 2_000)).toMatchObject({ number: 1 });
    await lines.release(held, { ms: 1, isTroubled: false }, 1_001);
    expect(await lines.take('acme.test', 1, 1_500, 3_000)).toBeNull();
  });

  it('leaves what it was told to stop in the middle of to be tested later', async () => {
    const control = new AbortController();
    control.abort();
    await Worker.run(world.worker(), control.signal, false);
    expect(asked()).toEqual([]);
    await Worker.run(world.worker(), never, true);
    expect(asked()).toHaveLength(1);
  });
});

describe('a load', () => {
  beforeEach(() =>
    open({ 'jane@acme.test': null, 'john@acme.test': null, 'ada@sample.example': Desk.startMs }),
  );

  /** What a new generation has, with the word of its owner. */
  async function load(generation: number, emails: MailWorld.Emails): Promise<void> {
    const { sql, clock } = world;
    await sql.unsafe(
      `create table direct.email_${generation} partition of direct.email for values in (${generation})`,
    );
    for (const [email, ms] of Object.entries(emails)) {
      await sql`
        insert into direct.email (generation, person_id, email, email_domain, job_order, verified_at)
        values (${generation}, 1, ${email}, 'acme.test', 1, ${ms === null ? null : new Date(ms)})`;
    }
    await sql`update direct.generation set live = false`;
    await sql`
      insert into direct.generation (generation, digests, counts, loaded_at, live)
      values (${generation}, '{}', '{}', ${new Date(clock.nowMs)}, true)`;
  }

  it('brings addresses that are tested, takes away those that are not, and keeps what is known', async () => {
    await world.verify();
    expect(asked()).toHaveLength(2);
    await load(2, { 'jane@acme.test': null, 'new@acme.test': null });
    await world.verify();
    expect(asked().map((line) => line.slice(9, -1))).toEqual([
      'jane@acme.test',
      'john@acme.test',
      'new@acme.test',
    ]);
    world.clock.nowMs += 29 * dayMs;
    await world.verify();
    expect(asked().filter((line) => line.includes('john'))).toHaveLength(1);
    await load(3, { 'jane@acme.test': null, 'john@acme.test': null });
    await world.verify();
    expect(asked().filter((line) => line.includes('john'))).toHaveLength(2);
  });

  it('is believed where it knows better than the last test, and only there', async () => {
    await world.verify();
    const testedMs = world.clock.nowMs;
    await world.sql`update direct.address set state = 'invalid', reason = 'no_mailbox'`;
    world.clock.nowMs += 5 * dayMs;
    await load(2, { 'jane@acme.test': testedMs - 1, 'john@acme.test': testedMs + dayMs });
    await addressBook(world.sql).sync(world.clock.nowMs);
    expect(await world.known('jane@acme.test')).toMatchObject({ state: 'invalid' });
    expect(await world.known('john@acme.test')).toMatchObject({ state: 'verified', reason: 'imported' });
  });

  it('of examples is never tested: there is nobody to ask', async () => {
    await world.verify();
    expect(await world.known('ada@sample.example')).toBeUndefined();
    expect(await world.isTold('ada@sample.example')).toBe(true);
    expect(world.dns.asked.filter((line) => line.includes('example'))).toEqual([]);
  });
});
