import * as Geography from '../../../src/direct/filters/geography.ts';
import type { Plain } from '../query.ts';

/** That the search vector `column` holds it: `words('p.search', 't', 'data engineer')`. */
export function words(column: string, space: string, text: string): string {
  return matches(column, allOf(space, text));
}

/** That all words of a text stand in one of these parts of a company's description. */
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

/** That `column` is one of them. */
export function among(column: string, ...values: string[]): string {
  return `${column} = any(array[${values.map((value) => `'${value.replaceAll("'", "''")}'`).join(', ')}])`;
}

/** That `column` is the code of a country of that continent or sales region. */
export function inArea(column: string, area: string): string {
  return among(column, ...Geography.countriesOf(area));
}

const withCompany = {
  none: '',
  inner: 'join direct.company c on c.generation = p.generation and c.id = p.company_id',
  left: 'left join direct.company c on c.generation = p.generation and c.id = p.company_id',
};
type Joining = keyof typeof withCompany;

export function people(where: string, joining: Joining = 'none'): Plain {
  const from = (generation: number) =>
    `from direct.person p ${withCompany[joining]} where p.generation = ${generation} and ${where}`;
  return {
    page: (generation, after, limit) =>
      `select p.id, p.slug, p.record ${from(generation)} ${after === null ? '' : `and p.id > ${after}`}
       order by p.id limit ${limit}`,
    count: (generation) => `select count(*) as total ${from(generation)}`,
    placeOf: ({ id }) => String(id),
    nameOf: ({ slug }) => String(slug),
  };
}

const companyColumns = `c.id, c.slug, c.network_id, c.name, c.about, c.specialties, c.industry, c.type, c.size,
  c.employees_on_network, c.followers, c.founded_year, c.hq_city, c.hq_state, c.hq_country_code, c.domain, c.website`;

export function companies(where: string): Plain {
  const from = (generation: number) =>
    `from direct.company c where c.generation = ${generation} and ${where}`;
  return {
    page: (generation, after, limit) =>
      `select ${companyColumns} ${from(generation)} ${after === null ? '' : `and c.id > ${after}`}
       order by c.id limit ${limit}`,
    count: (generation) => `select count(*) as total ${from(generation)}`,
    placeOf: ({ id }) => String(id),
    nameOf: ({ slug }) => String(slug),
  };
}

export function jobs(where: string, joining: Joining = 'none'): Plain {
  const join = withCompany[joining].replaceAll('p.', 'j.');
  const from = (generation: number) =>
    `from direct.job j ${join} where j.generation = ${generation} and ${where}`;
  return {
    page: (generation, after, limit) =>
      `select j.id, j.posted_at, j.utc_offset_hours, j.title, j.company_name, j.company_slug, j.ai_summary, j.city,
              j.country_code
       ${from(generation)} ${after === null ? '' : `and (j.posted_at, j.id) < ${after}`}
       order by j.posted_at desc, j.id desc limit ${limit}`,
    count: (generation) => `select count(*) as total ${from(generation)}`,
    placeOf: ({ posted_at, id }) => `('${(posted_at as Date).toISOString()}'::timestamptz, ${id})`,
    nameOf: ({ id }) => String(id),
  };
}

/** Companies with at least `min` people or jobs that meet `where`. */
export function employers(of: 'person' | 'job', where: string, joining: Joining = 'none', min = 1): Plain {
  const alias = of === 'person' ? 'p' : 'j';
  const join = withCompany[joining].replaceAll('p.', `${alias}.`);
  return {
    page: (generation, after, limit) =>
      `with met as (
         select ${alias}.company_id, count(*) as matched from direct.${of} ${alias} ${join}
         where ${alias}.generation = ${generation} and ${alias}.company_id > ${after ?? 0} and ${where}
         group by ${alias}.company_id having count(*) >= ${min} order by ${alias}.company_id limit ${limit}
       )
       select ${companyColumns}, met.matched
       from met join direct.company c on c.generation = ${generation} and c.id = met.company_id order by c.id`,
    count: null,
    placeOf: ({ id }) => String(id),
    nameOf: ({ slug, matched }) => `${slug} ${matched}`,
  };
}

/** A single statement for what has no pages. */
export function lookup(statement: (generation: number) => string): Plain {
  return {
    page: (generation) => statement(generation),
    count: null,
    placeOf: () => '0',
    nameOf: ({ slug }) => String(slug),
  };
}

/** The id of a company, as part of a statement. */
export function companyId(slug: string, generation: number): string {
  return `(select id from direct.company where generation = ${generation} and slug = '${slug}')`;
}
