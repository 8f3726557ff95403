import { sha256Hex } from '@sluice/kernel/digest';
import { createDatabase } from '../../../../test/support/database.ts';
import { connectionSlots } from '../../src/adapters/connection-slots.ts';
import { contacts } from '../../src/adapters/contacts.ts';
import * as DataSet from '../../src/adapters/data-set.ts';
import * as Database from '../../src/adapters/database.ts';
import { emailStore } from '../../src/adapters/email-store.ts';
import * as Migrations from '../../src/adapters/migrations.ts';
import * as Counters from '../../src/emails/counters.ts';
import type { Transport } from '../../src/emails/probe.ts';
import type { Conversation, StepResult } from '../../src/emails/smtp-session.ts';
import * as Worker from '../../src/emails/worker.ts';
import * as Contacts from '../../src/enrichment/contacts.ts';
import { email } from '../../src/entries/email.ts';
import { person } from '../../src/entries/person.ts';
import * as Read from '../../src/schema/read.ts';
import type { Schema } from '../../src/schema/schema.ts';

const dayMs = 86_400_000;
const startMs = Date.UTC(2026, 4, 14);
/** Longer than all attempts of one test, shorter than the time to the next test. */
const retriesMsMax = 1.9 * dayMs;

export type Wishes = {
  addresses: number;
  domains: number;
  days: number;
  answersADay: number;
  /** Clock step after all due addresses are done. */
  stepMs: number;
  /** Days on which no worker runs. */
  away?: (day: number) => boolean;
};
/** Events of each day, and every response that should not have been given. */
export type Story = {
  /** Number of tests (without retries) and of SMTP sessions, by day. */
  testsByDay: number[];
  conversationsByDay: number[];
  toldByDay: number[];
  answers: number;
  wrong: string[];
  /** Maximum age of the last test of any address, in days. */
  longestDays: number;
  /** Maximum number of due addresses at the end of a day. */
  backlogMax: number;
};

/**
 * Simulates `days` of a worker with fictional addresses, a real database, a simulated clock and scripted mail servers.
 * Most servers have the requested mailboxes; some do not, accept
 * every address, greylist every first attempt, lose mailboxes or get new ones, and are down for two days in a row.
 */
export async function run(wishes: Wishes): Promise<Story> {
  const { addresses, domains, days, stepMs, away = () => false } = wishes;
  const database = await createDatabase();
  const sql = Database.openPool(database.url, { connectionsMax: 8, statementTimeoutMs: 60_000 });
  try {
    await Migrations.migrate(sql);
    await fill(sql, addresses, domains);
    const world = new World();
    const clock = { nowMs: startMs };
    const around: Worker.WorkerContext = {
      settings: {
        helo: 'probe.test',
        from: 'us@probe.test',
        isScheduled: true,
        port: 25,
        dnsServers: null,
        allowsPrivate: false,
        conversationsMax: 8,
        connectionsPerOperatorMax: 10,
        restMs: 1_000,
      },
      store: emailStore(sql),
      slots: connectionSlots(sql),
      resolver: {
        mx: async (domain) => ({ kind: 'found', records: [{ exchange: `mx.${domain}`, priority: 10 }] }),
        addresses: async () => ({ kind: 'found', records: ['93.184.215.14'] }),
      },
      transport: world.transport(clock),
      clock: () => clock.nowMs,
      wait: async (ms) => {
        clock.nowMs += ms;
      },
      counters: Counters.create(),
    };
    const story: Story = {
      testsByDay: [],
      conversationsByDay: [],
      toldByDay: [],
      answers: 0,
      wrong: [],
      longestDays: 0,
      backlogMax: 0,
    };
    const signal = new AbortController().signal;
    for (let day = 0; day < days; day++) {
      const { tests, conversations } = world;
      const endMs = startMs + (day + 1) * dayMs;
      while (clock.nowMs < endMs) {
        const nextMs = clock.nowMs + stepMs;
        if (!away(day)) await Worker.run(around, signal, true);
        clock.nowMs = Math.max(clock.nowMs, nextMs);
      }
      story.testsByDay.push(world.tests - tests);
      story.conversationsByDay.push(world.conversations - conversations);
      await ask(sql, world, clock.nowMs, day, wishes, story);
      await look(sql, clock.nowMs, wishes, story);
    }
    return story;
  } finally {
    await sql.end();
    await database.drop();
  }
}

const emailOf = (at: number, domains: number) => `p${at}@d${at % domains}.test`;

/** Loads the addresses like an import. A fifth have an imported verification, some of them outdated or in the future. */
async function fill(sql: Database.Sql, addresses: number, domains: number): Promise<void> {
  const url = (at: number) => `https://www.network.example/in/p${at}`;
  const each = Array.from({ length: addresses }, (_, at) => at);
  const entry = <T>(schema: Schema<T>, given: object): T => {
    const reading = Read.read(schema, given);
    if (reading.kind === 'invalid') throw new Error(JSON.stringify(reading.faults));
    return reading.value;
  };
  await DataSet.load(sql, {
    given: {
      people: each.map((at) => entry(person, { network_url: url(at) })),
      emails: each.map((at) =>
        entry(email, {
          person_network_url: url(at),
          email: emailOf(at, domains),
          verified_at: at % 5 === 0 ? new Date(saidMs(at)).toISOString() : null,
        }),
      ),
    },
    digests: {},
    nowMs: startMs,
  });
}

/** Random time from 38 days before the load to two days after it. */
function saidMs(at: number): number {
  return startMs + (48 - (at % 960)) * 3_600_000;
}

/** All mail servers, with a record of their replies. */
class World {
  tests = 0;
  conversations = 0;
  /** Time of the last acceptance of each address by a server that is not catch-all, and of its last rejection. */
  readonly accepted = new Map<string, number>();
  readonly refused = new Map<string, number>();
  /** Start of the last test of each address. */
  readonly #asked = new Map<string, number>();

  transport(clock: { nowMs: number }): Transport {
    return {
      run: async ({ name }, conversation) => {
        this.conversations++;
        return this.#session(name.slice(3), conversation, clock.nowMs);
      },
    };
  }

  #session(domain: string, conversation: Conversation, nowMs: number) {
    let turn = conversation.next();
    for (;;) {
      if (turn.done) return turn.value;
      const line = turn.value.kind === 'say' ? turn.value.line : null;
      turn = conversation.next(this.#says(domain, line, nowMs));
    }
  }

  #says(domain: string, line: string | null, nowMs: number): StepResult {
    if (line === null) {
      const isAway = share(domain) < 0.02 && Math.floor(nowMs / dayMs) % 20 < 2;
      return isAway ? { kind: 'broken', why: 'unreachable' } : reply(220);
    }
    const [, recipient] = /^RCPT TO:<(.+)>$/.exec(line) ?? [];
    return reply(recipient === undefined ? 250 : this.#recipient(domain, recipient, nowMs));
  }

  #recipient(domain: string, address: string, nowMs: number): number {
    const acceptsAll = share(`all ${domain}`) < 0.1;
    const isGrey = share(`grey ${domain}`) < 0.1;
    const before = this.#asked.get(address);
    // An earlier attempt belongs to the same test.
    const isNew = before === undefined || nowMs - before > retriesMsMax;
    const isDecoy = address.startsWith('nobody_');
    if (isNew && !isDecoy) this.tests++;
    if (isNew) this.#asked.set(address, nowMs);
    if (isGrey && isNew) return 451;
    if (isDecoy) return acceptsAll ? 250 : 550;
    // Mailboxes come and go: each address is unassigned for about two weeks.
    const isThere = (Math.floor(nowMs / dayMs) + Math.floor(share(address) * 100)) % 100 >= 25;
    if (!isThere) this.refused.set(address, nowMs);
    else if (!acceptsAll) this.accepted.set(address, nowMs);
    return isThere || acceptsAll ? 250 : 550;
  }
}

function reply(code: number): StepResult {
  return { kind: 'reply', reply: { code, status: null, lines: ['x'] } };
}

/** Hashes a text to a number from 0 to 1. */
function share(text: string): number {
  return Number.parseInt(sha256Hex(text).slice(0, 8), 16) / 2 ** 32;
}

/** Looks up some addresses in both directions, like a caller, and compares the responses with the record of the servers. */
async function ask(
  sql: Database.Sql,
  world: World,
  nowMs: number,
  day: number,
  { addresses, domains, answersADay }: Wishes,
  story: Story,
): Promise<void> {
  const { emails, personByEmail } = contacts(sql, 1);
  const span = Contacts.fresh(nowMs);
  let told = 0;
  for (let each = 0; each < answersADay; each++) {
    const at = (each * 7_919 + day * 104_729) % addresses;
    const address = emailOf(at, domains);
    const [[found], person] = await Promise.all([
      emails({ kind: 'slug', slug: `p${at}` }, span),
      personByEmail(address, span),
    ]);
    story.answers++;
    if ((found !== undefined) !== (person !== null))
      story.wrong.push(`${address}: two answers on day ${day}`);
    if (found === undefined) continue;
    told++;
    const acceptedMs = Math.max(world.accepted.get(address) ?? 0, saidByOwner(at));
    if (nowMs - acceptedMs > 30 * dayMs) story.wrong.push(`${address}: older than 30 days on day ${day}`);
    if ((world.refused.get(address) ?? 0) > acceptedMs)
      story.wrong.push(`${address}: refused since, on day ${day}`);
  }
  story.toldByDay.push(told);
}

/** State at the end of the day. */
async function look(sql: Database.Sql, nowMs: number, { stepMs }: Wishes, story: Story): Promise<void> {
  const [row] = await sql<{ due: number; oldest: number | null }[]>`
    select count(*) filter (where due_at <= ${new Date(nowMs - stepMs)}) as due,
           extract(epoch from ${new Date(nowMs)} - min(tested_at) filter (where tested_at > ${new Date(startMs)}))::float8
             as oldest
    from direct.address`;
  story.backlogMax = Math.max(story.backlogMax, row?.due ?? 0);
  story.longestDays = Math.max(story.longestDays, ((row?.oldest ?? 0) * 1_000) / dayMs);
}

function saidByOwner(at: number): number {
  return at % 5 === 0 && saidMs(at) <= startMs ? saidMs(at) : 0;
}
