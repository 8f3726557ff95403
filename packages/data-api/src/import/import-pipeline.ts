import { createHash } from 'node:crypto';
import { type Entries, type Kind, kinds } from '../entries/kind.ts';
import * as BadRows from './bad-rows.ts';
import * as DataFile from './data-file.ts';
import * as KindSchema from './kind-schema.ts';
import * as RowShape from './row-shape.ts';
import * as Rows from './rows.ts';

/** Number of rows read from one file so far. */
export type FileCounts = { path: string; kind: Kind; isPart: boolean; rows: number; bad: number };
export type Listener = {
  file(file: DataFile.DataFile): void;
  read(bytes: number): void;
  row(isBad: boolean): void;
  bad(row: BadRows.BadRow): void;
};
/** Files cannot be imported: one is unreadable, or has too many bad rows. */
export class Refused extends Error {}

/** The last row that was read, and its file. */
type Place = { counts: FileCounts; line: number; raw: string };

/** Parses files to entries, reports bad rows, and refuses files with too many of them. */
export class ImportPipeline {
  readonly files: FileCounts[] = [];
  /** Per kind, for the entries of its own files. */
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
   * Entries of `files`, all of one kind. Throws `Refused` if a file no longer has its digest in `digests`, and the abort
   * reason of the signal.
   */
  async *entries<K extends Kind>(
    kind: K,
    files: readonly DataFile.DataFile[],
    digests: ReadonlyMap<string, string>,
  ): AsyncGenerator<Entries[K]> {
    for (const file of files) {
      const counts: FileCounts = {
        path: file.path,
        kind,
        isPart: DataFile.isPart(file),
        rows: 0,
        bad: 0,
      };
      this.files.push(counts);
      this.#listener.file(file);
      yield* this.#file(kind, file, counts, digests.get(file.path));
      this.#check(counts);
    }
  }

  async *#file<K extends Kind>(
    kind: K,
    file: DataFile.DataFile,
    counts: FileCounts,
    digest: string | undefined,
  ): AsyncGenerator<Entries[K]> {
    const place: Place = { counts, line: 0, raw: '' };
    if (!counts.isPart) this.#places.set(kind, place);
    const hash = createHash('sha256');
    const content = DataFile.chunks(file, (bytes) => {
      hash.update(bytes);
      this.#listener.read(bytes.length);
    });
    for await (const rows of rowsOf(kind, file, content)) {
      this.#signal.throwIfAborted();
      for (const row of rows) {
        counts.rows++;
        this.#listener.row(row.kind === 'bad');
        place.line = row.line;
        place.raw = row.raw;
        if (row.kind === 'entry') yield row.entry;
        else this.#bad(place, row.faults);
      }
    }
    // The digest decided if the file needs an import, so it must not have changed since.
    if (hash.digest('hex') !== digest)
      throw new Refused(`${file.path} changed during the import. Import it again`);
  }

  /** Reports the last entry of `kind` as a bad row. */
  refused(kind: Kind, field: string, message: string): void {
    const place = this.#places.get(kind);
    if (place) this.#bad(place, [{ field, message }]);
  }

  /** Throws `Refused` if there are too many bad rows, or no valid row of a kind. */
  confirm(): void {
    for (const counts of this.files) this.#check(counts);
    for (const kind of kinds) {
      const files = this.files.filter((counts) => counts.kind === kind && !counts.isPart);
      if (files.length > 0 && files.every(({ rows, bad }) => rows === bad))
        throw new Refused(`There are no valid rows of ${kind}`);
    }
  }

  #bad({ counts, line, raw }: Place, faults: BadRows.BadRow['faults']): void {
    counts.bad++;
    this.#listener.bad({ file: counts.path, line, kind: counts.kind, faults, raw });
  }

  #check({ path, rows, bad }: FileCounts): void {
    if (!BadRows.exceeds(this.#limit, bad, rows)) return;
    throw new Refused(
      `${bad} of ${rows} rows of ${path} are bad, more than --bad-rows-max allows (${BadRows.limitText(this.#limit)})`,
    );
  }
}

/** Reads the header and the first rows. Returns the errors of the file as a whole. */
export async function inspect(file: DataFile.DataFile): Promise<string[]> {
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

/** Rows of a file. Errors of the file as a whole are thrown with its name. */
async function* rowsOf<K extends Kind>(
  kind: K,
  file: DataFile.DataFile,
  content: AsyncIterable<Uint8Array>,
): AsyncGenerator<Rows.Row<Entries[K]>[]> {
  try {
    yield* Rows.rows(KindSchema.schemaOf(kind), file.format, content, RowShape.of(file.plan));
  } catch (error) {
    throw asRefused(file, error);
  }
}

/** Converts errors of a file as a whole to `Refused`, with its name. Returns other errors unchanged. */
export function asRefused(file: { path: string }, error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const { code, syscall } = error as NodeJS.ErrnoException;
  if (code?.startsWith('Z_'))
    return new Refused(`${file.path}: damaged or incomplete gzip file: ${error.message}`);
  if (error instanceof Rows.Unreadable || syscall !== undefined)
    return new Refused(`${file.path}: ${error.message}`);
  return error;
}
