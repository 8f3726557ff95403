import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { nearest } from '@sluice/kernel/did-you-mean';
import { sha256Hex } from '@sluice/kernel/digest';
import { operationKey } from '@sluice/kernel/operation-key';
import { isEmbedded, type Logo, readLogo } from './brand.ts';
import type { Catalog } from './catalog.ts';
import * as Description from './description.ts';
import * as Draft from './draft.ts';
import * as Fault from './fault.ts';
import * as GoalsFile from './goals-file.ts';
import * as OperationRules from './operation-rules.ts';
import { ownershipWarnings } from './ownership-checks.ts';
import * as Rules from './rules.ts';
import { checkSchema } from './schema-check.ts';
import * as Source from './source.ts';
import * as SourceLocation from './source-location.ts';

export type ParsedCatalog = { ok: true; catalog: Catalog } | { ok: false; faults: Fault.CatalogFault[] };

/**
 * Parses a catalogue, or returns all its faults in the order of the lines. Never throws.
 * `fileName` names the file in the faults; the description of the upstream is relative to it and is not opened.
 */
export function parse(text: string, fileName: string): ParsedCatalog {
  const source = Source.read(text);
  return judge(source, fileName, []);
}

/** A catalogue with the contents of its files. */
export type LoadedCatalog = {
  catalog: Catalog;
  /** The operations that the upstream describes, and the whole description as parsed. */
  description: Description.Description;
  document: unknown;
  /** The source of the catalogue. */
  text: string;
  /** SHA-256 of both files in hexadecimal: processes with the same files have the same digest. */
  digest: string;
};

/** Reads the catalogue file at `path` without its description. Throws like `read`. */
export async function load(path: string): Promise<Catalog> {
  return (await read(path)).catalog;
}

/** Reads the source of the catalogue at `path`. Throws like `read`. */
export function readText(path: string): Promise<string> {
  return readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new Error(`${path}:1:1 the catalogue cannot be read (${error.code})`);
  });
}

/**
 * Reads the catalogue file at `path` and compares it with the OpenAPI description that it names, if any.
 * Throws one Error whose message has a line for each fault: `file:line:column reason`.
 * @param proposed a text to read in place of the file's
 */
export async function read(path: string, proposed: string | null = null): Promise<LoadedCatalog> {
  const text = proposed ?? (await readText(path));
  const source = Source.read(text);
  const root = { value: source.value, path: [] };
  const at = SourceLocation.member(SourceLocation.member(root, 'upstream'), 'description');
  const name = SourceLocation.text(at) ?? '';
  const mount = SourceLocation.text(SourceLocation.member(SourceLocation.member(root, 'upstream'), 'mount'));
  const described = await Description.read(name === '' ? '' : resolve(dirname(path), name), mount ?? '');
  const found = described.ok
    ? undescribed(root, name, described.description)
    : [{ path: at.path, reason: `description ${name} ${described.reason}` }];
  const parsed = judge(source, path, found);
  if (!parsed.ok) throw new Error(parsed.faults.map(Fault.format).join('\n'));
  if (!described.ok) throw new Error(`${path}:1:1 ${described.reason}`);
  const goals = await goalsOf(root, path, parsed.catalog);
  const logo = await logoOf(source, path);
  const catalog = { ...parsed.catalog, ...goals.found, ...(logo && { logo }) };
  const { description, document } = described;
  const digest = sha256Hex(
    [text, described.text, ...goals.texts, ...(logo ? [sha256Hex(logo.bytes)] : [])].join('\0'),
  );
  return { catalog, description, document, text, digest };
}

/** Reads the files of goals that a catalogue names. Throws their faults. */
async function goalsOf(
  root: SourceLocation.LocatedValue,
  path: string,
  { operations, goals = [] }: Catalog,
): Promise<{ found: Pick<Catalog, 'goals' | 'concepts'>; texts: string[] }> {
  const at = SourceLocation.member(root, 'goals');
  const names = [at, ...SourceLocation.items(at)].flatMap((one) => SourceLocation.text(one) ?? []);
  if (names.length === 0) return { found: { goals }, texts: [] };
  const read = await GoalsFile.read(
    names.map((name) => resolve(dirname(path), name)),
    operations.map(({ id }) => id),
  );
  if (!read.ok) throw new Error(read.faults.map(Fault.format).join('\n'));
  // A goal in both places is one goal, with the answer of the file.
  const inFile = new Set(read.goals.map(({ ask }) => GoalsFile.spoken(ask)));
  const beside = goals.filter(({ ask }) => !inFile.has(GoalsFile.spoken(ask)));
  return { found: { goals: [...beside, ...read.goals], concepts: read.concepts }, texts: read.texts };
}

/** Reads the logo that a catalogue names; null when it names none. Throws its fault. */
async function logoOf(source: Source.Source, file: string): Promise<Logo | null> {
  const at = ['storefront', 'brand', 'logo'].reduce(SourceLocation.member, { value: source.value, path: [] });
  const name = SourceLocation.text(at);
  if (name === null) return null;
  const read = await readLogo(dirname(file), name);
  if (read.ok) return read.logo;
  const fault = { file, ...source.locate(at.path), path: SourceLocation.format(at.path) };
  throw new Error(
    Fault.format({ ...fault, reason: `logo ${isEmbedded(name) ? 'in the text' : name} ${read.reason}` }),
  );
}

/** Returns what a seller should look at in a valid catalogue, in the order of the lines: `file:line:column reason`. */
export function warnings(text: string, file: string): string[] {
  const source = Source.read(text);
  return ownershipWarnings({ value: source.value, path: [] })
    .map(({ path, reason }) => ({ file, ...source.locate(path), path: SourceLocation.format(path), reason }))
    .sort((a, b) => a.line - b.line || a.column - b.column)
    .map(Fault.format);
}

/** Returns the position of an operation's `call` in the source of a catalogue. */
export function placeOfCall(text: string, call: string): { line: number; column: number } {
  const source = Source.read(text);
  const root = { value: source.value, path: [] };
  const sold = SourceLocation.items(SourceLocation.member(root, 'services')).flatMap(
    OperationRules.operations,
  );
  return source.locate(sold.find((one) => SourceLocation.text(one.call) === call)?.call.path ?? []);
}

function judge(source: Source.Source, file: string, more: readonly SourceLocation.Finding[]): ParsedCatalog {
  const flaws = source.flaws.map((flaw) => ({ file, ...flaw, path: '' }));
  if (!source.readable) return { ok: false, faults: flaws };
  const { draft, findings } = checkSchema(source.value);
  const all = onePerPlace([...findings, ...Rules.checkRules({ value: source.value, path: [] }), ...more]);
  const faults = [
    ...flaws,
    ...all.map(({ path, reason }) => ({
      file,
      ...source.locate(path),
      path: SourceLocation.format(path),
      reason,
    })),
  ].sort((a, b) => a.line - b.line || a.column - b.column);
  if (draft === null || faults.length > 0) return { ok: false, faults };
  return { ok: true, catalog: Draft.toCatalog(draft, dirname(file)) };
}

/** Keeps the first finding per location; findings of the schema come first. */
function onePerPlace(findings: readonly SourceLocation.Finding[]): SourceLocation.Finding[] {
  const seen = new Set<string>();
  return findings.filter(({ path }) => {
    const place = SourceLocation.format(path);
    return !seen.has(place) && seen.add(place);
  });
}

/** Finds operations that the upstream's description `name` does not contain. */
function undescribed(
  root: SourceLocation.LocatedValue,
  name: string,
  description: Description.Description,
): SourceLocation.Finding[] {
  if (name === '') return [];
  const names = [...description.values()].map(({ method, path }) => `${method} ${path}`);
  return SourceLocation.items(SourceLocation.member(root, 'services'))
    .flatMap(OperationRules.operations)
    .filter(({ method, path }) => !description.has(operationKey(method, path)))
    .map(({ call, method, path }) => {
      const near = nearest(`${method} ${path}`, names);
      const next = near === null ? 'Describe it there or leave it out.' : `Did you mean "${near}"?`;
      return { path: call.path, reason: `call ${method} ${path} is not in ${name}. ${next}` };
    });
}
