import { createHash } from 'node:crypto';
import { type Entries, type Kind, kinds } from '../entries/kind.ts';
import type { Limit } from './bad-rows.ts';
import * as DataFile from './data-file.ts';
import * as ImportPipeline from './import-pipeline.ts';

export type Digests = { [K in Kind]?: string };
export type Counts = { [K in Kind]?: number };
export type Load = {
  given: { [K in Kind]?: AsyncIterable<Entries[K]> };
  /**
   * Entries found in files of other kinds. They are added to those given, otherwise to the existing ones, of which they
   * update those with the same key.
   */
  found?: { [K in Kind]?: AsyncIterable<Entries[K]> };
  /** Drops all existing entries, so that only those given and found remain. */
  dropsOthers?: boolean;
  /** Identifies the content of each given kind. */
  digests: Digests;
  /** Called for each entry that is left out; it is the last entry of its kind that was read. */
  refused(kind: Kind, ordinal: number, entry: unknown, field: string, reason: string): void;
  stage(name: string): void;
  /** Called when everything is loaded but not yet live. Throw here to abort the load. */
  confirm(): void;
};

/** The data sets of a database. */
export type DataSets = {
  live(): Promise<{ version: number; digests: Digests } | null>;
  /**
   * Creates a new version from the given kinds and, for the others, from the live version, and makes it live in one step.
   * If anything throws, including an iterable, nothing changes.
   */
  load(load: Load): Promise<{ version: number; counts: Counts }>;
};

export type ImportOptions = {
  files: readonly DataFile.DataFile[];
  limit: Limit;
  /** Null for a dry run. */
  dataSets: DataSets | null;
  /** True if all existing data are dropped, also those of the kinds without a file. */
  dropsOthers?: boolean;
  signal: AbortSignal;
  listener: ImportPipeline.Listener;
  /** Called when a stage begins, with the number of bytes it will read. */
  stage(name: string, bytes: number): void;
};
export type Outcome =
  | { kind: 'loaded'; version: number; counts: Counts; files: readonly ImportPipeline.FileCounts[] }
  | { kind: 'unchanged'; version: number }
  | { kind: 'checked'; files: readonly ImportPipeline.FileCounts[] }
  | { kind: 'refused'; reasons: readonly string[]; files: readonly ImportPipeline.FileCounts[] };

/** Part of every digest. Increase it when the same files would be imported differently than before. */
const digestVersion = 2;

/** Imports files as a new version. Does nothing if the same files are live already. */
export async function run(options: ImportOptions): Promise<Outcome> {
  const { files, dataSets, listener, limit, signal } = options;
  const reasons: string[] = [];
  for (const file of files) if (!DataFile.isPart(file)) reasons.push(...(await ImportPipeline.inspect(file)));
  if (reasons.length > 0) return { kind: 'refused', reasons, files: [] };

  const found = await digestsOf(options);
  const digests = byKind(files, found, options.dropsOthers === true);
  const live = await dataSets?.live();
  if (live && kinds.every((kind) => digests[kind] === undefined || digests[kind] === live.digests[kind]))
    return { kind: 'unchanged', version: live.version };

  const pipeline = new ImportPipeline.ImportPipeline(listener, limit, signal);
  const entriesOf = (some: readonly DataFile.DataFile[]) =>
    Object.fromEntries(
      grouped(some).map(([kind, ofKind]) => [kind, pipeline.entries(kind, ofKind, found)] as const),
    );
  const given = entriesOf(files.filter((file) => !DataFile.isPart(file)));
  const inOthers = entriesOf(files.filter(DataFile.isPart));
  const counts = pipeline.files;
  try {
    if (!dataSets) {
      for (const entries of [...Object.values(given), ...Object.values(inOthers)])
        for await (const _ of entries);
      pipeline.confirm();
      return { kind: 'checked', files: counts };
    }
    const loaded = await dataSets.load({
      given,
      found: inOthers,
      dropsOthers: options.dropsOthers === true,
      digests,
      refused: (kind, _ordinal, _entry, field, reason) => pipeline.refused(kind, field, reason),
      stage(name) {
        signal.throwIfAborted();
        options.stage(name, 0);
      },
      confirm() {
        signal.throwIfAborted();
        pipeline.confirm();
      },
    });
    return { kind: 'loaded', ...loaded, files: counts };
  } catch (error) {
    if (!(error instanceof ImportPipeline.Refused)) throw error;
    return { kind: 'refused', reasons: [error.message], files: counts };
  }
}

async function digestsOf({ files, signal, stage, listener }: ImportOptions): Promise<Map<string, string>> {
  const once = files.filter((file) => !DataFile.isPart(file));
  const sum = once.reduce((bytes, file) => bytes + file.bytes, 0);
  stage('Checking the files', sum);
  const found = new Map<string, string>();
  for (const file of once) {
    const digest = await DataFile.digest(file, (bytes) => {
      signal.throwIfAborted();
      listener.read(bytes);
    });
    found.set(file.path, digest);
  }
  return found;
}

/** One digest per kind, of its files in order and their plans. */
function byKind(
  files: readonly DataFile.DataFile[],
  found: ReadonlyMap<string, string>,
  dropsOthers: boolean,
): Digests {
  const byFile = grouped(files).map(([kind, ofKind]) => {
    const content = ofKind.map(
      (file) => `${file.format} ${found.get(file.path)} ${JSON.stringify(file.plan)}`,
    );
    return [kind, digestOf(kind, content)] as const;
  });
  const none = dropsOthers ? kinds.map((kind) => [kind, digestOf(kind, [])] as const) : [];
  return Object.fromEntries([...none, ...byFile]);
}

function digestOf(kind: Kind, content: readonly string[]): string {
  return createHash('sha256')
    .update([digestVersion, kind, ...content].join('\n'))
    .digest('hex');
}

function grouped(files: readonly DataFile.DataFile[]): [Kind, DataFile.DataFile[]][] {
  return [...Map.groupBy(files, (file) => file.kind)];
}
