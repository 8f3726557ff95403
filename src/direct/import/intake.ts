import { createHash } from 'node:crypto';
import { type Entries, type Kind, kinds } from '../entries/kind.ts';
import * as BadRows from './bad-rows.ts';
import * as DataFile from './data-file.ts';
import * as KindSchema from './kind-schema.ts';
import * as Rows from './rows.ts';

/** What was met in one file so far. */
export type Tally = { path: string; kind: Kind; rows: number; bad: number };
export type Listener = {
  file(file: DataFile.DataFile): void;
  read(bytes: number): void;
  row(isBad: boolean): void;
  bad(row: BadRows.BadRow): void;
};
/** Files that are not to be loaded: wrong as a whole, or with more bad rows than may be. */
export class Refused extends Error {}

/** The row that was read last, and its file. */
type Place = { tally: Tally; line: number; raw: string };

/** Reads files into entries, reports every row that does not become one, and says when there are too many of them. */
export class Intake {
  readonly tallies: Tally[] = [];
  readonly #places = new Map<Kind, Place>();
  readonly #listener: Listener;
  readonly #limit: BadRows.Limit;
  readonly #signal: AbortSignal;

  constructor(listener: Listener, limit: BadRows.Limit, signal: AbortSignal) {
    this.#listener = listener;
    this.#limit = limit;
    this.#signal = signal;
  }

  /**
   * The entries of `files`, all of one kind; `digests` are those that the files must still have. Throws `Refused`, or
   * the reason of the signal.
   */
  async *entries<K extends Kind>(
    kind: K,
    files: readonly DataFile.DataFile[],
    digests: ReadonlyMap<string, string>,
  ): AsyncGenerator<Entries[K]> {
    for (const file of files) {
      const tally: Tally = { path: file.path, kind, rows: 0, bad: 0 };
      this.tallies.push(tally);
      this.#listener.file(file);
      yield* this.#file(kind, file, tally, digests.get(file.path));
      this.#check(tally);
    }
  }

  async *#file<K extends Kind>(
    kind: K,
    file: DataFile.DataFile,
    tally: Tally,
    digest: string | undefined,
  ): AsyncGenerator<Entries[K]> {
    const place: Place = { tally, line: 0, raw: '' };
    this.#places.set(kind, place);
    const hash = createHash('sha256');
    const content = DataFile.chunks(file, (bytes) => {
      hash.update(bytes);
      this.#listener.read(bytes.length);
    });
    for await (const rows of rowsOf(kind, file, content)) {
      this.#signal.throwIfAborted();
      for (const row of rows) {
        tally.rows++;
        this.#listener.row(row.kind === 'bad');
        place.line = row.line;
        place.raw = row.raw;
        if (row.kind === 'entry') yield row.entry;
        else this.#bad(place, row.faults);
      }
    }
    // The first reading decided whether there is anything to do; this one must have seen the same.
    if (hash.digest('hex') !== digest) throw new Refused(`${file.path} was changed while it was read`);
  }

  /** Reports the entry of `kind` that was taken last as one that cannot go in after all. */
  refused(kind: Kind, field: string, message: string): void {
    const place = this.#places.get(kind);
    if (place) this.#bad(place, [{ field, message }]);
  }

  /** Throws `Refused` where more rows are bad than may be, or where of a kind there is no good one. */
  confirm(): void {
    for (const tally of this.tallies) this.#check(tally);
    for (const kind of kinds) {
      const tallies = this.tallies.filter((tally) => tally.kind === kind);
      if (tallies.length > 0 && tallies.every(({ rows, bad }) => rows === bad))
        throw new Refused(`There is not one good row of ${kind}`);
    }
  }

  #bad({ tally, line, raw }: Place, faults: BadRows.BadRow['faults']): void {
    tally.bad++;
    this.#listener.bad({ file: tally.path, line, kind: tally.kind, faults, raw });
  }

  #check({ path, rows, bad }: Tally): void {
    if (!BadRows.exceeds(this.#limit, bad, rows)) return;
    throw new Refused(
      `${bad} of ${rows} rows of ${path} are bad, more than --bad-rows-max allows (${BadRows.limitText(this.#limit)})`,
    );
  }
}

/** Reads the header and the first rows. Gives what is wrong with the file as a whole, if anything. */
export async function look(file: DataFile.DataFile): Promise<string[]> {
  try {
    for await (const _ of rowsOf(
      file.kind,
      file,
      DataFile.chunks(file, () => {}),
    ))
      break;
    return [];
  } catch (error) {
    if (error instanceof Refused) return [error.message];
    throw error;
  }
}

/** The rows of a file. What is wrong with it as a whole is thrown with its name. */
async function* rowsOf<K extends Kind>(
  kind: K,
  file: DataFile.DataFile,
  content: AsyncIterable<Uint8Array>,
): AsyncGenerator<Rows.Row<Entries[K]>[]> {
  try {
    yield* Rows.rows(KindSchema.of(kind), file.format, content);
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    const { code, syscall } = error as NodeJS.ErrnoException;
    if (code?.startsWith('Z_')) throw new Refused(`${file.path}: not a whole gzip file: ${error.message}`);
    if (error instanceof Rows.Unreadable || syscall !== undefined)
      throw new Refused(`${file.path}: ${error.message}`);
    throw error;
  }
}
