import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';

/** One row written, or removed where it is null. */
export type Change = [table: string, id: string, row: unknown];

/** An append-only file of JSON lines. A line holds all changes of one request, so that a replay never sees half of one. */
export type Journal = {
  append(changes: readonly Change[]): void;
  close(): void;
};

const fileName = 'sandbox.jsonl';

/**
 * Every change that the journal in `dir` holds, oldest first; nothing where there is none yet. A last line that a
 * crash cut short is left out: its request was never answered. Throws on any other line that is not JSON.
 */
export function replay(dir: string): Change[] {
  const path = join(dir, fileName);
  if (!existsSync(path)) return [];
  const lines = readFileSync(path, 'utf8').split('\n');
  const torn = lines.pop();
  if (torn === undefined) return [];
  return lines.flatMap((line) => JSON.parse(line) as Change[]);
}

/** Opens the journal in `dir` for appending, after rewriting it to `state` alone, so that it does not grow for ever. */
export function openJournal(dir: string, state: readonly Change[]): Journal {
  mkdirSync(dir, { recursive: true });
  const path = join(dir, fileName);
  const fresh = `${path}.new`;
  writeFileSync(fresh, state.map((change) => `${JSON.stringify([change])}\n`).join(''), { mode: 0o600 });
  renameSync(fresh, path);
  const file = openSync(path, 'a', 0o600);
  return {
    append: (changes) => {
      writeSync(file, `${JSON.stringify(changes)}\n`);
    },
    close: () => closeSync(file),
  };
}
