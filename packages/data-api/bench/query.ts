/** A row of a plain SQL statement. */
export type Row = Record<string, unknown>;

/** The same query in hand-written SQL on the same tables. */
export type Plain = {
  /** Statement for a page of up to `limit` rows that follow `after`, an SQL expression. */
  page(version: number, after: string | null, limit: number): string;
  /** Statement that counts all rows as `total`; null if the API does not count them. */
  count: ((version: number) => string) | null;
  /** Start of the next page, as SQL. */
  placeOf(row: Row): string;
  /** Identity of a row. Must equal `nameOf` of the same result of the API. */
  nameOf(row: Row): string;
};

export type Query = {
  name: string;
  path: string;
  body: object;
  /** Number of the measured page, from 1. The pages before it are fetched first. */
  page: number;
  /** Null if the operation does not use the database. */
  plain: Plain | null;
};

/** Operations that cache totals. */
const counting = [
  '/v2/search/people',
  '/v2/search/companies',
  '/v2/search/employee-finder',
  '/v2/jobs/search',
  '/v2/company/tam-by-jobs',
  '/v2/company/tam-by-people',
];

/** Returns true if the first request of the query is slower because it counts matches. */
export function counts({ path, page }: Query): boolean {
  return page === 1 && counting.includes(path);
}

export function query(name: string, path: string, body: object, plain: Plain | null, page = 1): Query {
  return { name, path, body, page, plain };
}

type Result = {
  network_url?: string;
  url?: string;
  company?: Result;
  person?: Result;
  matched_jobs?: number;
  matched_people?: number;
  basic_info?: { public_identifier: string };
};
type Answer = {
  results?: Result[];
  distribution?: { count: number }[];
  person?: Result | null;
  company?: Result | null;
};

/** Identities of the results of the API, in order; null if they have none. */
export function namesIn(answer: unknown): string[] | null {
  const { results, distribution, person, company } = answer as Answer;
  if (distribution) return distribution.map(({ count }) => String(count));
  const found = results ?? [person, company].filter((one) => one !== undefined && one !== null);
  return results || found.length > 0 ? found.map(nameOf) : null;
}

function nameOf(result: Result): string {
  const { network_url, url, basic_info } = result.company ?? result.person ?? result;
  const matched = result.matched_jobs ?? result.matched_people;
  const name = decodeURIComponent(
    (network_url ?? url ?? basic_info?.public_identifier ?? '').split('/').at(-1) ?? '',
  );
  return matched === undefined ? name : `${name} ${matched}`;
}
