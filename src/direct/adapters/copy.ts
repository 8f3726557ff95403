import { once } from 'node:events';
import { finished } from 'node:stream/promises';
import { setImmediate } from 'node:timers/promises';
import type { Sql } from './database.ts';
import { partition, type TableName } from './staging.ts';

type Cell = string | number | boolean | readonly string[] | null;
/** The columns of a table but `generation`, and how a record fills them. */
export type Table<T> = { name: TableName; columns: Readonly<Record<string, (record: T) => Cell>> };

const chunkCharacters = 128 * 1024;
/** Rows with wide columns set aside; less would set names aside too. */
const narrowBytes = 512;
const withWideColumns: readonly TableName[] = ['company', 'person'];
const ready = Promise.resolve();

/**
 * Makes the partition of a table and fills it with what `through` writes, each write to be awaited. Gives the number of
 * rows. Partition and rows come in one transaction, so that they are written as old and visible to all, and nothing has
 * to go over them again; where something is thrown there is neither, once the connection is closed.
 */
export async function fill<T>(
  connection: Sql,
  generation: number,
  table: Table<T>,
  through: (write: (record: T) => Promise<void>) => Promise<void>,
): Promise<number> {
  const name = partition(table.name, generation);
  const wide = withWideColumns.includes(table.name) ? `, toast_tuple_target = ${narrowBytes}` : '';
  await connection.unsafe(
    `begin;
     create table ${name} (like direct.${table.name} including storage, check (generation = ${generation}))
       with (autovacuum_enabled = false${wide});
     alter table ${name} alter generation set default ${generation}`,
  );
  const columns = Object.keys(table.columns).join(', ');
  const cells = Object.values(table.columns);
  const stream = await connection.unsafe(`copy ${name} (${columns}) from stdin with (freeze)`).writable();
  // What breaks while nobody waits for the stream is met at the next write.
  let failure: unknown = null;
  stream.on('error', (error) => {
    failure ??= error;
  });
  let chunk = '';
  let rows = 0;

  async function flush(): Promise<void> {
    if (failure) throw failure;
    const goesOn = stream.write(chunk);
    chunk = '';
    if (!goesOn) await once(stream, 'drain');
    // A database that keeps up never makes us wait, and everything else in this process wants its turn.
    await setImmediate();
  }

  await through((record) => {
    for (let at = 0; at < cells.length; at++) {
      const cell = encoded(cells[at]?.(record) ?? null);
      chunk += at === 0 ? cell : `\t${cell}`;
    }
    chunk += '\n';
    rows++;
    return chunk.length < chunkCharacters ? ready : flush();
  });
  await flush();
  stream.end();
  await finished(stream);
  await connection.unsafe('commit');
  return rows;
}

/** A value in the text format of COPY. */
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
