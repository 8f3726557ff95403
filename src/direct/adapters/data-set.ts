import { once } from 'node:events';
import { finished } from 'node:stream/promises';
import type { SampleCompany } from '../data/company.ts';
import type { SamplePerson } from '../data/people.ts';
import type { SampleJob } from '../data/posting.ts';
import type { Sample } from '../data/sample.ts';
import * as CompanyFilter from '../filters/company-filter.ts';
import * as JobFilter from '../filters/job-filter.ts';
import * as Lexeme from '../filters/lexeme.ts';
import type { Sql } from './database.ts';

type Cell = string | number | boolean | Date | readonly string[] | null;
/** The columns of a table, and how a record fills them. */
type Table<T> = { name: string; columns: Readonly<Record<string, (record: T) => Cell>> };

const chunkCharacters = 256 * 1024;

/** The generation that is live; null before the first load. */
export async function liveGeneration(sql: Sql): Promise<number | null> {
  const [row] = await sql<{ generation: number }[]>`select generation from direct.generation where live`;
  return row?.generation ?? null;
}

/**
 * Loads `sample` as a new generation and makes it live, in that order, so that a load that is cut off changes nothing
 * and the next one begins anew. The generation before it stays for those who still read it. Gives the new number.
 */
export async function load(sql: Sql, sample: Sample, nowMs: number): Promise<number> {
  const generation = ((await liveGeneration(sql)) ?? 0) + 1;
  await Promise.all([
    fill(sql, generation, company, sample.companies),
    fill(sql, generation, person, sample.people),
    fill(sql, generation, job, sample.jobs),
  ]);
  await sql.unsafe(
    `update direct.generation set live = false where live;
     insert into direct.generation values (${generation}, '${new Date(nowMs).toISOString()}', true);`,
  );
  return generation;
}

/** Fills a partition before it joins its table: indexes are built once, over rows that are all there. */
async function fill<T>(sql: Sql, generation: number, table: Table<T>, records: Iterable<T>): Promise<void> {
  const parent = `direct.${table.name}`;
  const partition = `${parent}_${generation}`;
  await sql.unsafe(
    `drop table if exists ${partition};
     create table ${partition} (like ${parent}, check (generation = ${generation}));`,
  );
  await copy(sql, partition, generation, table, records);
  await sql.unsafe(`alter table ${parent} attach partition ${partition} for values in (${generation})`);
  await sql.unsafe(`analyze ${partition}`);
}

async function copy<T>(
  sql: Sql,
  partition: string,
  generation: number,
  { columns }: Table<T>,
  records: Iterable<T>,
): Promise<void> {
  const names = Object.keys(columns).join(', ');
  const cells = Object.values(columns);
  const stream = await sql.unsafe(`copy ${partition} (generation, ${names}) from stdin`).writable();
  let chunk = '';
  for (const record of records) {
    chunk += `${generation}\t${cells.map((cell) => encoded(cell(record))).join('\t')}\n`;
    if (chunk.length < chunkCharacters) continue;
    if (!stream.write(chunk)) await once(stream, 'drain');
    chunk = '';
  }
  stream.end(chunk);
  await finished(stream);
}

/** A value in the text format of COPY. */
function encoded(cell: Cell): string {
  if (cell === null) return '\\N';
  if (cell instanceof Date) return cell.toISOString();
  if (typeof cell === 'object') return escaped(`{${cell.map(quoted).join(',')}}`);
  return typeof cell === 'string' ? escaped(cell) : String(cell);
}

function quoted(item: string): string {
  return `"${item.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
}

function escaped(text: string): string {
  return text.replace(/[\\\t\n\r]/g, (character) => escapes[character] ?? character);
}
const escapes: Readonly<Record<string, string>> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' };

const company: Table<SampleCompany> = {
  name: 'company',
  columns: {
    id: (record) => record.id,
    slug: (record) => record.slug,
    network_id: (record) => record.networkId,
    name: (record) => record.name,
    about: (record) => record.about,
    specialties: (record) => record.specialties,
    industry: (record) => record.industry,
    type: (record) => record.type,
    size: (record) => record.size,
    employees_on_network: (record) => record.employees,
    followers: (record) => record.followers,
    founded_year: (record) => record.foundedYear,
    hq_city: (record) => record.hq?.city ?? null,
    hq_state: (record) => record.hq?.state ?? null,
    hq_country_code: (record) => record.hq?.countryCode ?? null,
    domain: (record) => record.domain,
    website: (record) => record.website,
    is_agency: (record) => record.isAgency,
    activities: (record) => record.activities,
    categories: (record) => record.categories,
    search: ({ hq, ...record }) =>
      Lexeme.vector(
        CompanyFilter.lexemes({
          ...record,
          city: hq?.city ?? null,
          state: hq?.state ?? null,
          countryCode: hq?.countryCode ?? null,
        }),
      ),
  },
};

const person: Table<SamplePerson> = {
  name: 'person',
  columns: {
    id: (record) => record.id,
    company_id: (record) => record.companyId,
    first_name: (record) => record.firstName,
    last_name: (record) => record.lastName,
    title: (record) => record.title,
    job_level: (record) => record.jobLevel,
    job_function: (record) => record.jobFunction,
    city: (record) => record.city,
    country_code: (record) => record.countryCode,
  },
};

const job: Table<SampleJob> = {
  name: 'job',
  columns: {
    id: (record) => record.id,
    company_id: (record) => record.companyId,
    company_name: (record) => record.companyName,
    title: (record) => record.title,
    field: (record) => record.field,
    seniority: (record) => record.seniority,
    employment_type: (record) => record.employmentType,
    work_arrangement: (record) => record.workArrangement,
    city: (record) => record.city,
    country_code: (record) => record.countryCode,
    posted_at: (record) => new Date(record.postedMs),
    utc_offset_hours: (record) => record.utcOffsetHours,
    skills: (record) => record.skills,
    taxonomies: (record) => record.taxonomies,
    description: (record) => record.description,
    ai_summary: (record) => record.aiSummary,
    search: (record) => Lexeme.vector(JobFilter.lexemes(record)),
  },
};
