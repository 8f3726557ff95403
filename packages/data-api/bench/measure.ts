import * as Samples from '../../../bench/samples.ts';
import type { Sql } from '../src/adapters/database.ts';
import type * as Program from './program.ts';
import { counts, namesIn, type Query, type Row } from './query.ts';

/** A query with the request for its measured page, and the equivalent SQL statements. */
export type BenchCase = {
  query: Query;
  body: object;
  /** Rows on the page, the total if counted, and the first difference to plain SQL, if any. */
  rows: number;
  total: number | null;
  differs: string | null;
  statements: readonly string[];
};
/** Times in milliseconds. A ratio is the API's time over that of plain SQL in the same round. `refused` counts errors. */
export type Times = {
  apiMs: number[];
  plainMs: number[];
  firstMs: number[];
  ratios: number[];
  refused: number;
};

const asksATurn = 5;
/** Slower plain statements are not run in every round. */
const plainMsMax = 6_000;
const plainTurnsMin = 3;
const warmUpsEach = 20;

/**
 * Fetches the pages before the measured one (or before the last one, if there are fewer), and compares the measured page
 * with plain SQL, row by row.
 */
export async function prepareCase(
  program: Program.Program,
  sql: Sql,
  version: number,
  query: Query,
): Promise<BenchCase> {
  const { body, before, answer, refusal } = await turned(program, query);
  if (refusal !== null) return { query, body, rows: 0, total: null, differs: refusal, statements: [] };
  const total: number | null = answer.total_results ?? null;
  const names = namesIn(answer);
  const rows = names?.length ?? 1;
  const { plain } = query;
  if (plain === null) return { query, body, rows, total, differs: null, statements: [] };

  const last = before === 0 ? null : (await run(sql, plain.page(version, null, before))).at(-1);
  const page = plain.page(version, last ? plain.placeOf(last) : null, Math.max(rows, 1));
  const count = plain.count && (counts(query) || 'total_pages' in answer) ? plain.count(version) : null;
  const found = (await run(sql, page)).map(plain.nameOf);
  const all = count === null ? null : Number((await run(sql, count))[0]?.total);
  const differs =
    difference(names, found) ?? (total !== null && all !== null ? difference([total], [all]) : null);
  return { query, body, rows, total, differs, statements: count === null ? [page] : [page, count] };
}

/** Fetches the measured page: its request, the number of rows before it, and its response. */
async function turned(program: Program.Program, { path, body: asked, page: wanted }: Query) {
  let body = asked;
  let before = 0;
  for (let page = 1; ; page++) {
    const { status, text } = await program.ask(path, body);
    const answer = JSON.parse(text);
    const refusal = status === 200 ? null : `${status} ${text}`;
    const isLast = 'total_pages' in answer ? page >= answer.total_pages : !answer.cursor;
    if (refusal !== null || page === wanted || isLast) return { body, before, answer, refusal };
    before += answer.results.length;
    body = { ...asked, ...('total_pages' in answer ? { page: page + 1 } : { cursor: answer.cursor }) };
  }
}

/** First difference between the two. */
function difference(results: readonly unknown[] | null, plains: readonly unknown[]): string | null {
  if (results === null || results.join() === plains.join()) return null;
  const at = results.findIndex((one, place) => String(one) !== String(plains[place]));
  return `${results.length}, in plain SQL ${plains.length}; at ${at}: ${results[at]}, in plain SQL ${plains[at]}`;
}

/** Measures all queries in `rounds` rounds: in each, a query runs several times on the API, then once in plain SQL. */
export async function inTurn(
  program: Program.Program,
  sql: Sql,
  cases: readonly BenchCase[],
  rounds: number,
  tell: (text: string) => void,
): Promise<Map<BenchCase, Times>> {
  const all = new Map(
    cases.map((each) => [each, { apiMs: [], plainMs: [], firstMs: [], ratios: [], refused: 0 } as Times]),
  );
  // The first round only warms up.
  for (let round = 0; round <= rounds; round++) {
    tell(round === 0 ? 'warming' : `round ${round} of ${rounds}`);
    for (const [{ query, body, statements }, times] of all) {
      const asked: number[] = [];
      for (let ask = 0; ask < asksATurn; ask++) {
        const { ms, status } = await program.ask(query.path, body);
        asked.push(ms);
        if (status !== 200) times.refused++;
      }
      const isDue = times.plainMs.length < plainTurnsMin || Samples.sum(times.plainMs) < plainMsMax;
      const plainMs = statements.length > 0 && isDue ? await timed(sql, statements) : null;
      if (round === 0) continue;
      times.apiMs.push(...asked);
      if (plainMs === null) continue;
      times.plainMs.push(plainMs);
      times.ratios.push(Samples.median(asked) / plainMs);
    }
  }
  return all;
}

/** Measures the first request to a fresh process: the database is warm, but no totals are cached. */
export async function first(program: Program.Program, times: ReadonlyMap<BenchCase, Times>): Promise<void> {
  for (let nonce = 0; nonce < warmUpsEach; nonce++) {
    for (const [path, body] of compiling(`zq${nonce}`)) await program.ask(path, body);
  }
  for (const [{ query, body }, { firstMs }] of times) {
    if (counts(query)) firstMs.push((await program.ask(query.path, body)).ms);
  }
}

/** Sends each request once without measuring it, so that the code is compiled before the measurement. */
function compiling(nonce: string): [path: string, body: object][] {
  const nurses = { title: { include: ['Nurse'], exclude: [nonce] } };
  const people = { job_title: nurses.title };
  return [
    ['/v2/search/people', { people }],
    ['/v2/search/companies', { company: { name: { include: ['Northwind'], exclude: [nonce] } } }],
    ['/v2/jobs/search', { job: nurses }],
    ['/v2/company/tam-by-jobs', { job: nurses }],
    ['/v2/company/tam-by-people', { people }],
    ['/v2/enrichment/person', { person_network_url: `https://www.network.example/in/${nonce}` }],
  ];
}

/** Runs a prepared statement, so that plain SQL is planned only once. */
async function run(sql: Sql, statement: string): Promise<Row[]> {
  return await sql.unsafe<Row[]>(statement, [], { prepare: true });
}

async function timed(sql: Sql, statements: readonly string[]): Promise<number> {
  const started = performance.now();
  for (const statement of statements) await run(sql, statement);
  return performance.now() - started;
}
