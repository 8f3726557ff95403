import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { connectionSlots } from '../../src/adapters/connection-slots.ts';
import { emailStore } from '../../src/adapters/email-store.ts';
import * as VerificationStatus from '../../src/emails/verification-status.ts';
import * as Worker from '../../src/emails/worker.ts';
import * as PeopleService from '../support/people-service.ts';
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
    await open({ 'jane@acme.test': PeopleService.startMs - 29 * dayMs }, () => ({
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
    await open({ 'jane@acme.test': PeopleService.startMs - 29 * dayMs }, () => noSuchUser);
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

  it('asks a server for ten addresses in one conversation, on two connections at once, with pauses in between', async () => {
    await open({ ...many(60, 'acme.test'), ...many(60, 'other.test') });
    const startMs = world.clock.nowMs;
    const counters = await world.verify();
    expect([...(await states())]).toEqual([{ state: 'verified', count: 120 }]);
    expect(counters).toMatchObject({ conversations: 12, troubled: 0, late: 0 });
    expect(counters.waits).toBeGreaterThan(0);
    expect(server.connections()).toBe(12);
    expect(server.mostAtOnce()).toBeLessThanOrEqual(2);
    // Twelve sessions on two slots: five pauses of five seconds on each slot.
    expect(world.clock.nowMs - startMs).toBeGreaterThanOrEqual(25_000);
    expect(new Set(asked()).size).toBe(120);
    expect(asked()).toHaveLength(120);
  });
});

describe('two workers', () => {
  it('never test an address both, nor open more connections together than one may', async () => {
    await open({ ...many(60, 'acme.test'), ...many(60, 'other.test') });
    await Promise.all([world.verify(), world.verify(), world.verify()]);
    expect([...(await states())]).toEqual([{ state: 'verified', count: 120 }]);
    expect(new Set(asked()).size).toBe(120);
    expect(asked()).toHaveLength(120);
    expect(server.mostAtOnce()).toBeLessThanOrEqual(2);
  });

  it('never claim an address both, however often they try', async () => {
    await open(many(300, 'acme.test'));
    const store = emailStore(world.sql);
    const { nowMs } = world.clock;
    await store.sync(nowMs);
    const claims = await Promise.all(
      Array.from({ length: 12 }, () => store.claim(40, nowMs, nowMs + minuteMs)),
    );
    const claimed = claims.flat().map(({ email }) => email);
    expect(new Set(claimed).size).toBe(claimed.length);
    for (let last = claimed.length; last > 0; ) {
      const more = await store.claim(40, nowMs, nowMs + minuteMs);
      claimed.push(...more.map(({ email }) => email));
      last = more.length;
    }
    expect(new Set(claimed).size).toBe(300);
    expect(claimed).toHaveLength(300);
  });
});

describe('a worker that is killed', () => {
  beforeEach(() => open({ 'jane@acme.test': PeopleService.startMs - 31 * dayMs }));

  it('loses nothing: its claim runs out, and what it says after that counts for nothing', async () => {
    const store = emailStore(world.sql);
    const { nowMs } = world.clock;
    await store.sync(nowMs);
    const [lost] = await store.claim(10, nowMs, nowMs + 15 * minuteMs);
    await world.verify();
    expect(asked()).toEqual([]);
    world.clock.nowMs += 15 * minuteMs;
    await world.verify();
    expect(await world.known('jane@acme.test')).toMatchObject({ state: 'verified' });
    if (!lost) throw new Error('nothing was claimed');
    const status = VerificationStatus.after(
      lost.before,
      lost.email,
      { kind: 'conclusive', state: 'invalid', reason: 'late' },
      nowMs,
    );
    expect(await store.keep([{ email: lost.email, claim: lost.claim, status }])).toBe(1);
    expect(await world.known('jane@acme.test')).toMatchObject({ state: 'verified' });
  });

  it('holds its line for no longer than its lease, and gives back none that is somebody else’s', async () => {
    const slots = connectionSlots(world.sql);
    const held = await slots.take('acme.test', 1, 0, 1_000);
    if (!held) throw new Error('no line');
    expect(await slots.take('acme.test', 1, 999, 2_000)).toBeNull();
    expect(await slots.take('acme.test', 1, 1_000, 2_000)).toMatchObject({ number: 1 });
    await slots.release(held, { ms: 1, isTroubled: false }, 1_001);
    expect(await slots.take('acme.test', 1, 1_500, 3_000)).toBeNull();
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
    open({ 'jane@acme.test': null, 'john@acme.test': null, 'ada@sample.example': PeopleService.startMs }),
  );

  /** Loads a new data-set version with the given addresses and verification times. */
  async function load(version: number, emails: MailWorld.Emails): Promise<void> {
    const { sql, clock } = world;
    await sql.unsafe(
      `create table direct.email_${version} partition of direct.email for values in (${version})`,
    );
    for (const [email, ms] of Object.entries(emails)) {
      await sql`
        insert into direct.email (version, person_id, email, email_domain, job_order, verified_at)
        values (${version}, 1, ${email}, 'acme.test', 1, ${ms === null ? null : new Date(ms)})`;
    }
    await sql`update direct.data_set_version set live = false`;
    await sql`
      insert into direct.data_set_version (version, digests, counts, loaded_at, live)
      values (${version}, '{}', '{}', ${new Date(clock.nowMs)}, true)`;
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

  it('is believed where it knows better than the last test, but never against a refusal of ours', async () => {
    await world.verify();
    const testedMs = world.clock.nowMs;
    await world.sql`update direct.address set state = 'unknown', reason = 'timeout'`;
    await world.sql`
      update direct.address set state = 'catch_all', reason = 'accepts_everybody' where email = 'john@acme.test'`;
    world.clock.nowMs += 5 * dayMs;
    await load(2, { 'jane@acme.test': testedMs + dayMs, 'john@acme.test': testedMs + dayMs });
    await emailStore(world.sql).sync(world.clock.nowMs);
    expect(await world.known('jane@acme.test')).toMatchObject({ state: 'verified', reason: 'imported' });
    expect(await world.known('john@acme.test')).toMatchObject({ state: 'catch_all' });
    await world.sql`update direct.email set verified_at = ${new Date(testedMs + dayMs)} where version = 1`;
    expect(await world.isTold('john@acme.test')).toBe(false);
    expect(await world.isTold('jane@acme.test')).toBe(true);
    await world.verify();
    expect(await world.known('john@acme.test')).toMatchObject({ state: 'verified', reason: 'accepted' });
  });

  it('of examples is never tested: there is nobody to ask', async () => {
    await world.verify();
    expect(await world.known('ada@sample.example')).toBeUndefined();
    expect(await world.isTold('ada@sample.example')).toBe(true);
    expect(world.dns.asked.filter((line) => line.includes('example'))).toEqual([]);
  });
});
