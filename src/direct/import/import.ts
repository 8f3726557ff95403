import { createHash } from 'node:crypto';
import { type Entries, type Kind, kinds } from '../entries/kind.ts';
import type { Limit } from './bad-rows.ts';
import * as DataFile from './data-file.ts';
import * as Intake from './intake.ts';

export type Digests = { [K in Kind]?: string };
export type Counts = { [K in Kind]?: number };
export type Load = {
  given: { [K in Kind]?: AsyncIterable<Entries[K]> };
  /** Names the content of each given kind. */
  digests: Digests;
  /** Hears of an entry that is left out, while it is the last that was taken of its kind. */
  refused(kind: Kind, ordinal: number, entry: unknown, field: string, reason: string): void;
  stage(name: string): void;
  /** Asked when all is in its place but cannot be seen yet; what it throws gives the load up. */
  confirm(): void;
};

/** Where data sets lie. */
export type DataSets = {
  live(): Promise<{ generation: number; digests: Digests } | null>;
  /**
   * Makes a new generation of what is given, and of the live one's where a kind is not, and puts it in the place of the
   * live one in one step. Whatever is thrown on the way, by an iterable too, leaves all as it was.
   */
  load(load: Load): Promise<{ generation: number; counts: Counts }>;
};

export type Wishes = {
  files: readonly DataFile.DataFile[];
  limit: Limit;
  /** Null to read and check only. */
  dataSets: DataSets | null;
  signal: AbortSignal;
  listener: Intake.Listener;
  /** Hears what is done next, and how many bytes of files it has to read. */
  stage(name: string, bytes: number): void;
};
export type Outcome =
  | { kind: 'loaded'; generation: number; counts: Counts; tallies: readonly Intake.Tally[] }
  | { kind: 'unchanged'; generation: number }
  | { kind: 'checked'; tallies: readonly Intake.Tally[] }
  | { kind: 'refused'; reasons: readonly string[]; tallies: readonly Intake.Tally[] };

/** Part of every digest: to be raised when the same files would be loaded otherwise than before. */
const version = 1;

/** Imports files as a whole: a new generation with them, nothing where they are the ones that are live, or a refusal. */
export async function run(wishes: Wishes): Promise<Outcome> {
  const { files, dataSets, listener, limit, signal } = wishes;
  const reasons: string[] = [];
  for (const file of files) reasons.push(...(await Intake.look(file)));
  if (reasons.length > 0) return { kind: 'refused', reasons, tallies: [] };

  const found = await digestsOf(wishes);
  const digests = byKind(files, found);
  const live = await dataSets?.live();
  if (live && kinds.every((kind) => digests[kind] === undefined || digests[kind] === live.digests[kind]))
    return { kind: 'unchanged', generation: live.generation };

  const intake = new Intake.Intake(listener, limit, signal);
  const given = grouped(files).map(([kind, ofKind]) => [kind, intake.entries(kind, ofKind, found)] as const);
  const { tallies } = intake;
  try {
    if (!dataSets) {
      for (const [, entries] of given) for await (const _ of entries);
      intake.confirm();
      return { kind: 'checked', tallies };
    }
    const loaded = await dataSets.load({
      given: Object.fromEntries(given),
      digests,
      refused: (kind, _ordinal, _entry, field, reason) => intake.refused(kind, field, reason),
      stage(name) {
        signal.throwIfAborted();
        wishes.stage(name, 0);
      },
      confirm() {
        signal.throwIfAborted();
        intake.confirm();
      },
    });
    return { kind: 'loaded', ...loaded, tallies };
  } catch (error) {
    if (!(error instanceof Intake.Refused)) throw error;
    return { kind: 'refused', reasons: [error.message], tallies };
  }
}

async function digestsOf({ files, signal, stage, listener }: Wishes): Promise<Map<string, string>> {
  const sum = files.reduce((bytes, file) => bytes + file.bytes, 0);
  stage('Looking at the files', sum);
  const found = new Map<string, string>();
  for (const file of files) {
    const digest = await DataFile.digest(file, (bytes) => {
      signal.throwIfAborted();
      listener.read(bytes);
    });
    found.set(file.path, digest);
  }
  return found;
}

/** One digest a kind: of its files in their order. */
function byKind(files: readonly DataFile.DataFile[], found: ReadonlyMap<string, string>): Digests {
  return Object.fromEntries(
    grouped(files).map(([kind, ofKind]) => {
      const content = ofKind.map((file) => `${file.format} ${found.get(file.path)}`);
      const hash = createHash('sha256').update([version, kind, ...content].join('\n'));
      return [kind, hash.digest('hex')];
    }),
  );
}

function grouped(files: readonly DataFile.DataFile[]): [Kind, DataFile.DataFile[]][] {
  return [...Map.groupBy(files, (file) => file.kind)];
}
