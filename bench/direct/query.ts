/** A row of plain SQL, with the columns that its statement names. */
export type Row = Record<string, unknown>;

/** The same question in SQL as somebody would write it by hand against the same tables. */
export type Plain = {
  /** One page of at most `limit` rows, after the row whose place is `after`, which is SQL. */
  page(generation: number, after: string | null, limit: number): string;
  /** The statement whose `total` is all of them; null where the interface does not count. */
  count: ((generation: number) => string) | null;
  /** Where the next page begins, as SQL. */
  placeOf(row: Row): string;
  /** What tells the row from others: has to be what `nameOf` gives for the result of the interface. */
  nameOf(row: Row): string;
};

export type Query = {
  name: string;
  path: string;
  body: object;
  /** Which page is measured, from 1: the ones before it are turned first. */
  page: number;
  /** Null where nothing of the database is asked. */
  plain: Plain | null;
};

/** The operations that keep the totals that they counted. */
const counting = [
  '/v2/search/people',
  '/v2/search/companies',
  '/v2/search/employee-finder',
  '/v2/jobs/search',
  '/v2/company/tam-by-jobs',
  '/v2/company/tam-by-people',
];

/** Whether it is slower for the first time, as something is counted then. */
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

/** What the interface calls what it found, in order; null where it has no name. */
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
