import { addressBook } from '../../../src/direct/adapters/address-book.ts';
import { contacts } from '../../../src/direct/adapters/contacts.ts';
import * as DataSet from '../../../src/direct/adapters/data-set.ts';
import * as Database from '../../../src/direct/adapters/database.ts';
import { mailLines } from '../../../src/direct/adapters/mail-lines.ts';
import * as Migrations from '../../../src/direct/adapters/migrations.ts';
import type { Conversation, Heard } from '../../../src/direct/emails/conversation.ts';
import * as Tally from '../../../src/direct/emails/tally.ts';
import type { Wire } from '../../../src/direct/emails/visit.ts';
import * as Worker from '../../../src/direct/emails/worker.ts';
import * as Contacts from '../../../src/direct/enrichment/contacts.ts';
import { email } from '../../../src/direct/entries/email.ts';
import { person } from '../../../src/direct/entries/person.ts';
import * as Read from '../../../src/direct/schema/read.ts';
import type { Schema } from '../../../src/direct/schema/schema.ts';
import { sha256Hex } from '../../../src/kernel/digest.ts';
import { createDatabase } from '../../support/database.ts';

const dayMs = 86_400_000;
const startMs = Date.UTC(2026, 4, 14);
/** All tries of one test, and less than the rest before the next. */
const retriesMsMax = 1.9 * dayMs;

export type Wishes = {
  addresses: number;
  domains: number;
  days: number;
  answersADay: number;
  /** How far the clock goes on when everything that was due is done. */
  stepMs: number;
  /** Days on which no worker runs. */
  away?: (day: number) => boolean;
};
/** What happened on each day, and every answer that should not have been given. */
export type Story = {
  /** Addresses taken up for a test of their own, retries aside, and conversations, by day. */
  testsByDay: number[];
  conversationsByDay: number[];
  toldByDay: number[];
  answers: number;
  wrong: string[];
  /** The oldest that the last test of an address ever was, in days. */
  longestDays: number;
  /** The most addresses that were due at the end of a day. */
  backlogMax: number;
};

/**
 * `days` of a worker's life over made-up addresses, with the database that it has in production, a clock that runs
 * ahead, and mail servers that say their lines as scripted: most have what they are asked for; some do not, accept
 * everybody, greylist every first try, lose mailboxes or get new ones, and are away for two days in a row.
 */
export async function run(wishes: Wishes): Promise<Story> {
  const { addresses, domains, days, stepMs, away = () => false } = wishes;
  const database = await createDatabase();
  const sql = Database.open(database.url, { connectionsMax: 8, statementTimeoutMs: 60_000 });
  try {
    await Migrations.migrate(sql);
    await fill(sql, addresses, domains);
    const world = new World();
    const clock = { nowMs: startMs };
    const around: Worker.Surroundings = {
      settings: {
        helo: 'probe.test',
        from: 'us@probe.test',
        isScheduled: true,
        port: 25,
        dnsServers: null,
        allowsPrivate: false,
        conversationsMax: 8,
        linesMax: 10,
        restMs: 1_000,
      },
      book: addressBook(sql),
      lines: mailLines(sql),
      resolver: {
        mx: async (domain) => ({ kind: 'found', records: [{ exchange: `mx.${domain}`, priority: 10 }] }),
        addresses: async () => ({ kind: 'found', records: ['93.184.215.14'] }),
      },
      wire: world.wire(clock),
      clock: () => clock.nowMs,
      wait: async (ms) => {
        clock.nowMs += ms;
      },
      tally: Tally.create(),
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

/** Loads the addresses as an owner would. A fifth come with a word of their own, too old or still to come some of it. */
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

/** From two days after the load to 38 days before it. */
function saidMs(at: number): number {
  return startMs + (48 - (at % 960)) * 3_600_000;
}

/** All mail servers, and what they remember of having said. */
class World {
  tests = 0;
  conversations = 0;
  /** When each address was last accepted by a server that refuses others, and when last refused. */
  readonly accepted = new Map<string, number>();
  readonly refused = new Map<string, number>();
  /** When the last test of an address began. */
  readonly #asked = new Map<string, number>();

  wire(clock: { nowMs: number }): Wire {
    return {
      hold: async ({ name }, conversation) => {
        this.conversations++;
        return this.#hold(name.slice(3), conversation, clock.nowMs);
      },
    };
  }

  #hold(domain: string, conversation: Conversation, nowMs: number) {
    let turn = conversation.next();
    for (;;) {
      if (turn.done) return turn.value;
      const line = turn.value.kind === 'say' ? turn.value.line : null;
      turn = conversation.next(this.#says(domain, line, nowMs));
    }
  }

  #says(domain: string, line: string | null, nowMs: number): Heard {
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
    // What follows sooner is another try of the same test.
    const isNew = before === undefined || nowMs - before > retriesMsMax;
    const isDecoy = address.startsWith('nobody_');
    if (isNew && !isDecoy) this.tests++;
    if (isNew) this.#asked.set(address, nowMs);
    if (isGrey && isNew) return 451;
    if (isDecoy) return acceptsAll ? 250 : 550;
    // People come and go: each address has a fortnight or so of its own in which nobody has it.
    const isThere = (Math.floor(nowMs / dayMs) + Math.floor(share(address) * 100)) % 100 >= 25;
    if (!isThere) this.refused.set(address, nowMs);
    else if (!acceptsAll) this.accepted.set(address, nowMs);
    return isThere || acceptsAll ? 250 : 550;
  }
}

function reply(code: number): Heard {
  return { kind: 'reply', reply: { code, status: null, lines: ['x'] } };
}

/** A number from 0 to 1 that a text always has. */
function share(text: string): number {
  return Number.parseInt(sha256Hex(text).slice(0, 8), 16) / 2 ** 32;
}

/** Asks as a caller would, for some of the addresses in both directions, and holds the answers against the servers' memory. */
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

/** What the day left behind. */
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
