import * as Samples from '../../../bench/samples.ts';
import type { Prepared } from './data-set.ts';
import type { BenchCase, Times } from './measure.ts';

/** Milliseconds; null if not measured. */
export type Line = {
  name: string;
  page: number;
  rows: number;
  total: number | null;
  interface: { p50: number; p99: number };
  plain: { p50: number; p99: number } | null;
  /** Median ratio of the API's time to that of plain SQL, by round. */
  ratio: number | null;
  /** First request to a fresh process, without cached totals. */
  first: number | null;
  /** Difference to the result of plain SQL, or the error. */
  differs: string | null;
  /** Query plans of slow queries, if requested. */
  plans: string[];
};
export type Report = {
  machine: Readonly<Record<string, string | number>>;
  data: Prepared;
  lines: Line[];
  /** Over all queries: median of the medians, worst 99th percentile, median ratio, worst first request. */
  totals: { queries: number; p50: number; p99: number; ratio: number; first: number };
};

/** Target latency of warm queries on two cores. */
const aim = { p50: 15, p99: 150 };

export function lineOf({ query, rows, total, differs }: BenchCase, times: Times): Line {
  const { apiMs, plainMs, firstMs, ratios, refused } = times;
  return {
    name: query.name,
    page: query.page,
    rows,
    total,
    interface: spread(apiMs),
    plain: plainMs.length > 0 ? spread(plainMs) : null,
    ratio: ratios.length > 0 ? Samples.median(ratios) : null,
    first: firstMs.length > 0 ? Samples.median(firstMs) : null,
    differs: differs ?? (refused > 0 ? `${refused} answers were refusals` : null),
    plans: [],
  };
}

export function totalsOf(lines: readonly Line[]): Report['totals'] {
  const of = (pick: (line: Line) => number | null) => lines.map(pick).filter((value) => value !== null);
  return {
    queries: lines.length,
    p50: Samples.median(of((line) => line.interface.p50)),
    p99: Math.max(...of((line) => line.interface.p99)),
    ratio: Samples.median(of((line) => line.ratio)),
    first: Math.max(...of((line) => line.first)),
  };
}

function spread(samples: readonly number[]) {
  return { p50: Samples.median(samples), p99: Samples.quantile(samples, 0.99) };
}

/** Formats the report for a terminal with 120 columns. */
export function text({ machine, data, lines, totals }: Report): string {
  const head = ['', 'total', 'p50', 'p99', 'plain p50', 'p99', 'ratio', 'first', ''];
  const cells = lines.map((line) => [
    line.name,
    line.total === null ? '' : whole(line.total),
    milliseconds(line.interface.p50),
    milliseconds(line.interface.p99),
    milliseconds(line.plain?.p50),
    milliseconds(line.plain?.p99),
    line.ratio === null ? '' : line.ratio.toFixed(2),
    milliseconds(line.first),
    isSlow(line) ? '*' : '',
  ]);
  return [
    Object.entries(machine)
      .map(([name, value]) => `${name} ${value}`)
      .join(', '),
    ...stages(data),
    ...sizes(data),
    '',
    'Milliseconds. plain: the same rows, and the count where the interface counts, in SQL by hand. ratio: the interface',
    'over plain SQL, in turn. first: asked of a process that has not counted it yet. *: above the aim.',
    '',
    ...table([head, ...cells]),
    '',
    ...lines.flatMap(({ name, differs }) => (differs === null ? [] : [`WRONG: ${name}: ${differs}`])),
    `${totals.queries} queries: median ${milliseconds(totals.p50)} ms (aim ${aim.p50}), worst p99 ${milliseconds(totals.p99)} ms (aim ${aim.p99}), median ratio ${totals.ratio.toFixed(2)}, slowest first time ${milliseconds(totals.first)} ms`,
    ...lines.flatMap(({ name, plans }) => (plans.length > 0 ? ['', `== ${name}`, ...plans] : [])),
  ].join('\n');
}

/** Returns true if the query misses the target. */
export function isSlow({ interface: { p50, p99 } }: Pick<Line, 'interface'>): boolean {
  return p50 > aim.p50 || p99 > aim.p99;
}

function stages({ stages }: Prepared): string[] {
  if (stages.length === 0) return ['The data set was there.'];
  const total = {
    name: 'all',
    ms: Samples.sum(stages.map(({ ms }) => ms)),
    makingMs: Samples.sum(stages.map(({ makingMs }) => makingMs)),
    rows: Samples.sum(stages.map(({ rows }) => rows ?? 0)),
  };
  const lines = [...stages, total].map(({ name, ms, makingMs, rows }) => [
    name,
    seconds(ms),
    makingMs === 0 ? '' : seconds(makingMs),
    rows === null ? '' : whole(rows),
    rows === null ? '' : whole((rows * 1_000) / (ms - makingMs)),
  ]);
  return ['', ...table([['', 'took', 'making', 'rows', 'rows/s less the making'], ...lines])];
}

function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`;
}

function sizes({ tables }: Prepared): string[] {
  const rows = tables.map((one) => [
    one.table,
    whole(one.rows),
    megabytes(one.heapBytes),
    megabytes(one.wideBytes),
    megabytes(one.indexBytes),
  ]);
  return ['', ...table([['', 'rows', 'rows MB', 'wide columns MB', 'indexes MB'], ...rows])];
}

/** Aligns the first column left, the others right. */
function table(rows: readonly string[][]): string[] {
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
  return rows.map((row) =>
    row
      .map((cell, column) =>
        column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0),
      )
      .join('  ')
      .trimEnd(),
  );
}

function milliseconds(value: number | null | undefined): string {
  return value === null || value === undefined ? '' : value.toFixed(value < 100 ? 1 : 0);
}

function whole(value: number): string {
  return Math.round(value).toLocaleString('en');
}

function megabytes(bytes: number): string {
  return whole(bytes / 2 ** 20);
}
