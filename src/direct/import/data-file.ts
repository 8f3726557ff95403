import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open, readdir, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { pipeline, Transform } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { type Kind, kinds } from '../entries/kind.ts';
import * as KindSchema from './kind-schema.ts';
import type { Format } from './rows.ts';

/** A file to be imported. */
export type DataFile = { path: string; kind: Kind; format: Format; bytes: number };
export type Found = {
  /** By kind, then in the order in which they were given; those of a folder by name. */
  files: DataFile[];
  /** Files of a folder whose names say no kind. */
  passedOver: string[];
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

/** The kind that a file's name says, `people-2.csv.gz`; null where it says none. */
export function kindOf(name: string): Kind | null {
  const kind = namePattern.exec(name)?.groups?.kind;
  return kind === undefined ? null : KindSchema.kindNamed(kind);
}

/** Looks up the files that `paths` name, folders one level deep, and those whose kind `named` says. */
export async function find(paths: readonly string[], named: Named): Promise<Found> {
  const found: Found = { files: [], passedOver: [], faults: [] };
  for (const path of paths) {
    const entries = await readdir(path).catch(() => null);
    if (entries === null) {
      await add(found, path, kindOf(basename(path)));
      continue;
    }
    const before = found.files.length;
    for (const entry of entries.sort()) {
      const kind = kindOf(entry);
      if (kind === null) found.passedOver.push(join(path, entry));
      else await add(found, join(path, entry), kind);
    }
    if (found.files.length === before) found.faults.push(`${path} holds no file to import: ${nameRule}`);
  }
  for (const kind of kinds) for (const path of named[kind] ?? []) await add(found, path, kind);
  if (found.files.length > filesMax) found.faults.push(`more than ${filesMax} files at once`);
  found.files.sort((one, other) => kinds.indexOf(one.kind) - kinds.indexOf(other.kind));
  return found;
}

async function add(found: Found, path: string, kind: Kind | null): Promise<void> {
  const format = formats[/\.([a-z]+)(?:\.gz)?$/i.exec(path)?.[1]?.toLowerCase() ?? ''];
  const facts = await stat(path).catch(() => null);
  if (facts === null) found.faults.push(`${path} is not there`);
  else if (!facts.isFile())
    found.faults.push(`${path} is not an ordinary file: it is read twice, so it must be`);
  else if (kind === null)
    found.faults.push(
      `${path}: its name does not say what it holds: ${nameRule}, or say it: --people ${path}`,
    );
  else if (format === undefined) found.faults.push(`${path}: neither .jsonl nor .csv (or .gz of these)`);
  else if (found.files.some((file) => file.path === path)) found.faults.push(`${path} is given twice`);
  else found.files.push({ path, kind, format, bytes: facts.size });
}

/** The content of a file, unpacked where it is gzip. `onBytes` hears how much of the file itself was read. */
export async function* chunks(file: DataFile, onBytes: (bytes: Buffer) => void): AsyncGenerator<Uint8Array> {
  const source = createReadStream(file.path, { highWaterMark: chunkBytes });
  const heard = new Transform({
    readableHighWaterMark: chunkBytes,
    transform(chunk: Buffer, _, done) {
      onBytes(chunk);
      done(null, chunk);
    },
  });
  // A broken stream ends the last of the chain with its error, which the loop below then throws.
  const ignored = () => {};
  const content = (await isGzip(file.path))
    ? pipeline(source, heard, createGunzip({ chunkSize: chunkBytes }), ignored)
    : pipeline(source, heard, ignored);
  for await (const chunk of content) yield chunk as Uint8Array;
}

/** SHA-256 of a file as it lies there, in hex. */
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
