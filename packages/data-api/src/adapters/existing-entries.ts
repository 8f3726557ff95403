import type { CompanyEntry } from '../entries/company.ts';
import type { EmailEntry } from '../entries/email.ts';
import type { JobEntry } from '../entries/job.ts';
import type { Entries, Kind } from '../entries/kind.ts';
import { type PersonEntry, person } from '../entries/person.ts';
import type { PhoneEntry } from '../entries/phone.ts';
import * as NetworkUrl from '../filters/network-url.ts';
import * as PersonUrl from '../filters/person-url.ts';
import type { PersonRecord } from '../records/person.ts';
import * as Read from '../schema/read.ts';
import type { Fragment, Sql } from './database.ts';
import { confirmedAt } from './email-store.ts';

const rowsAtOnce = 1_000;

/** Reads the entries of a kind from a version, in the form they were imported in. Used for exports and partial imports. */
export function entries<K extends Kind>(sql: Sql, version: number, kind: K): AsyncIterable<Entries[K]> {
  const all: { [Each in Kind]: () => AsyncIterable<Entries[Each]> } = {
    companies: () => companies(sql, version),
    people: () => people(sql, version),
    jobs: () => jobs(sql, version),
    emails: () => emails(sql, version),
    phones: () => phones(sql, version),
  };
  return all[kind]();
}

type CompanyRow = Omit<CompanyEntry, 'network_url' | 'hq'> & { slug: string; hq: CompanyEntry['hq'] };

async function* companies(sql: Sql, version: number): AsyncGenerator<CompanyEntry> {
  const statement = sql`
    select slug, name, network_id, about, specialties, industry, type, size, employees_on_network, employees_by_country,
           employees_by_department, followers,
           founded_year, domain, website, email_domain, other_domains, is_agency, revenue, naics_codes, sic_codes,
           activities, categories, web_traffic, ad_spend, total_funding, last_funding_amount, last_funding_year,
           last_funding_type, lead_investors,
           case when num_nonnulls(hq_city, hq_state, hq_country_code) > 0 then
             json_build_object('city', hq_city, 'state', hq_state, 'country_code', hq_country_code) end as hq
    from direct.company where version = ${version} order by id`;
  for await (const { slug, ...entry } of rows<CompanyRow>(statement)) {
    yield { network_url: companyUrl(slug), ...entry };
  }
}

async function* people(sql: Sql, version: number): AsyncGenerator<PersonEntry> {
  const statement = sql`select record from direct.person where version = ${version} order by id`;
  for await (const { record } of rows<{ record: PersonRecord }>(statement)) {
    const reading = Read.read(person, rehosted(record));
    if (reading.kind === 'invalid')
      throw new TypeError('a stored person does not match the schema of imports');
    yield reading.value;
  }
}

/** Rewrites the URLs of a stored person to the configured host. */
function rehosted(record: PersonRecord): PersonRecord {
  if (record.network_url.startsWith(NetworkUrl.origin)) return record;
  const experiences = record.experiences?.map((position) =>
    position.company_network_url
      ? { ...position, company_network_url: NetworkUrl.rehosted(position.company_network_url) }
      : position,
  );
  return {
    ...record,
    network_url: NetworkUrl.rehosted(record.network_url),
    ...(experiences && { experiences }),
  };
}

type JobRow = Omit<JobEntry, 'company_network_url' | 'posted_at'> & {
  company_slug: string | null;
  posted_at: Date;
  utc_offset_hours: number;
};

async function* jobs(sql: Sql, version: number): AsyncGenerator<JobEntry> {
  const statement = sql`
    select id, company_slug, company_name, title, field, seniority, employment_type, work_arrangement, city,
           country_code, posted_at, utc_offset_hours, skills, taxonomies, description, ai_summary
    from direct.job where version = ${version} order by id`;
  for await (const { company_slug, posted_at, utc_offset_hours, ...entry } of rows<JobRow>(statement)) {
    const company_network_url = company_slug === null ? null : companyUrl(company_slug);
    yield { ...entry, company_network_url, posted_at: moment(posted_at, utc_offset_hours) };
  }
}

type EmailRow = Pick<EmailEntry, 'email' | 'job_order'> & {
  slug: string;
  company_slug: string | null;
  verified_at: Date | null;
};

/** Emails with their latest verification, including our own tests. */
async function* emails(sql: Sql, version: number): AsyncGenerator<EmailEntry> {
  const statement = sql`
    select p.slug, e.email, e.company_slug, e.job_order, ${confirmedAt(sql)} as verified_at
    from direct.email e join direct.person p on p.version = e.version and p.id = e.person_id
    left join direct.address a on a.email = e.email
    where e.version = ${version} order by e.person_id, e.job_order, e.email`;
  for await (const { slug, company_slug, verified_at, ...entry } of rows<EmailRow>(statement)) {
    yield {
      ...entry,
      person_network_url: PersonUrl.personUrl(slug),
      company_network_url: company_slug === null ? null : companyUrl(company_slug),
      verified_at: verified_at?.toISOString() ?? null,
    };
  }
}

type PhoneRow = Pick<PhoneEntry, 'phone' | 'kind'> & { slug: string };

async function* phones(sql: Sql, version: number): AsyncGenerator<PhoneEntry> {
  const statement = sql`
    select p.slug, n.phone, n.kind
    from direct.phone n join direct.person p on p.version = n.version and p.id = n.person_id
    where n.version = ${version} order by n.person_id, n.phone`;
  for await (const { slug, ...entry } of rows<PhoneRow>(statement)) {
    yield { ...entry, person_network_url: PersonUrl.personUrl(slug) };
  }
}

async function* rows<T>(statement: Fragment): AsyncGenerator<T> {
  for await (const some of statement.cursor(rowsAtOnce)) yield* some as unknown as T[];
}

function companyUrl(slug: string): string {
  return NetworkUrl.companyUrl({ kind: 'slug', slug });
}

function moment(at: Date, offsetHours: number): string {
  const local = new Date(at.getTime() + offsetHours * 3_600_000).toISOString().slice(0, -1);
  return `${local}${offsetHours < 0 ? '-' : '+'}${String(Math.abs(offsetHours)).padStart(2, '0')}:00`;
}
