import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { access, open, realpath, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { sha256Hex } from '@sluice/kernel/digest';
import * as Log from '../adapters/log/log.ts';
import * as CatalogFile from '../catalog/file.ts';
import * as Source from '../catalog/source.ts';
import { type SourceChange, sourceChanges } from '../catalog/source-diff.ts';
import { format, member } from '../catalog/source-location.ts';
import * as UpstreamAccess from '../catalog/upstream-access.ts';
import type {
  CatalogEditor,
  ListedPublication,
  Proposal,
  ProposalFault,
  PublishResult,
} from '../journeys/catalog-editing.ts';
import type { ReloadResult } from '../journeys/reload.ts';
import type { ReloadPreview } from '../journeys/reload-preview.ts';
import type { Resources } from './resources.ts';

/** The errors of a file that may not be replaced; `EBUSY` is a single file that is mounted into a container. */
const readOnlyCodes = new Set(['EACCES', 'EPERM', 'EROFS', 'EBUSY', 'EXDEV']);
/** Every process has adopted a publication by then. Until then, one with an older file publishes nothing. */
const adoptionMsMax = 60_000;
/** Publications whose changes the list names. */
const comparedMax = 20;
const serverOnly =
  'decides where the shop sends its API keys, what they are used for and which files it reads: that can only be changed in the file on the server.';

/** The part of the reloader that the editor needs. */
type Reloading = {
  readonly current: { readonly config: { readonly catalogPath: string } };
  preview(proposed?: string | null): Promise<ReloadPreview>;
  takeHere(who: string, digest: string | null): Promise<ReloadResult>;
  tellOthers(): Promise<void>;
};

export type LocalCatalogEditor = CatalogEditor & {
  /**
   * Writes the text of a publication to this machine's file, if the file still has the text that the publication replaced. Processes on other
   * machines get the catalogue in this way. Does nothing when the file differs for another reason, or the publication is old.
   */
  adopt(digest: string): Promise<void>;
};

/** Opens the editor of the catalogue that the current settings name. */
export function openCatalogEditor(reloading: Reloading, resources: Resources): LocalCatalogEditor {
  const path = () => reloading.current.config.catalogPath;
  const history = openHistory(resources);
  return {
    async file() {
      const text = await CatalogFile.readText(path());
      return { name: basename(path()), text, digest: sha256Hex(text), isWritable: await isWritable(path()) };
    },
    propose: (text) => propose(reloading, text),
    async publish(edit, who) {
      const done = await resources.publications.exclusively(() => publish(reloading, resources, edit, who));
      return done ?? { kind: 'stale' };
    },
    history,
    textOf: (digest) => resources.publications.textOf(digest),
    last: () => resources.publications.last(null),
    publication: (id) => resources.publications.find(id),
    async adopt(digest) {
      const published = await resources.publications.last(digest);
      if (published === null || resources.kept.clock() - published.atMs > adoptionMsMax) return;
      if ((await CatalogFile.readText(path())) !== published.textBefore) return;
      await replace(path(), published.text);
    },
  };
}

/** Lists publications. The texts of the newest ones are compared once: a publication never changes. */
function openHistory({ publications }: Resources): CatalogEditor['history'] {
  let compared = new Map<number, readonly SourceChange[]>();
  return async (max) => {
    const known = compared;
    const listed: ListedPublication[] = [];
    // One after another, so that the event loop serves calls between two comparisons.
    for (const [at, one] of (await publications.list(max)).entries()) {
      const found = at < comparedMax && !known.has(one.id) ? await publications.find(one.id) : null;
      const changes = found ? sourceChanges(found.textBefore, found.text) : (known.get(one.id) ?? null);
      listed.push({ ...one, changes });
    }
    compared = new Map(
      listed.flatMap(({ id, changes }, at) => (changes && at < comparedMax ? [[id, changes]] : [])),
    );
    return listed;
  };
}

async function propose(reloading: Reloading, text: string): Promise<Proposal> {
  const path = reloading.current.config.catalogPath;
  const parsed = CatalogFile.parse(text, path);
  if (!parsed.ok) return { kind: 'faulty', faults: parsed.faults };
  const moved = UpstreamAccess.difference(await CatalogFile.readText(path), text);
  if (moved !== null) {
    const source = Source.read(text);
    const key = moved[0] ?? '';
    // A part that was taken out as a whole has no line.
    const isThere = member({ value: source.value, path: [] }, String(key)).value !== undefined;
    const fault = { path: format(moved), line: isThere ? source.locate(moved).line : null };
    return { kind: 'faulty', faults: [{ ...fault, reason: `${fault.path} ${serverOnly}` }] };
  }
  const preview = await reloading.preview(text);
  return preview.kind === 'faulty' ? { kind: 'faulty', faults: preview.faults.map(plainFault) } : preview;
}

/** Reads `file:line:column reason`. */
function plainFault(text: string): ProposalFault {
  const [, line, reason] = /^\S+?:(\d+):\d+ (.*)$/s.exec(text) ?? [];
  return { path: '', line: line === undefined ? null : Number(line), reason: reason ?? text };
}

async function publish(
  reloading: Reloading,
  { publications, log, kept }: Resources,
  { text, base, note }: { text: string; base: string; note: string },
  who: string,
): Promise<PublishResult> {
  const path = reloading.current.config.catalogPath;
  const [textBefore, last] = await Promise.all([CatalogFile.readText(path), publications.last(null)]);
  const isBehind =
    last !== null && last.textBefore === textBefore && kept.clock() - last.atMs < adoptionMsMax;
  if (sha256Hex(textBefore) !== base || (isBehind && last.text !== textBefore)) return { kind: 'stale' };
  const proposal = await propose(reloading, text);
  if (proposal.kind === 'faulty') return proposal;
  if (proposal.refusals.length > 0) return { kind: 'refused', refusals: proposal.refusals };
  try {
    await replace(path, text);
  } catch (fault) {
    if (readOnlyCodes.has((fault as NodeJS.ErrnoException).code ?? '')) return { kind: 'read_only' };
    throw fault;
  }
  const taken = await reloading.takeHere(who, proposal.digest);
  if (taken.kind !== 'taken' && taken.kind !== 'unchanged') {
    await replace(path, textBefore);
    if (taken.kind === 'faulty') return { kind: 'faulty', faults: taken.faults.map(plainFault) };
    return taken.kind === 'refused'
      ? { kind: 'refused', refusals: taken.change.refusals }
      : { kind: 'stale' };
  }
  // Other machines look the text up, so it is stored before they are notified. Without it they keep their file, and report the difference.
  await publications
    .add({ who, digest: proposal.digest, text, textBefore, note })
    .catch((fault: unknown) => log.error({ event: 'publication_not_kept', ...Log.describe(fault) }));
  await reloading.tellOthers();
  return { kind: 'published' };
}

/** Replaces a file atomically: after a crash it has the old or the new text. A link stays a link. */
async function replace(path: string, text: string): Promise<void> {
  const target = await realpath(path);
  const { mode } = await stat(target);
  const temporary = join(dirname(target), `.${basename(target)}.${randomBytes(6).toString('hex')}`);
  try {
    const file = await open(temporary, 'wx', mode);
    try {
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, target);
  } catch (fault) {
    await rm(temporary, { force: true });
    throw fault;
  }
}

async function isWritable(path: string): Promise<boolean> {
  const target = await realpath(path);
  const checks = [access(target, constants.W_OK), access(dirname(target), constants.W_OK)];
  return Promise.all(checks).then(
    () => true,
    () => false,
  );
}
