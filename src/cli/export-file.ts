import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { rename } from 'node:fs/promises';
import { fileWriter, ParquetWriter, schemaFromColumnData } from 'hyparquet-writer';
import type { Column, ExportRow } from '../payment/event-export.ts';

/** Rows that are kept in memory until they are written as a row group. */
const rowGroupRows = 10_000;

/**
 * Writes rows as NDJSON, to a file or to standard output.
 * @returns the number of rows
 */
export async function writeNdjson(pages: AsyncIterable<ExportRow[]>, path: string | null): Promise<number> {
  const out = path === null ? process.stdout : createWriteStream(partial(path));
  let rows = 0;
  for await (const page of pages) {
    rows += page.length;
    const isFull = !out.write(page.map((row) => `${JSON.stringify(row)}\n`).join(''));
    if (isFull) await once(out, 'drain');
  }
  if (path !== null) {
    out.end();
    await once(out, 'finish');
    await rename(partial(path), path);
  }
  return rows;
}

/**
 * Writes rows as a Parquet file. Memory is bounded by a row group.
 * @returns the number of rows
 */
export async function writeParquet(
  pages: AsyncIterable<ExportRow[]>,
  columns: readonly Column[],
  path: string,
): Promise<number> {
  let kept: ExportRow[] = [];
  let rows = 0;
  const parquet = new ParquetWriter({
    writer: fileWriter(partial(path)),
    schema: schemaFromColumnData({ columnData: columnData(columns, []) }),
    createdBy: 'sluice',
  });
  const flush = async () => {
    if (kept.length > 0)
      await parquet.write({ columnData: columnData(columns, kept), rowGroupSize: rowGroupRows });
    kept = [];
  };
  for await (const page of pages) {
    rows += page.length;
    kept.push(...page);
    if (kept.length >= rowGroupRows) await flush();
  }
  await flush();
  await parquet.finish();
  await rename(partial(path), path);
  return rows;
}

/** A file has its name only when it is complete. */
function partial(path: string): string {
  return `${path}.partial`;
}

function columnData(columns: readonly Column[], rows: readonly ExportRow[]) {
  return columns.map(({ name, type }) => ({
    name,
    nullable: true,
    type:
      type === 'whole' ? ('INT64' as const) : type === 'time' ? ('TIMESTAMP' as const) : ('STRING' as const),
    data: rows.map((row) => cell(row[name] ?? null, type)),
  }));
}

function cell(value: string | number | null, type: Column['type']): string | bigint | Date | null {
  if (value === null) return null;
  return type === 'whole' ? BigInt(value) : type === 'time' ? new Date(value) : String(value);
}
