import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../../../../test/support/program.ts';
import { connectionSlots } from '../../src/adapters/connection-slots.ts';
import { emailStore } from '../../src/adapters/email-store.ts';
import { resolver } from '../../src/adapters/resolver.ts';
import { smtp } from '../../src/adapters/smtp.ts';
import * as Counters from '../../src/emails/counters.ts';
import * as Worker from '../../src/emails/worker.ts';
import * as DnsServer from '../emails/dns-server.ts';
import * as MailServer from '../emails/mail-server.ts';
import * as CrmWorld from './crm-world.ts';

/** A file of contacts as spreadsheets write it: byte order mark, semicolons, CRLF, and line breaks in quotes. */
const contacts = (rows: readonly string[]) => `\ufeff${rows.join('\r\n')}\r\n`;
const header =
  'Full Name;Job Title;Company Name;Website;E-Mail;Country;Industry;No. of Employees;Mobile Phone;Notes';
const rows = [
  'Anna Müller;Head of Sales;Brückner GmbH;https://www.brueckner.test/de;Anna.Mueller@brueckner.test;Germany;Software;1,200;+1 (201) 555-0123;"met at\r\nthe fair; ""call"" her"',
  'Jean Dupont;CTO;Café Noir SA;cafe-noir.test;jean@cafe-noir.test;FRA;Restaurants;45;;',
  'Ola Nordmann;Product Manager;Brückner GmbH;brueckner.test;ola@brueckner.test;de;Software;1,200;030 1234;',
  'Sam Quiet;VP Marketing;Widget Works;;;United States;Widgetry;;;',
];

let world: CrmWorld.CrmWorld;
let path: string;
beforeAll(async () => {
  world = await CrmWorld.open();
  path = await world.write('crm-export.csv', contacts([header, ...rows]));
});
afterAll(() => world.close());

const companyUrn = /^urn:nw:own:company:[0-9a-f]{24}$/;
const personUrn = /^urn:nw:own:person:[0-9a-f]{24}$/;

describe('the import of a CRM export', () => {
  it('stops without a terminal and without --yes, lists the matches, and names the options that accept them', async () => {
    const run = await world.run(['--people', path]);
    expect(run.code).toBe(2);
    expect(run.out).toContain('country   "Germany" (1 row) -> "DE"');
    expect(run.out).toContain('country   "FRA" (1 row) -> "FR"');
    expect(run.out).toContain('country   "de" (1 row) -> "DE"');
    expect(run.out).toContain('industry  "Software" (2 rows) -> "Software Development"');
    expect(run.out).toContain('industry  "Widgetry" (1 row) -> none: left empty');
    expect(run.out).toContain('--match "country:Germany=DE"');
    expect(run.out).toContain('Nothing was imported.');
    const [live] = await world.sql`select from direct.data_set_version`;
    expect(live).toBeUndefined();
  });

  it('asks at a terminal, and imports nothing without consent', async () => {
    const asked: string[] = [];
    const answering = (answer: string) => ({
      ask: async (question: string) => {
        asked.push(question);
        return answer;
      },
    });
    const refused = await world.run(['--people', path, '--dry-run'], answering(''));
    expect(refused).toMatchObject({ code: 2, out: expect.stringContaining('Nothing was imported.') });
    expect(asked[0]).toContain('"Germany" (1 row) -> "DE"');
    expect(await world.run(['--people', path, '--dry-run'], answering('y'))).toMatchObject({ code: 0 });
  });

  it('takes one command: columns are recognised, unknown ones are skipped with a warning', async () => {
    const jobs = await world.write(
      'jobs.csv',
      'Job Title,Company,Website,City,Country,Date Posted\nPilot,Brückner,brueckner.test,Oslo,NO,2026-05-01\n',
    );
    const run = await world.run(['--people', path, jobs, '--yes']);
    expect(run).toMatchObject({
      code: 0,
      out: expect.stringContaining('is live: 3 companies, 4 people, 1 jobs, 3 emails, 1 phones.'),
    });
    expect(run.err).toContain('Full Name -> full_name');
    expect(run.err).toContain('Skipped unknown column "Notes"');
    await world.serve();
  });

  it('makes companies findable by domain, and gives them a URN of their own', async () => {
    const found = await world.post('/v2/enrichment/domain-to-network', { domain: 'www.brueckner.test' });
    expect(found).toMatchObject({ found: true, company_name: 'Brückner GmbH' });
    expect(found.company_network_url).toMatch(companyUrn);
    const { company } = await world.post('/v2/enrichment/company', {
      company_network_url: found.company_network_url,
    });
    expect(company).toMatchObject({
      network_url: found.company_network_url,
      name: 'Brückner GmbH',
      domain: 'brueckner.test',
      industry: 'Software Development',
      employees_on_network: 1_200,
    });
  });

  it('accepts the URN of a company in every operation that takes its address', async () => {
    const { company_network_url } = await world.post('/v2/enrichment/domain-to-network', {
      domain: 'brueckner.test',
    });
    expect(
      await world.post('/v2/enrichment/company-distribution-by-country', { company_network_url }),
    ).toMatchObject({
      company_network_url,
      total_employees: 1_200,
      distribution: [
        { country: 'unknown', count: 1_198 },
        { country: 'DE', count: 2 },
      ],
    });
    const jobs = await world.post('/v2/jobs/company', { company_network_url });
    expect(jobs.results).toMatchObject([
      {
        title: 'Pilot',
        url: expect.stringMatching(/^urn:nw:own:job:\d{16}$/),
        company_network_url,
        date_posted: '2026-05-01 00:00:00+00',
      },
    ]);
  });

  it('makes people findable by company, by filters and by email', async () => {
    const { company_network_url } = await world.post('/v2/enrichment/domain-to-network', {
      domain: 'brueckner.test',
    });
    const staff = await world.post('/v2/search/employee-finder', { company_network_url });
    expect(staff.results.map(({ full_name }: { full_name: string }) => full_name)).toEqual([
      'Anna Müller',
      'Ola Nordmann',
    ]);
    const [anna] = staff.results;
    expect(anna).toMatchObject({
      network_url: expect.stringMatching(personUrn),
      location: { country_code: 'DE' },
      experiences: [
        {
          job_title: 'Head of Sales',
          company_name: 'Brückner GmbH',
          company_network_url,
          company_domain: 'brueckner.test',
          job_is_current: true,
        },
      ],
    });
    const search = await world.post('/v2/search/people', {
      company: { industry: { include: ['Software Development'] } },
      people: { job_title: { include: ['Sales'] }, location: { country_code: ['DE'] } },
    });
    expect(search).toMatchObject({ results: [{ full_name: 'Anna Müller' }] });
    expect(await world.post('/v2/enrichment/person', { person_network_url: anna.network_url })).toMatchObject(
      { found: true, person: { full_name: 'Anna Müller' } },
    );
    const waterfall = await world.post('/v2/search/waterfall-icp-keyword', {
      company_network_url,
      cascade: [
        {
          include_title: ['Product'],
          exclude_title: [],
          location: ['WORLD'],
          include_headline_search: false,
        },
      ],
      max_results: 5,
    });
    expect(waterfall.results[0]).toMatchObject({ person: { full_name: 'Ola Nordmann' } });
  });
});

describe('imported emails', () => {
  it('need verification: the start says that it is off, and how to enable it', () => {
    expect(world.lines.join('')).toMatch(
      /Email verification is off.+set DIRECT_EMAIL_HELO .+DIRECT_EMAIL_FROM/,
    );
  });

  it('are returned after our own test, not at catch-all servers and not after a refusal', async () => {
    const port = await freePort();
    const dns = await DnsServer.open({
      'brueckner.test': { mx: [[10, 'mx.brueckner.test']] },
      'mx.brueckner.test': { a: ['127.0.6.1'] },
      'cafe-noir.test': { mx: [[10, 'mx.cafe-noir.test']] },
      'mx.cafe-noir.test': { a: ['127.0.6.2'] },
    });
    const servers = [
      await MailServer.ordinary({ host: '127.0.6.1', port }, (email) =>
        email.startsWith('anna.') ? null : { code: 550, text: '5.1.1 nobody' },
      ),
      await MailServer.ordinary({ host: '127.0.6.2', port }, () => null),
    ];
    const emailOf = async (email: string) => {
      const [row] = await world.sql`
        select p.slug from direct.person p join direct.email e on e.version = p.version and e.person_id = p.id
        join direct.data_set_version v on v.version = p.version and v.live where e.email = ${email}`;
      const answer = await world.post('/v2/enrichment/email', {
        person_network_url: `urn:nw:own:person:${row?.slug.slice('own:'.length)}`,
      });
      return [answer.found, answer.email, answer.fair_usage.records_used];
    };
    const anna = 'anna.mueller@brueckner.test';
    try {
      expect(await emailOf(anna)).toEqual([false, null, 0]);
      const worker = {
        settings: {
          helo: 'probe.sluice.test',
          from: 'postmaster@sluice.test',
          isScheduled: true,
          port,
          dnsServers: null,
          allowsPrivate: true,
          conversationsMax: 10,
          connectionsPerOperatorMax: 2,
          restMs: 0,
        },
        store: emailStore(world.sql),
        slots: connectionSlots(world.sql),
        resolver: resolver([dns.server]),
        transport: smtp({ connectMsMax: 1_000, replyMsMax: 500, conversationMsMax: 3_000, leaveMsMax: 200 }),
        clock: () => CrmWorld.nowMs,
        wait: async () => {},
        counters: Counters.create(),
      };
      await Worker.run(worker, new AbortController().signal, true);
      expect(worker.counters.tests).toMatchObject({ verified: 1, invalid: 1, catch_all: 1 });
      expect(await emailOf(anna)).toEqual([true, anna, 1]);
      expect(await emailOf('ola@brueckner.test')).toEqual([false, null, 0]);
      expect(await emailOf('jean@cafe-noir.test')).toEqual([false, null, 0]);
      expect(await world.post('/v2/enrichment/email-to-person', { email: anna })).toMatchObject({
        found: true,
        person: { full_name: 'Anna Müller' },
      });
      expect(await world.post('/v2/enrichment/phone-to-person', { phone: '201-555-0123' })).toMatchObject({
        found: true,
        person: { full_name: 'Anna Müller' },
      });
    } finally {
      await Promise.all([dns.close(), ...servers.map((server) => server.close())]);
    }
  });
});
