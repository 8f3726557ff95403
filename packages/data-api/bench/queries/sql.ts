import * as Geography from '../../src/filters/geography.ts';
import type { Plain } from '../query.ts';

/** SQL condition: the search vector `column` contains the words, as in `words('p.search', 't', 'data engineer')`. */
export function words(column: string, space: string, text: string): string {
  return matches(column, allOf(space, text));
}

/** SQL condition: one of the descriptive fields of a company contains all words of the text. */
export function described(column: string, text: string): string {
  return matches(column, ['b', 'p', 'n', 'g'].map((space) => `(${allOf(space, text)})`).join(' | '));
}

export function matches(column: string, question: string): string {
  return `${column} @@ $q$${question}$q$::tsquery`;
}

function allOf(space: string, text: string): string {
  return text
    .split(' ')
    .map((word) => `'${space}.${word}'`)
    .join(' & ');
}

/** SQL condition: `column` is one of the values. */
export function among(column: string, ...values: string[]): string {
  return `${column} = any(array[${values.map((value) => `'${value.replaceAll("'", "''")}'`).join(', ')}])`;
}

/** SQL condition: `column` is a country code of the continent or sales region. */
export function inArea(column: string, area: string): string {
  return among(column, ...Geography.countriesOf(area));
}

const withCompany = {
  none: '',
  inner: 'join direct.company c on c.version = p.version and c.id = p.company_id',
  left: 'left join direct.company c on c.version = p.version and c.id = p.company_id',
};
type Joining = keyof typeof withCompany;

export function people(where: string, joining: Joining = 'none'): Plain {
  const from = (version: number) =>
    `from direct.person p ${withCompany[joining]} where p.version = ${version} and ${where}`;
  return {
    page: (version, after, limit) =>
      `select p.id, p.slug, p.record ${from(version)} ${after === null ? '' : `and p.id > ${after}`}
       order by p.id limit ${limit}`,
    count: (version) => `select count(*) as total ${from(version)}`,
    placeOf: ({ id }) => String(id),
    nameOf: ({ slug }) => String(slug),
  };
}

const companyColumns = `c.id, c.slug, c.network_id, c.name, c.about, c.specialties, c.industry, c.type, c.size,
  c.employees_on_network, c.followers, c.founded_year, c.hq_city, c.hq_state, c.hq_country_code, c.domain, c.website`;

export function companies(where: string): Plain {
  const from = (version: number) => `from direct.company c where c.version = ${version} and ${where}`;
  return {
    page: (version, after, limit) =>
      `select ${companyColumns} ${from(version)} ${after === null ? '' : `and c.id > ${after}`}
       order by c.id limit ${limit}`,
    count: (version) => `select count(*) as total ${from(version)}`,
    placeOf: ({ id }) => String(id),
    nameOf: ({ slug }) => String(slug),
  };
}

export function jobs(where: string, joining: Joining = 'none'): Plain {
  const join = withCompany[joining].replaceAll('p.', 'j.');
  const from = (version: number) => `from direct.job j ${join} where j.version = ${version} and ${where}`;
  return {
    page: (version, after, limit) =>
      `select j.id, j.posted_at, j.utc_offset_hours, j.title, j.company_name, j.company_slug, j.ai_summary, j.city,
              j.country_code
       ${from(version)} ${after === null ? '' : `and (j.posted_at, j.id) < ${after}`}
       order by j.posted_at desc, j.id desc limit ${limit}`,
    count: (version) => `select count(*) as total ${from(version)}`,
    placeOf: ({ posted_at, id }) => `('${(posted_at as Date).toISOString()}'::timestamptz, ${id})`,
    nameOf: ({ id }) => String(id),
  };
}

/** Companies with at least `min` people or jobs that meet `where`. */
export function employers(of: 'person' | 'job', where: string, joining: Joining = 'none', min = 1): Plain {
  const alias = of === 'person' ? 'p' : 'j';
  const join = withCompany[joining].replaceAll('p.', `${alias}.`);
  return {
    page: (version, after, limit) =>
      `with met as (
         select ${alias}.company_id, count(*) as matched from direct.${of} ${alias} ${join}
         where ${alias}.version = ${version} and ${alias}.company_id > ${after ?? 0} and ${where}
         group by ${alias}.company_id having count(*) >= ${min} order by ${alias}.company_id limit ${limit}
       )
       select ${companyColumns}, met.matched
       from met join direct.company c on c.version = ${version} and c.id = met.company_id order by c.id`,
    count: null,
    placeOf: ({ id }) => String(id),
    nameOf: ({ slug, matched }) => `${slug} ${matched}`,
  };
}

/** A query without pages. */
export function lookup(statement: (version: number) => string): Plain {
  return {
    page: (version) => statement(version),
    count: null,
    placeOf: () => '0',
    nameOf: ({ slug }) => String(slug),
  };
}

/** SQL expression for the id of a company. */
export function companyId(slug: string, version: number): string {
  return `(select id from direct.company where version = ${version} and slug = '${slug}')`;
}
