import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDatabase } from '../../../test/support/database.ts';
import { bootstrap } from '../src/adapters/bootstrap.ts';
import * as DataSet from '../src/adapters/data-set.ts';
import * as DataSetVersions from '../src/adapters/data-set-versions.ts';
import * as Database from '../src/adapters/database.ts';
import * as Migrations from '../src/adapters/migrations.ts';
import { type CompanyEntry, company } from '../src/entries/company.ts';
import { type EmailEntry, email } from '../src/entries/email.ts';
import { type JobEntry, job } from '../src/entries/job.ts';
import { type PersonEntry, person } from '../src/entries/person.ts';
import { type PhoneEntry, phone } from '../src/entries/phone.ts';
import * as Read from '../src/schema/read.ts';
import type { Schema } from '../src/schema/schema.ts';

let database: Awaited<ReturnType<typeof createDatabase>>;
let sql: Database.Sql;
beforeAll(async () => {
  database = await createDatabase();
  sql = Database.openPool(database.url, { connectionsMax: 4, statementTimeoutMs: 60_000 });
  await Migrations.migrate(sql);
});
afterAll(async () => {
  await sql.end();
  await database.drop();
});

const at = 'https://www.network.example';
const entry =
  <T>(schema: Schema<T>) =>
  (given: object): T => {
    const reading = Read.read(schema, given);
    if (reading.kind === 'invalid') throw new Error(JSON.stringify(reading.faults));
    return reading.value;
  };
const companyOf = (slug: string, more: object = {}): CompanyEntry =>
  entry(company)({ network_url: `${at}/company/${slug}`, name: slug, ...more });
const personOf = (slug: string, more: object = {}): PersonEntry =>
  entry(person)({ network_url: `${at}/in/${slug}`, ...more });
const jobOf = (id: number, more: object = {}): JobEntry =>
  entry(job)({ id, title: 'Baker', posted_at: '2026-07-08T23:00:07+02:00', ...more });
const emailOf = (slug: string, address: string, more: object = {}): EmailEntry =>
  entry(email)({ person_network_url: `${at}/in/${slug}`, email: address, ...more });
const phoneOf = (slug: string, number: string): PhoneEntry =>
  entry(phone)({ person_network_url: `${at}/in/${slug}`, phone: number });

/** Loads data and returns the rows of the new version and the refused entries. */
async function load(given: DataSet.Source) {
  const refused: unknown[] = [];
  const { version, counts } = await DataSet.load(sql, {
    given: { companies: [], people: [], jobs: [], emails: [], phones: [], ...given },
    digests: {},
    nowMs: Date.parse('2026-05-14T09:30:00Z'),
    refused: (kind, ordinal, _, field, reason) => void refused.push([kind, ordinal, field, reason]),
  });
  const rows = (table: string, columns: string, order = 'id') =>
    sql
      .unsafe(`select ${columns} from direct.${table} where version = ${version} order by ${order}`)
      .then((found) => found.map((row) => Object.values(row)));
  return { counts, refused, rows };
}

describe('a load', () => {
  it('puts companies in the order of results: employees, then number, then name', async () => {
    const { rows } = await load({
      companies: [
        companyOf('unknown'),
        companyOf('small', { employees_on_network: 3 }),
        companyOf('late', { employees_on_network: 90, network_id: 9 }),
        companyOf('early', { employees_on_network: 90, network_id: 4 }),
      ],
    });
    expect(await rows('company', 'id, slug')).toEqual([
      [1, 'early'],
      [2, 'late'],
      [3, 'small'],
      [4, 'unknown'],
    ]);
  });

  it('puts people in the order of results however they come', async () => {
    const people = [3, 500, null, 0, 500, 499].map((connections_count, index) =>
      personOf(`p${index}`, { connections_count }),
    );
    const { rows } = await load({ people });
    expect((await rows('person', 'slug')).flat()).toEqual(['p1', 'p4', 'p5', 'p0', 'p3', 'p2']);
  });

  it('lets the first of two with the same key win and tells of the other', async () => {
    const { counts, refused, rows } = await load({
      companies: [
        companyOf('acme', { name: 'First', network_id: 7 }),
        companyOf('ACME', { name: 'Second' }),
        companyOf('other', { network_id: 7 }),
      ],
      people: [
        personOf('ann', { first_name: 'Ann' }),
        personOf('bea'),
        personOf('ann', { first_name: 'Not' }),
      ],
      jobs: [jobOf(1, { title: 'One' }), jobOf(1, { title: 'Two' })],
      emails: [emailOf('ann', 'A@x.example'), emailOf('bea', 'a@x.example'), emailOf('ann', 'a@X.example')],
      phones: [phoneOf('ann', '+12125550123'), phoneOf('ann', '+12125550123')],
    });
    expect(counts).toEqual({ companies: 1, people: 2, jobs: 1, emails: 2, phones: 1 });
    expect(refused).toEqual([
      ['companies', 1, 'network_url', 'Duplicate company: an earlier row has the same network_url'],
      ['companies', 2, 'network_id', 'Duplicate company: an earlier row has the same network_id'],
      ['people', 2, 'network_url', 'Duplicate person: an earlier row has the same network_url'],
      ['jobs', 1, 'id', 'Duplicate posting: an earlier row has the same id'],
      ['emails', 2, 'email', 'Duplicate: an earlier row gives the same contact to this person'],
      ['phones', 1, 'phone', 'Duplicate: an earlier row gives the same contact to this person'],
    ]);
    expect(await rows('company', 'name')).toEqual([['First']]);
    expect((await rows('person', `record ->> 'first_name'`)).flat()).toEqual(['Ann', null]);
    expect(await rows('job', 'title')).toEqual([['One']]);
  });

  it('resolves links in any form of an address, and lets what has none stand by itself', async () => {
    const work = (company_network_url: string) => ({
      experiences: [
        { job_title: 'Before', company_network_url: `${at}/company/gone`, job_end_date: '2020-01-01' },
        { job_title: 'Now', company_network_url },
      ],
    });
    const links = [
      `${at}/company/acme`,
      'http://de.network.example/company/ACME/?trk=x',
      `${at}/sales/company/77`,
      'urn:nw:organization:77',
      `${at}/company/nobody`,
    ];
    const { refused, rows } = await load({
      companies: [companyOf('acme', { network_id: 77 })],
      people: links.map((link, index) => personOf(`p${index}`, work(link))),
      jobs: links.map((company_network_url, index) => jobOf(index + 1, { company_network_url })),
      emails: [
        ...links.map((company_network_url, index) =>
          emailOf(`p${index}`, `p${index}@acme.example`, { company_network_url, job_order: 2 }),
        ),
        emailOf('stranger', 's@acme.example'),
      ],
      phones: [phoneOf('stranger', '+12125550123')],
    });
    expect((await rows('person', 'company_id')).flat()).toEqual([1, 1, 1, 1, null]);
    expect((await rows('person', 'title')).flat()).toEqual(Array(5).fill('Now'));
    expect(await rows('job', 'company_id, company_slug, company_name')).toEqual([
      ...Array(4).fill([1, 'acme', 'acme']),
      [null, 'nobody', null],
    ]);
    expect(await rows('email', 'company_id, company_slug, email_domain, job_order', 'person_id')).toEqual([
      ...Array(4).fill([1, 'acme', 'acme.example', 2]),
      [null, 'nobody', 'acme.example', 2],
    ]);
    expect(refused).toEqual([
      [
        'emails',
        5,
        'person_network_url',
        'Unknown person: import the person in the same or an earlier import',
      ],
      [
        'phones',
        0,
        'person_network_url',
        'Unknown person: import the person in the same or an earlier import',
      ],
    ]);
  });

  it('takes a verification that is still to come for none', async () => {
    const { rows, refused } = await load({
      people: [personOf('ann')],
      emails: [
        emailOf('ann', 'past@x.example', { verified_at: '2026-05-14T11:30:00+02:00' }),
        emailOf('ann', 'soon@x.example', { verified_at: '2026-05-14T09:30:01Z' }),
      ],
    });
    expect(await rows('email', 'email, verified_at', 'email')).toEqual([
      ['past@x.example', new Date('2026-05-14T09:30:00Z')],
      ['soon@x.example', null],
    ]);
    expect(refused).toEqual([]);
  });

  it('leads from every domain of a company to it, the main one first', async () => {
    const { rows } = await load({
      companies: [
        companyOf('acme', {
          domain: 'Acme.example',
          website: 'https://www.acme.example/home',
          email_domain: 'mail.acme.example',
          other_domains: ['acme-group.example', 'acme.example'],
        }),
      ],
    });
    expect(await rows('company_domain', 'domain, rank', 'rank')).toEqual([
      ['acme.example', 0],
      ['mail.acme.example', 1],
      ['acme-group.example', 2],
    ]);
  });

  it('keeps every character that an entry may have', async () => {
    const odd = 'a\tb\nc\\d\re "f" \'g\' {h} \u{1f600} ß \u0001 , ;';
    const { rows } = await load({
      companies: [
        companyOf('odd', { name: odd, about: odd, specialties: [odd, ''.padEnd(3, '\\'), 'null'] }),
      ],
      people: [personOf('odd', { headline: odd, skills: [odd] })],
      jobs: [jobOf(1, { title: odd, skills: [odd] })],
    });
    expect(await rows('company', 'name, about, specialties')).toEqual([[odd, odd, [odd, '\\\\\\', 'null']]]);
    expect(await rows('person', `headline, record -> 'skills'`)).toEqual([[odd, [odd]]]);
    expect(await rows('job', 'title, skills')).toEqual([[odd, [odd]]]);
    for (const wrong of ['a\0b', 'half \ud83d']) {
      expect(Read.read(company, { network_url: `${at}/company/x`, name: wrong }).kind).toBe('invalid');
    }
  });

  it('keeps a person whole but for what is unknown, and says of each position whether it is held', async () => {
    const { rows } = await load({
      people: [
        personOf('ann', {
          first_name: 'Ann',
          location: { city: 'Berlin', country_code: 'DE' },
          experiences: [{ job_title: 'Now' }, { job_title: 'Then', job_end_date: '2020-01-01' }],
        }),
      ],
    });
    expect((await rows('person', 'record')).flat()).toEqual([
      {
        network_url: `${at}/in/ann`,
        first_name: 'Ann',
        location: { city: 'Berlin', country_code: 'DE' },
        experiences: [
          { job_title: 'Now', job_is_current: true },
          { job_title: 'Then', job_end_date: '2020-01-01', job_is_current: false },
        ],
      },
    ]);
  });

  it('gives a new version every index and statistic that the tables have', async () => {
    const found = await sql`
      select c.relname from pg_class c join pg_index i on i.indexrelid = c.oid
      where c.relnamespace = 'direct'::regnamespace and c.relkind = 'I'
        and (select count(*) from pg_inherits h where h.inhparent = c.oid)
          <> (select count(*) from direct.data_set_version)`;
    expect([...found]).toEqual([]);
    const [waiting] = await sql`
      select count(*) as tables from pg_class
      where relnamespace = 'direct'::regnamespace and relname ~ '_[0-9]+$' and relkind = 'r' and reltuples < 0`;
    expect(waiting?.tables).toBe(0);
  });
});

describe('a start', () => {
  it('makes a sample where there is nothing, anew when it has grown old, and touches nothing else', async () => {
    const empty = await createDatabase();
    const mine = Database.openPool(empty.url, { connectionsMax: 2, statementTimeoutMs: 60_000 });
    const startMs = Date.parse('2026-05-14T09:30:00Z');
    const sizes = { companies: 20, people: 40, jobs: 40 };
    const start = async (days: number) => {
      const nowMs = startMs + days * 86_400_000;
      await bootstrap({ databaseUrl: empty.url, apiKey: null, sizes, nowMs });
      return (await DataSetVersions.live(mine))?.version;
    };
    expect(await start(0)).toBe(1);
    expect(await start(6)).toBe(1);
    expect(await start(8)).toBe(2);
    const emails = { given: { emails: [] }, digests: { emails: 'an owner' }, nowMs: startMs };
    await DataSet.load(mine, emails);
    expect(await start(90)).toBe(3);
    await mine.end();
    await empty.drop();
  });
});
