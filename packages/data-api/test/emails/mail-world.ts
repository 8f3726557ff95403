import { freePort } from '../../../../test/support/program.ts';
import { connectionSlots } from '../../src/adapters/connection-slots.ts';
import { emailStore } from '../../src/adapters/email-store.ts';
import { resolver } from '../../src/adapters/resolver.ts';
import { smtp } from '../../src/adapters/smtp.ts';
import * as Counters from '../../src/emails/counters.ts';
import type { Settings } from '../../src/emails/settings.ts';
import * as Worker from '../../src/emails/worker.ts';
import * as PeopleService from '../support/people-service.ts';
import * as DnsServer from './dns-server.ts';
import * as MailServer from './mail-server.ts';

/** A row of `direct.address` without its times. */
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
  connectionsPerOperatorMax: 2,
  restMs: 5_000,
};
const timeouts = { connectMsMax: 1_000, replyMsMax: 500, conversationMsMax: 3_000, leaveMsMax: 200 };

/** Addresses with the time of their imported verification. Each belongs to a person with a slug derived from it. */
export type Emails = Readonly<Record<string, number | null>>;

/**
 * Starts the data API with people who have `emails`, and a DNS server with `names`. The test adds mail servers. All of
 * them listen on the loopback address, and only the test advances the clock.
 */
export async function open(emails: Emails, names: Readonly<Record<string, DnsServer.Name>>) {
  const people = Object.entries(emails).map(([email, verifiedAtMs]) => ({
    slug: slugOf(email),
    emails: [{ email, jobOrder: 1, verifiedAtMs }],
  }));
  const service = await PeopleService.start(people);
  await service.sql`
    insert into direct.data_set_version (version, digests, counts, loaded_at, live)
    values (1, '{}', '{}', ${new Date(service.clock.nowMs)}, true)`;
  const dns = await DnsServer.open(names);
  const port = await freePort();
  const servers: MailServer.MailServer[] = [];
  const keep = async (opening: Promise<MailServer.MailServer>) => {
    const server = await opening;
    servers.push(server);
    return server;
  };

  /** A worker with real adapters, short timeouts and the clock of the test. */
  function worker(
    changes: Partial<Settings> = {},
    more: Partial<Worker.WorkerContext> = {},
  ): Worker.WorkerContext {
    return {
      settings: { ...settings, port, ...changes },
      store: emailStore(service.sql),
      slots: connectionSlots(service.sql),
      resolver: resolver([dns.server]),
      transport: smtp(timeouts),
      clock: () => service.clock.nowMs,
      wait: async (ms) => {
        service.clock.nowMs += ms;
      },
      counters: Counters.create(),
      ...more,
    };
  }

  const key = await service.issue();
  const enrichment = async (operation: string, body: object) => {
    const answer = await service.post(`/v2/enrichment/${operation}`, body, key);
    return answer.body;
  };

  return {
    service,
    dns,
    sql: service.sql,
    clock: service.clock,
    port,
    worker,
    ordinary: (host: string, recipients: MailServer.Recipients) =>
      keep(MailServer.ordinary({ host, port }, recipients)),
    scripted: (host: string, script: MailServer.Script) => keep(MailServer.scripted({ host, port }, script)),
    /** Tests all due addresses, including those postponed by seconds. */
    async verify(changes: Partial<Settings> = {}): Promise<Counters.EmailCounters> {
      const around = worker(changes);
      await Worker.run(around, new AbortController().signal, true);
      return around.counters;
    },
    async known(email: string): Promise<Known | undefined> {
      const [row] = await service.sql<Known[]>`
        select state, reason, attempts, trouble from direct.address where email = ${email}`;
      return row && { ...row };
    },
    /** Returns true if the address is returned to callers. Checks both directions, and that a miss is free. */
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
      await service.close();
    },
  };
}

function slugOf(email: string): string {
  return email.replace(/[^a-z0-9]+/g, '-');
}
