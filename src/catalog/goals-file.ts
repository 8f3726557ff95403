import { readFile } from 'node:fs/promises';
import { nearest } from '@sluice/kernel/did-you-mean';
import type { CatalogFault } from './fault.ts';
import * as Source from './source.ts';
import * as SourceLocation from './source-location.ts';

/** A goal in a caller's words, and the operations that answer it, in their order. None answers what is not sold or too vague. */
export type Goal = { ask: string; calls: readonly string[]; kind: 'asked' | 'outside' | 'vague' };

export type ReadGoals =
  | {
      ok: true;
      goals: Goal[];
      concepts: Readonly<Record<string, Readonly<Record<string, string>>>>;
      text: string;
    }
  | { ok: false; faults: CatalogFault[] };

const askCharsMax = 2000;
const keys = ['asks', 'chains', 'outside', 'vague', 'concepts'];
const languages = ['en', 'de', 'fr', 'es', 'it', 'pt', 'nl'];

/** Reads a file of goals. `operations` are the ids that it may name. Never throws. */
export async function read(path: string, operations: readonly string[]): Promise<ReadGoals> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => error);
  if (text instanceof Error)
    return {
      ok: false,
      faults: [{ file: path, line: 1, column: 1, path: '', reason: `cannot be read (${text.code})` }],
    };
  const source = Source.read(text);
  const findings: SourceLocation.Finding[] = [];
  const root = { value: source.value, path: [] };
  const goals = source.readable ? goalsIn(root, new Set(operations), findings) : [];
  const concepts = source.readable ? conceptsIn(SourceLocation.member(root, 'concepts'), findings) : {};
  const faults = [
    ...source.flaws.map((flaw) => ({ file: path, ...flaw, path: '' })),
    ...findings.map(({ path: at, reason }) => ({
      file: path,
      ...source.locate(at),
      path: SourceLocation.format(at),
      reason,
    })),
  ].sort((a, b) => a.line - b.line || a.column - b.column);
  return faults.length > 0 ? { ok: false, faults } : { ok: true, goals, concepts, text };
}

type Located = SourceLocation.LocatedValue;

function goalsIn(root: Located, known: ReadonlySet<string>, findings: SourceLocation.Finding[]): Goal[] {
  const find = (at: Located, reason: string) => findings.push({ path: at.path, reason });
  const phrase = (at: Located): string[] => {
    const ask = SourceLocation.text(at);
    if (ask !== null && ask.trim() !== '' && ask.length <= askCharsMax) return [ask];
    find(
      at,
      `write a goal in 1 to ${askCharsMax} characters, in quotes where it contains ": " or begins with a sign`,
    );
    return [];
  };
  const call = (at: Located, id: string): string[] => {
    if (known.has(id)) return [id];
    const near = nearest(id, [...known]);
    find(at, `${id} is not sold here${near === null ? '' : `: did you mean "${near}"?`}`);
    return [];
  };
  for (const { name, at } of members(root))
    if (!keys.includes(name)) find(at, `${name} is not a key of this file: the keys are ${keys.join(', ')}`);
  const asked = members(SourceLocation.member(root, 'asks')).flatMap(({ name, at }): Goal[] => {
    const calls = call(at, name);
    return SourceLocation.items(at).flatMap((item) =>
      phrase(item).map((ask) => ({ ask, calls, kind: 'asked' as const })),
    );
  });
  const chained = SourceLocation.items(SourceLocation.member(root, 'chains')).flatMap((item): Goal[] => {
    const calls = SourceLocation.items(SourceLocation.member(item, 'calls')).flatMap((at) =>
      call(at, SourceLocation.text(at) ?? ''),
    );
    return phrase(SourceLocation.member(item, 'ask')).map((ask) => ({ ask, calls, kind: 'asked' }));
  });
  const none = (['outside', 'vague'] as const).flatMap((kind) =>
    SourceLocation.items(SourceLocation.member(root, kind)).flatMap((item) =>
      phrase(item).map((ask): Goal => ({ ask, calls: [], kind })),
    ),
  );
  return [...asked, ...chained, ...none];
}

function conceptsIn(table: Located, findings: SourceLocation.Finding[]) {
  return Object.fromEntries(
    members(table).map(({ name, at }) => [
      name,
      Object.fromEntries(
        members(at).flatMap(({ name: language, at: forms }) => {
          const text = SourceLocation.text(forms);
          if (languages.includes(language) && text !== null) return [[language, text] as const];
          findings.push({
            path: forms.path,
            reason: `write word forms, separated by commas, under one of ${languages.join(', ')}`,
          });
          return [];
        }),
      ),
    ]),
  );
}

function members(of: Located): { name: string; at: Located }[] {
  const { value } = of;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [];
  return Object.keys(value).map((name) => ({ name, at: SourceLocation.member(of, name) }));
}
