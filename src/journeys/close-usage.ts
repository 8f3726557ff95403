import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createZstdCompress, createZstdDecompress } from 'node:zlib';
import type { Clock } from '@sluice/kernel/clock';
import { sha256Hex } from '@sluice/kernel/digest';
import * as KeyRing from '../identity/key-ring.ts';
import * as SignedUsageDay from '../identity/signed-usage-day.ts';
import { type ArchiveContent, type ArchiveStore, LinesDigest } from '../ledger/usage-archive.ts';
import type { ClosedDay, DayMeasure, UsageClosings } from '../ledger/usage-closing.ts';

export type ClosingContext = {
  readonly closings: UsageClosings;
  readonly archive: ArchiveStore;
  readonly ring: KeyRing.KeyRing;
  readonly clock: Clock;
};

/** `closed`: by this call. `done`: it was closed before. `open`: it cannot be closed yet, for `reason`. */
export type ClosingResult =
  | { kind: 'closed'; day: ClosedDay }
  | { kind: 'done' }
  | { kind: 'open'; reason: string };

const digestCharsInName = 16;
/** Lines are compressed and written in chunks of this size. */
const chunkChars = 256 * 1024;

/**
 * Closes a day of usage: writes its rows to an archive, reads the archive back, signs a record that names the record before it, and removes the rows. The
 * database does the last step only if the archive holds exactly the rows of the table. Safe to repeat, also after a crash and in two processes: an archive
 * is named after its content, and an existing one is never replaced.
 */
export async function closeDay(context: ClosingContext, day: string): Promise<ClosingResult> {
  const { closings, ring, clock } = context;
  const days = await closings.days();
  if (days.some((closed) => closed.day === day)) return { kind: 'done' };
  const next = await closings.next();
  if (next === null || day !== next)
    return {
      kind: 'open',
      reason: next === null ? 'there is no usage' : `days are closed in order: ${next} is next`,
    };
  const reason = await closings.openReason(day);
  if (reason !== null) return { kind: 'open', reason };
  const measure = await closings.measure(day);
  const name = `usage-${day}-${measure.usageDigest.slice(0, digestCharsInName)}.ndjson.zst`;
  const stored = await store(context, measure, day, name);
  if (stored === null) return closeDay(context, day);
  const last = days.at(-1);
  const previous = last === undefined ? null : sha256Hex(last.record);
  const now = clock();
  const record = await SignedUsageDay.sign(
    ring,
    {
      day,
      rows: stored.rows,
      calls: stored.calls,
      usage_sha256: measure.usageDigest,
      sums_sha256: measure.closingDigest,
      archive: name,
      archive_sha256: stored.fileDigest,
      archive_bytes: stored.bytes,
      previous,
    },
    now,
  );
  const closed: ClosedDay = {
    ...measure,
    day,
    calls: stored.calls,
    archive: name,
    archiveDigest: stored.fileDigest,
    archiveBytes: stored.bytes,
    record,
    publicJwk: { ...KeyRing.signer(ring, now).publicJwk },
  };
  return (await closings.close(closed, previous)) ? { kind: 'closed', day: closed } : { kind: 'done' };
}

/** The content of an archive, and the digest and length of its file. */
type Stored = ArchiveContent & { fileDigest: string; bytes: number };

/**
 * Archives the lines of a day under `name`, and returns what is read back from there. Returns null if another process closed the day meanwhile. Lines are
 * compared with the measurement before they are stored, too: a day that is being removed must not end as an empty archive.
 */
async function store(
  { closings, archive }: ClosingContext,
  measure: DayMeasure,
  day: string,
  name: string,
): Promise<Stored | null> {
  const dir = await mkdtemp(join(tmpdir(), 'sluice-usage-'));
  const path = join(dir, name);
  const isWhole = ({ rows, digest }: ArchiveContent) =>
    rows === measure.rows && digest.toString('hex') === measure.usageDigest;
  try {
    const lines = new LinesDigest();
    const written = createWriteStream(path, { mode: 0o600 });
    await pipeline(Readable.from(digested(closings.lines(day), lines)), createZstdCompress(), written);
    const read = lines.end();
    if (!isWhole(read)) {
      if ((await closings.next()) !== day) return null;
      throw new Error(
        `the usage of ${day} changed while it was archived: ${read.rows} rows of ${measure.rows}`,
      );
    }
    await archive.put(name, path);
    const stored = await readBack(archive, name);
    if (stored === null) throw new Error(`${name} is not in ${archive.place} after it was stored there`);
    if (!isWhole(stored))
      throw new Error(
        `${name} in ${archive.place} does not hold the usage of ${day}: ${stored.rows} rows of ${measure.rows}`,
      );
    return stored;
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

/** Yields the lines in chunks, because each chunk is a step of its own for the compression. */
async function* digested(lines: AsyncIterable<string>, digest: LinesDigest): AsyncGenerator<string> {
  let chunk = '';
  for await (const line of lines) {
    digest.add(line);
    chunk += `${line}\n`;
    if (chunk.length < chunkChars) continue;
    yield chunk;
    chunk = '';
  }
  if (chunk !== '') yield chunk;
}

/** Reads an archive. Returns null if it does not exist. Throws if it cannot be decompressed. */
export async function readBack(archive: ArchiveStore, name: string): Promise<Stored | null> {
  const file = await archive.get(name);
  if (file === null) return null;
  const hash = createHash('sha256');
  const lines = new LinesDigest();
  let bytes = 0;
  file.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    hash.update(chunk);
  });
  await pipeline(file, createZstdDecompress(), async (text: AsyncIterable<Buffer>) => {
    for await (const line of createInterface({
      input: Readable.from(text),
      crlfDelay: Number.POSITIVE_INFINITY,
    }))
      lines.add(line);
  });
  return { ...lines.end(), fileDigest: hash.digest('hex'), bytes };
}
