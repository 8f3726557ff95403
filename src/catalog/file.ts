import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { sha256Hex } from '../kernel/digest.ts';
import { nearest } from '../kernel/nearest.ts';
import type { Catalog } from './catalog.ts';
import * as Description from './description.ts';
import * as Draft from './draft.ts';
import * as Fault from './fault.ts';
import * as OperationRules from './operation-rules.ts';
import * as Place from './place.ts';
import * as Rules from './rules.ts';
import * as Shape from './shape.ts';
import * as Source from './source.ts';

export type Parsed = { ok: true; catalog: Catalog } | { ok: false; faults: Fault.Fault[] };

/**
 * Reads a catalogue, or finds all that is wrong with it, in the order of the lines. Never throws.
 * `fileName` names the file in the faults; the description of the upstream is relative to it and is not opened.
 */
export function parse(text: string, fileName: string): Parsed {
  const source = Source.read(text);
  return judge(source, fileName, []);
}

/** A catalogue with all that a shop needs of its files. */
export type Goods = {
  catalog: Catalog;
  /** What the upstream says of its own operations, and the whole of that as it was read. */
  description: Description.Description;
  document: unknown;
  /** The catalogue as it is written. */
  text: string;
  /** SHA-256 of both files, in hexadecimal: who sells by the same files has the same. */
  digest: string;
};

/** As `read`, where only what is sold is asked for. */
export async function load(path: string): Promise<Catalog> {
  return (await read(path)).catalog;
}

/**
 * Reads the catalogue file at `path` and holds it against the OpenAPI description that it names, if any.
 * Throws one Error whose message has a line for each fault: `file:line:column reason`.
 */
export async function read(path: string): Promise<Goods> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new Error(`${path}:1:1 the catalogue cannot be read (${error.code})`);
  });
  const source = Source.read(text);
  const root = { value: source.value, path: [] };
  const at = Place.member(Place.member(root, 'upstream'), 'description');
  const name = Place.text(at) ?? '';
  const described = await Description.read(name === '' ? '' : resolve(dirname(path), name));
  const found = described.ok
    ? undescribed(root, name, described.description)
    : [{ path: at.path, reason: `description ${name} ${described.reason}` }];
  const parsed = judge(source, path, found);
  if (!parsed.ok) throw new Error(parsed.faults.map(Fault.format).join('\n'));
  if (!described.ok) throw new Error(`${path}:1:1 ${described.reason}`);
  const { catalog } = parsed;
  const { description, document } = described;
  return { catalog, description, document, text, digest: sha256Hex(`${text}\0${described.text}`) };
}

function judge(source: Source.Source, file: string, more: readonly Place.Finding[]): Parsed {
  const flaws = source.flaws.map((flaw) => ({ file, ...flaw, path: '' }));
  if (!source.readable) return { ok: false, faults: flaws };
  const { draft, findings } = Shape.check(source.value);
  const all = onePerPlace([...findings, ...Rules.check({ value: source.value, path: [] }), ...more]);
  const faults = [
    ...flaws,
    ...all.map(({ path, reason }) => ({ file, ...source.locate(path), path: Place.format(path), reason })),
  ].sort((a, b) => a.line - b.line || a.column - b.column);
  if (draft === null || faults.length > 0) return { ok: false, faults };
  return { ok: true, catalog: Draft.toCatalog(draft, dirname(file)) };
}

/** What is said first of a place, by the schema if it speaks, makes the rest moot. */
function onePerPlace(findings: readonly Place.Finding[]): Place.Finding[] {
  const seen = new Set<string>();
  return findings.filter(({ path }) => {
    const place = Place.format(path);
    return !seen.has(place) && seen.add(place);
  });
}

/** Operations that the upstream does not describe in the file `name`. */
function undescribed(root: Place.Place, name: string, description: Description.Description): Place.Finding[] {
  if (name === '') return [];
  const names = [...description.values()].map(({ method, path }) => `${method} ${path}`);
  return Place.items(Place.member(root, 'services'))
    .flatMap(OperationRules.operations)
    .filter(({ method, path }) => !description.has(Description.key(method, path)))
    .map(({ call, method, path }) => {
      const near = nearest(`${method} ${path}`, names);
      const mend = near === null ? 'describe it there or leave it out' : `did you mean "${near}"?`;
      return { path: call.path, reason: `call ${method} ${path} is not in ${name}: ${mend}` };
    });
}
