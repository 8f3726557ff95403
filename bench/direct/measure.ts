import type { Sql } from '../../src/direct/adapters/database.ts';
import * as Samples from '../samples.ts';
import type * as Program from './program.ts';
import { counts, namesIn, type Query, type Row } from './query.ts';

/** A query at its page: what to send, and the statements that ask the same. */
export type Stand = {
  query: Query;
  body: object;
  /** Rows on the page, all of them where they are counted, and what differs from plain SQL, if anything does. */
  rows: number;
  total: number | null;
  differs: string | null;
  statements: readonly string[];
};
/** Milliseconds. Ratios are the interface over plain SQL in the same turn. `refused` counts answers that are none. */
export type Times = {
  interfaceMs: number[];
  plainMs: number[];
  firstMs: number[];
  ratios: number[];
  refused: number;
};

const asksATurn = 5;
/** A plain statement that is so slow is not run in every turn. */
const plainMsMax = 6_000;
const plainTurnsMin = 3;
const warmUpsEach = 20;

/**
 * Turns the pages before the one that is measured, or before the last where there are fewer, and compares that one with
 * plain SQL, row by row.
 */
export async function stand(
  program: Program.Program,
  sql: Sql,
  generation: number,
  query: Query,
): Promise<Stand> {
  const { body, before, answer, refusal } = await turned(program, query);
  if (refusal !== null) return { query, body, rows: 0, total: null, differs: refusal, statements: [] };
  const total: number | null = answer.total_results ?? null;
  const names = namesIn(answer);
  const rows = names?.length ?? 1;
  const { plain } = query;
  if (plain === null) return { query, body, rows, total, differs: null, statements: [] };

  const last = before === 0 ? null : (await run(sql, plain.page(generation, null, before))).at(-1);
  const page = plain.page(generation, last ? plain.placeOf(last) : null, Math.max(rows, 1));
  const count = plain.count && (counts(query) || 'total_pages' in answer) ? plain.count(generation) : null;
  const found = (await run(sql, page)).map(plain.nameOf);
  const all = count === null ? null : Number((await run(sql, count))[0]?.total);
  const differs =
    difference(names, found) ?? (total !== null && all !== null ? difference([total], [all]) : null);
  return { query, body, rows, total, differs, statements: count === null ? [page] : [page, count] };
}

/** The page of the query: what asks for it, how many rows come before it, and what is on it. */
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

/** The first place in which they differ. */
function difference(interfaces: readonly unknown[] | null, plains: readonly unknown[]): string | null {
  if (interfaces === null || interfaces.join() === plains.join()) return null;
  const at = interfaces.findIndex((one, place) => String(one) !== String(plains[place]));
  return `${interfaces.length}, in plain SQL ${plains.length}; at ${at}: ${interfaces[at]}, in plain SQL ${plains[at]}`;
}

/** Everything in turn: each query a few times of the interface, then once in plain SQL, then the next, `rounds` times. */
export async function inTurn(
  program: Program.Program,
  sql: Sql,
  stands: readonly Stand[],
  rounds: number,
  tell: (text: string) => void,
): Promise<Map<Stand, Times>> {
  const all = new Map(
    stands.map((each) => [
      each,
      { interfaceMs: [], plainMs: [], firstMs: [], ratios: [], refused: 0 } as Times,
    ]),
  );
  // The first round only warms.
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
      times.interfaceMs.push(...asked);
      if (plainMs === null) continue;
      times.plainMs.push(plainMs);
      times.ratios.push(Samples.median(asked) / plainMs);
    }
  }
  return all;
}

/** The first question of its kind to a process that has counted nothing yet: the data are warm, the totals are not. */
export async function first(program: Program.Program, times: ReadonlyMap<Stand, Times>): Promise<void> {
  for (let nonce = 0; nonce < warmUpsEach; nonce++) {
    for (const [path, body] of compiling(`zq${nonce}`)) await program.ask(path, body);
  }
  for (const [{ query, body }, { firstMs }] of times) {
    if (counts(query)) firstMs.push((await program.ask(query.path, body)).ms);
  }
}

/** Questions that are not measured, each only once, for the code to be compiled before what is measured comes. */
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

/** Prepared, so that plain SQL is planned once and not each time. */
async function run(sql: Sql, statement: string): Promise<Row[]> {
  return await sql.unsafe<Row[]>(statement, [], { prepare: true });
}

async function timed(sql: Sql, statements: readonly string[]): Promise<number> {
  const started = performance.now();
  for (const statement of statements) await run(sql, statement);
  return performance.now() - started;
}
