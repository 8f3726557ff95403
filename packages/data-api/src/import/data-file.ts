import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open, readdir, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { pipeline, Transform } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { type Kind, kinds } from '../entries/kind.ts';
import * as KindSchema from './kind-schema.ts';
import type { RowPlan } from './row-plan.ts';
import type { Format } from './rows.ts';

/** A file to be imported. Without a plan its columns and fields are exactly ours. */
export type DataFile = { path: string; kind: Kind; format: Format; bytes: number; plan?: RowPlan };
/** Returns true if the file is of another kind, and some of its columns contain the entries. */
export function isPart({ plan }: DataFile): boolean {
  return plan !== undefined && plan.part !== null;
}

export type Found = {
  /** Ordered by kind, then as given; files of a folder by name. */
  files: DataFile[];
  /** Files of a folder whose names start with no kind. */
  skipped: string[];
  faults: string[];
};
export type Named = Partial<Record<Kind, readonly string[]>>;

const chunkBytes = 256 * 1024;
const filesMax = 1_000;
const namePattern = /^(?<kind>[a-z]+)(?:[-_. ].*)?\.(?:jsonl|ndjson|json|csv|tsv)(?:\.gz)?$/i;
const formats: Readonly<Record<string, Format>> = {
  jsonl: 'jsonl',
  ndjson: 'jsonl',
  json: 'jsonl',
  csv: 'csv',
  tsv: 'csv',
};
const nameRule = 'name it companies, people, jobs, emails or phones, as in people.csv.gz or jobs-2.jsonl';

/** Kind of data by file name, such as `people-2.csv.gz`; null if there is none. */
export function kindOf(name: string): Kind | null {
  const kind = namePattern.exec(name)?.groups?.kind;
  return kind === undefined ? null : KindSchema.kindNamed(kind);
}

/** Finds the files to import: `paths`, which may be folders (not recursive), and `named`, files by kind. */
export async function find(paths: readonly string[], named: Named): Promise<Found> {
  const found: Found = { files: [], skipped: [], faults: [] };
  for (const path of paths) {
    const entries = await readdir(path).catch(() => null);
    if (entries === null) {
      await add(found, path, kindOf(basename(path)));
      continue;
    }
    const before = found.files.length;
    for (const entry of entries.sort()) {
      const kind = kindOf(entry);
      if (kind === null) found.skipped.push(join(path, entry));
      else await add(found, join(path, entry), kind);
    }
    if (found.files.length === before) found.faults.push(`${path} contains no file to import: ${nameRule}`);
  }
  for (const kind of kinds) for (const path of named[kind] ?? []) await add(found, path, kind);
  if (found.files.length > filesMax)
    found.faults.push(`there are more than ${filesMax} files. Import them in several steps`);
  found.files.sort((one, other) => kinds.indexOf(one.kind) - kinds.indexOf(other.kind));
  return found;
}

async function add(found: Found, path: string, kind: Kind | null): Promise<void> {
  const format = formats[/\.([a-z]+)(?:\.gz)?$/i.exec(path)?.[1]?.toLowerCase() ?? ''];
  const facts = await stat(path).catch(() => null);
  if (facts === null) found.faults.push(`${path} does not exist`);
  else if (!facts.isFile())
    found.faults.push(`${path} is not a regular file. Imports read files twice, so pipes are not supported`);
  else if (kind === null)
    found.faults.push(
      `${path}: its name starts with no kind of data. Either ${nameRule}, or use an option such as --people ${path}`,
    );
  else if (format === undefined)
    found.faults.push(`${path} is not a .jsonl, .ndjson, .csv or .tsv file (optionally .gz)`);
  else if (found.files.some((file) => file.path === path)) found.faults.push(`${path} is listed twice`);
  else found.files.push({ path, kind, format, bytes: facts.size });
}

/** Reads a file, decompressing gzip. `onBytes` receives the raw bytes of the file. */
export async function* chunks(file: DataFile, onBytes: (bytes: Buffer) => void): AsyncGenerator<Uint8Array> {
  const source = createReadStream(file.path, { highWaterMark: chunkBytes });
  const counted = new Transform({
    readableHighWaterMark: chunkBytes,
    transform(chunk: Buffer, _, done) {
      onBytes(chunk);
      done(null, chunk);
    },
  });
  // An error in any stream destroys the last one, and the loop below throws it.
  const ignored = () => {};
  const content = (await isGzip(file.path))
    ? pipeline(source, counted, createGunzip({ chunkSize: chunkBytes }), ignored)
    : pipeline(source, counted, ignored);
  for await (const chunk of content) yield chunk as Uint8Array;
}

/** SHA-256 of the raw file, in hex. */
export async function digest(file: DataFile, onBytes: (bytes: number) => void): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(file.path, { highWaterMark: chunkBytes })) {
    hash.update(chunk as Buffer);
    onBytes((chunk as Buffer).length);
  }
  return hash.digest('hex');
}

async function isGzip(path: string): Promise<boolean> {
  const file = await open(path);
  try {
    const { bytesRead, buffer } = await file.read(Buffer.alloc(2), 0, 2, 0);
    return bytesRead === 2 && buffer[0] === 0x1f && buffer[1] === 0x8b;
  } finally {
    await file.close();
  }
}
