import { parse } from 'csv-parse/sync';

/** Prices of one model: USD for `per` units, by meter. Meters without a price are absent. */
export type PriceRow = { key: string; per: number; usd: Readonly<Record<string, string>>; line: number };

export type PriceFileReading = { ok: true; rows: PriceRow[] } | { ok: false; reason: string };

const rowsMax = 10_000;
const perUsual = 1_000_000;
const decimal = /^\d{1,9}(\.\d{1,12})?$/;
/** Names of columns in price lists of providers, and the meter of each. */
const meters: Readonly<Record<string, string>> = {
  prompt: 'input',
  cached: 'cached_input',
  cache_read: 'cached_input',
  completion: 'output',
  reasoning: 'thinking',
};

/**
 * Reads a price list in CSV with a header line: `key` (or `model`), the meters such as `input` and `output` in USD for a million units, and
 * optionally `per` with another number of units. `name` names the file in the reason, which has its line.
 */
export function readPrices(text: string, name: string): PriceFileReading {
  let records: { record: string[]; info: { lines: number } }[];
  try {
    records = parse(text, {
      ...{ bom: true, trim: true, skip_empty_lines: true, relax_column_count: true },
      info: true,
      to: rowsMax + 1,
    }) as unknown as typeof records;
  } catch (error) {
    return { ok: false, reason: `${name}: ${error instanceof Error ? error.message : String(error)}` };
  }
  const [head, ...lines] = records;
  if (head === undefined || lines.length === 0)
    return { ok: false, reason: `${name}:1 has no prices: write key,input,output and a line for each model` };
  const columns = head.record.map((column) => meterOf(column));
  if (columns[0] !== 'key')
    return { ok: false, reason: `${name}:1 begins with ${columns[0]}: the first column is key, the model` };
  const seen = new Set<string>();
  const rows: PriceRow[] = [];
  for (const { record, info } of lines) {
    const row = rowOf(columns, record, info.lines);
    if (typeof row === 'string') return { ok: false, reason: `${name}:${info.lines} ${row}` };
    if (seen.has(row.key))
      return { ok: false, reason: `${name}:${info.lines} has ${row.key} a second time: keep one` };
    seen.add(row.key);
    rows.push(row);
  }
  return { ok: true, rows };
}

function meterOf(column: string): string {
  const name = column
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/_(usd|price|tokens?)$/, '');
  return name === 'model' ? 'key' : (meters[name] ?? name);
}

function rowOf(columns: readonly string[], record: readonly string[], line: number): PriceRow | string {
  if (record.length !== columns.length) return `has ${record.length} values for ${columns.length} columns`;
  const usd: Record<string, string> = {};
  let per = perUsual;
  for (const [at, column] of columns.entries()) {
    const value = (record[at] ?? '').replace(/^\$/, '');
    if (column === 'key' || value === '') continue;
    if (column === 'per') per = Number(value.replaceAll('_', ''));
    else if (decimal.test(value)) usd[column] = value;
    else return `${column} ${JSON.stringify(value)} is not a decimal with at most 12 places, such as 0.15`;
  }
  if (![1, 1_000, 1_000_000].includes(per)) return 'per is not 1, 1000 or 1000000';
  const key = record[0] ?? '';
  return key === '' ? 'has no key: write the name of the model' : { key, per, usd, line };
}
