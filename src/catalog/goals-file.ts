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
  const cut = source.readable ? cutGoals(text) : [];
  const concepts = source.readable ? conceptsIn(SourceLocation.member(root, 'concepts'), findings) : {};
  const faults = [
    ...[...source.flaws, ...cut].map((flaw) => ({ file: path, ...flaw, path: '' })),
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
type Find = (at: Located, reason: string) => void;

function goalsIn(root: Located, known: ReadonlySet<string>, findings: SourceLocation.Finding[]): Goal[] {
  const find: Find = (at, reason) => findings.push({ path: at.path, reason });
  for (const { name, at } of members(root))
    if (!keys.includes(name)) find(at, `${name} is not a key of this file: the keys are ${keys.join(', ')}`);
  const read = [...asked(root, known, find), ...chained(root, known, find), ...unanswered(root, find)];
  const answers = new Map<string, string>();
  for (const { at, ask, calls, kind } of read) {
    const answer = calls.join(', then ') || kind;
    const other = answers.get(spoken(ask)) ?? answer;
    if (other !== answer)
      find(at, `this goal has two answers: ${other}, and ${answer}. Keep one, or say what differs`);
    answers.set(spoken(ask), other);
  }
  return read.map(({ ask, calls, kind }) => ({ ask, calls, kind }));
}

type FoundGoal = Goal & { at: Located };

function asked(root: Located, known: ReadonlySet<string>, find: Find): FoundGoal[] {
  return members(SourceLocation.member(root, 'asks')).flatMap(({ name, at: listed }) => {
    const calls = soldCall(listed, name, known, find);
    return SourceLocation.items(listed).flatMap((at) =>
      goalText(at, find).map((ask): FoundGoal => ({ at, ask, calls, kind: 'asked' })),
    );
  });
}

function chained(root: Located, known: ReadonlySet<string>, find: Find): FoundGoal[] {
  return SourceLocation.items(SourceLocation.member(root, 'chains')).flatMap((item) => {
    const named = SourceLocation.items(SourceLocation.member(item, 'calls'));
    if (named.length < 2)
      find(item, 'a chain has two calls or more: write a goal that one call answers under asks');
    const calls = named.flatMap((at) => soldCall(at, SourceLocation.text(at) ?? '', known, find));
    const at = SourceLocation.member(item, 'ask');
    return goalText(at, find).map((ask): FoundGoal => ({ at, ask, calls, kind: 'asked' }));
  });
}

function unanswered(root: Located, find: Find): FoundGoal[] {
  return (['outside', 'vague'] as const).flatMap((kind) =>
    SourceLocation.items(SourceLocation.member(root, kind)).flatMap((at) =>
      goalText(at, find).map((ask): FoundGoal => ({ at, ask, calls: [], kind })),
    ),
  );
}

function soldCall(at: Located, id: string, known: ReadonlySet<string>, find: Find): string[] {
  if (known.has(id)) return [id];
  const near = nearest(id, [...known]);
  find(at, `${id} is not sold here${near === null ? '' : `: did you mean "${near}"?`}`);
  return [];
}

function goalText(at: Located, find: Find): string[] {
  const ask = SourceLocation.text(at);
  if (ask !== null && ask.trim() !== '' && ask.length <= askCharsMax) return [ask];
  if (ask !== null) find(at, `write a goal in 1 to ${askCharsMax} characters`);
  else
    find(
      at,
      `this is ${kindOf(at.value)} for YAML, and a goal is a text: put it in quotes. ": " and " #" need them, and signs and numbers at the beginning`,
    );
  return [];
}

function kindOf(value: unknown): string {
  if (value === null || value === undefined) return 'empty';
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' ? 'a mapping' : `a ${typeof value}`;
}

/** A goal as it is compared with others. */
export function spoken(ask: string): string {
  return ask.trim().toLowerCase().replace(/\s+/g, ' ');
}

/** Goals without quotes that YAML ends at a " #": "group of #7120" would be "group of". A comment has a blank after its sign. */
function cutGoals(text: string): { line: number; column: number; reason: string }[] {
  return text.split('\n').flatMap((line, index) => {
    const [, kept] = /^(\s*(?:- |ask: )[^'"\s#].*?) #[^\s#]/.exec(line) ?? [];
    if (kept === undefined) return [];
    const reason = 'YAML takes what follows " #" as a comment: put this goal in quotes';
    return [{ line: index + 1, column: kept.length + 2, reason }];
  });
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
