import { addressBook } from '../../../src/direct/adapters/address-book.ts';
import { mailLines } from '../../../src/direct/adapters/mail-lines.ts';
import { resolver } from '../../../src/direct/adapters/resolver.ts';
import { smtp } from '../../../src/direct/adapters/smtp.ts';
import type { Settings } from '../../../src/direct/emails/settings.ts';
import * as Tally from '../../../src/direct/emails/tally.ts';
import * as Worker from '../../../src/direct/emails/worker.ts';
import { freePort } from '../../support/program.ts';
import * as Desk from '../desk.ts';
import * as DnsServer from './dns-server.ts';
import * as MailServer from './mail-server.ts';

/** What a row of `direct.address` says, without the times. */
export type Known = { state: string; reason: string; attempts: number; trouble: string | null };
export type MailWorld = Awaited<ReturnType<typeof open>>;

const settings: Settings = {
  helo: 'probe.sluice.test',
  from: 'postmaster@sluice.test',
  isScheduled: true,
  port: 25,
  dnsServers: null,
  allowsPrivate: true,
  conversationsMax: 10,
  linesMax: 2,
  restMs: 5_000,
};
const patience = { connectMsMax: 1_000, replyMsMax: 500, conversationMsMax: 3_000, leaveMsMax: 200 };

/** Every address that the interface is to test, each that of a person called by it. */
export type Emails = Readonly<Record<string, number | null>>;

/**
 * The interface over people with `emails` (and since when they are said to be verified), a DNS with `names`, and mail
 * servers to be opened, all of them on the loopback address; with a clock that only the test moves.
 */
export async function open(emails: Emails, names: Readonly<Record<string, DnsServer.Name>>) {
  const people = Object.entries(emails).map(([email, verifiedAtMs]) => ({
    slug: slugOf(email),
    emails: [{ email, jobOrder: 1, verifiedAtMs }],
  }));
  const desk = await Desk.open(people);
  await desk.sql`
    insert into direct.generation (generation, digests, counts, loaded_at, live)
    values (1, '{}', '{}', ${new Date(desk.clock.nowMs)}, true)`;
  const dns = await DnsServer.open(names);
  const port = await freePort();
  const servers: MailServer.MailServer[] = [];
  const keep = async (opening: Promise<MailServer.MailServer>) => {
    const server = await opening;
    servers.push(server);
    return server;
  };

  /** A worker with everything real but the patience, and the clock that it waits on. */
  function worker(
    changes: Partial<Settings> = {},
    more: Partial<Worker.Surroundings> = {},
  ): Worker.Surroundings {
    return {
      settings: { ...settings, port, ...changes },
      book: addressBook(desk.sql),
      lines: mailLines(desk.sql),
      resolver: resolver([dns.server]),
      wire: smtp(patience),
      clock: () => desk.clock.nowMs,
      wait: async (ms) => {
        desk.clock.nowMs += ms;
      },
      tally: Tally.create(),
      ...more,
    };
  }

  const key = await desk.issue();
  const enrichment = async (operation: string, body: object) => {
    const answer = await desk.post(`/v2/enrichment/${operation}`, body, key);
    return answer.body;
  };

  return {
    desk,
    dns,
    sql: desk.sql,
    clock: desk.clock,
    port,
    worker,
    ordinary: (host: string, recipients: MailServer.Recipients) =>
      keep(MailServer.ordinary({ host, port }, recipients)),
    scripted: (host: string, script: MailServer.Script) => keep(MailServer.scripted({ host, port }, script)),
    /** Tests what is due now, and what is put off by seconds only. */
    async verify(changes: Partial<Settings> = {}): Promise<Tally.Tally> {
      const around = worker(changes);
      await Worker.run(around, new AbortController().signal, true);
      return around.tally;
    },
    async known(email: string): Promise<Known | undefined> {
      const [row] = await desk.sql<Known[]>`
        select state, reason, attempts, trouble from direct.address where email = ${email}`;
      return row && { ...row };
    },
    /** Whether callers are told the address, asked for in both directions; nothing is charged where they are not. */
    async isTold(email: string): Promise<boolean> {
      const url = `https://www.network.example/in/${slugOf(email)}`;
      const [byPerson, byEmail] = await Promise.all([
        enrichment('email', { person_network_url: url }),
        enrichment('email-to-person', { email }),
      ]);
      const all = byPerson.all_emails.map((each: { email: string }) => each.email);
      const isTold = byPerson.found;
      const expected = isTold ? [email, email, true, url, 1, 1] : [undefined, null, false, undefined, 0, 0];
      const found = [
        all[0],
        byPerson.email,
        byEmail.found,
        byEmail.person?.network_url,
        byPerson.fair_usage.records_used,
        byEmail.fair_usage.records_used,
      ];
      if (JSON.stringify(found) !== JSON.stringify(expected))
        throw new Error(`the answers for ${email} do not agree: ${JSON.stringify(found)}`);
      return isTold;
    },
    async close(): Promise<void> {
      await Promise.all(servers.map((server) => server.close()));
      await dns.close();
      await desk.close();
    },
  };
}

function slugOf(email: string): string {
  return email.replace(/[^a-z0-9]+/g, '-');
}
