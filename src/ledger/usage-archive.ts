import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';

/** A place for archives of usage: a folder, or a bucket. Names have no slashes, and a name is given to one content only. */
export interface ArchiveStore {
  /** The place for messages, without secrets. */
  readonly place: string;
  /** Stores the file at `path` under `name`, durably when the promise resolves. Keeps what is there under that name. Safe to repeat. */
  put(name: string, path: string): Promise<void>;
  /** Returns the content under `name`; null if there is none. */
  get(name: string): Promise<Readable | null>;
}

/** The content of an archive: its lines, its calls, and the digest over them. */
export type ArchiveContent = { rows: number; calls: number; digest: Buffer };

/** A line starts with `{"call_id":"`, and the first ten characters of the id name its block: about four seconds of calls. */
const idStart = '{"call_id":"'.length;
const blockChars = 10;
const firstDraw = '","draw":0,';

/**
 * Computes the digest of the lines of a day: SHA-256 over the SHA-256 of each block of lines. The lines come in the order of the table. The
 * function `ledger.usage_digest` computes the same, so a day is removed only if its archive holds exactly the rows of the table.
 */
export class LinesDigest {
  #whole = createHash('sha256');
  #block = createHash('sha256');
  #name = '';
  #rows = 0;
  #calls = 0;

  add(line: string): void {
    const name = line.slice(idStart, idStart + blockChars);
    if (name !== this.#name) this.#endBlock();
    else this.#block.update('\n');
    this.#name = name;
    this.#block.update(line, 'utf8');
    this.#rows++;
    if (line.startsWith(firstDraw, idStart + 36)) this.#calls++;
  }

  /** Returns the result. No line can be added afterwards. */
  end(): ArchiveContent {
    this.#endBlock();
    return { rows: this.#rows, calls: this.#calls, digest: this.#whole.digest() };
  }

  #endBlock(): void {
    if (this.#name === '') return;
    this.#whole.update(this.#block.digest());
    this.#block = createHash('sha256');
  }
}
