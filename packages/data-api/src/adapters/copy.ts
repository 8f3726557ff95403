import { once } from 'node:events';
import { finished } from 'node:stream/promises';
import { setImmediate } from 'node:timers/promises';
import type { Sql } from './database.ts';
import { partition, type TableName } from './staging.ts';

type Cell = string | number | boolean | readonly string[] | null;
/** The columns of a table except `version`, with the function that computes each from a record. */
export type Table<T> = { name: TableName; columns: Readonly<Record<string, (record: T) => Cell>> };

const chunkBytes = 128 * 1024;
/** Maximum length of a character of a JavaScript string in UTF-8. */
const utf8BytesMax = 3;
/** Target row size after wide columns are moved out of line (TOAST). A lower target would also move short columns. */
const narrowBytes = 512;
const withWideColumns: readonly TableName[] = ['company', 'person'];
/** Longest wait for the database to take rows. A connection can break in a way that its stream does not report. */
const waitMsMax = 20_000;
const ready = Promise.resolve();

/**
 * Creates the partition of a table, fills it with the records that `through` writes (each write must be awaited), and
 * returns the number of rows. Partition and rows are created in one transaction, so COPY can write frozen rows that no
 * later vacuum has to rewrite. On an error, closing the connection rolls both back.
 */
export async function fill<T>(
  connection: Sql,
  version: number,
  table: Table<T>,
  through: (write: (record: T) => Promise<void>) => Promise<void>,
): Promise<number> {
  const name = partition(table.name, version);
  const wide = withWideColumns.includes(table.name) ? `, toast_tuple_target = ${narrowBytes}` : '';
  await connection.unsafe(
    `begin;
     create table ${name} (like direct.${table.name} including storage, check (version = ${version}))
       with (autovacuum_enabled = false${wide});
     alter table ${name} alter version set default ${version}`,
  );
  const columns = Object.keys(table.columns).join(', ');
  const cells = Object.values(table.columns);
  const stream = await connection.unsafe(`copy ${name} (${columns}) from stdin with (freeze)`).writable();
  // Keep stream errors that occur between writes; the next write throws them.
  let failure: unknown = null;
  stream.on('error', (error) => {
    failure ??= error;
  });
  let chunk = Buffer.allocUnsafeSlow(chunkBytes);
  let used = 0;
  let rows = 0;

  async function flush(): Promise<void> {
    if (failure) throw failure;
    const hasRoom = stream.write(chunk.subarray(0, used));
    // The stream keeps the chunk until it has been sent.
    chunk = Buffer.allocUnsafeSlow(chunkBytes);
    used = 0;
    if (!hasRoom) await once(stream, 'drain', { signal: AbortSignal.timeout(waitMsMax) });
    // Yield to the event loop: with a fast database, `write` never has to wait.
    await setImmediate();
  }

  async function overflow(row: string): Promise<void> {
    await flush();
    if (row.length * utf8BytesMax > chunk.length) chunk = Buffer.allocUnsafeSlow(row.length * utf8BytesMax);
    used = chunk.write(row, 0);
  }

  await through((record) => {
    let row = encoded(cells[0]?.(record) ?? null);
    for (let at = 1; at < cells.length; at++) row += `\t${encoded(cells[at]?.(record) ?? null)}`;
    row += '\n';
    rows++;
    // Encoding row by row is faster than joining the rows to a long string first.
    if (row.length * utf8BytesMax > chunk.length - used) return overflow(row);
    used += chunk.write(row, used);
    return ready;
  });
  await flush();
  stream.end();
  await finished(stream, { signal: AbortSignal.timeout(waitMsMax) });
  await connection.unsafe('commit');
  return rows;
}

/** Encodes a value in the text format of COPY. */
function encoded(cell: Cell): string {
  if (cell === null) return '\\N';
  if (typeof cell === 'object') return escaped(`{${cell.map(quoted).join(',')}}`);
  return typeof cell === 'string' ? escaped(cell) : String(cell);
}

function quoted(item: string): string {
  return `"${item.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
}

function escaped(text: string): string {
  return /[\\\t\n\r]/.test(text)
    ? text.replace(/[\\\t\n\r]/g, (character) => escapes[character] ?? character)
    : text;
}
const escapes: Readonly<Record<string, string>> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' };
