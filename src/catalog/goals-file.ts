import { readFile } from 'node:fs/promises';
import { nearest } from '@sluice/kernel/did-you-mean';
import type { CatalogFault } from './fault.ts';
import * as Source from './source.ts';
import * as SourceLocation from './source-location.ts';

/** A goal in a caller's words, and the operations that answer it, in their order. None answers what is not sold or too vague. */
export type Goal = { ask: string; calls: readonly string[]; kind: 'asked' | 'outside' | 'vague' };

type Concepts = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** `texts`: the contents of the files. */
export type ReadGoals =
  | { ok: true; goals: Goal[]; concepts: Concepts; texts: string[] }
  | { ok: false; faults: CatalogFault[] };

const askCharsMax = 2000;
const keys = ['asks', 'chains', 'outside', 'vague', 'concepts'];
const languages = ['en', 'de', 'fr', 'es', 'it', 'pt', 'nl'];

/** Reads files of goals, which add up. `operations` are the ids that they may name. Never throws. */
export async function read(paths: readonly string[], operations: readonly string[]): Promise<ReadGoals> {
  const files = await Promise.all(paths.map((path) => readOne(path, new Set(operations))));
  const found = files.flatMap((file) => file.goals.map((goal) => ({ ...goal, file })));
  const contrary = contradictions(found);
  const faults = files.map((file) =>
    [...file.faults, ...contrary.flatMap((one) => (one.file === file ? [one.fault] : []))].sort(
      (a, b) => a.line - b.line || a.column - b.column,
    ),
  );
  if (faults.some((own) => own.length > 0)) return { ok: false, faults: faults.flat() };
  return {
    ok: true,
    goals: found.map(({ ask, calls, kind }) => ({ ask, calls, kind })),
    concepts: Object.assign({}, ...files.map(({ concepts }) => concepts)),
    texts: files.map(({ text }) => text),
  };
}

type ReadFile = {
  text: string;
  goals: FoundGoal[];
  concepts: Concepts;
  faults: CatalogFault[];
  locate: (finding: SourceLocation.Finding) => CatalogFault;
};

async function readOne(path: string, known: ReadonlySet<string>): Promise<ReadFile> {
  const read = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => error);
  const text = read instanceof Error ? '' : read;
  const yaml = unfenced(text);
  const source = Source.readQuickly(yaml);
  const locate = ({ path: at, reason }: SourceLocation.Finding): CatalogFault => ({
    file: path,
    ...source.locate(at),
    path: SourceLocation.format(at),
    reason,
  });
  const findings: SourceLocation.Finding[] = [];
  if (read instanceof Error) findings.push({ path: [], reason: `cannot be read (${read.code})` });
  const root = { value: source.value, path: [] };
  const goals = source.readable ? goalsIn(root, known, findings) : [];
  const concepts = source.readable ? conceptsIn(SourceLocation.member(root, 'concepts'), findings) : {};
  const flaws = source.readable ? [...source.flaws, ...cutGoals(yaml)] : source.flaws.map(withQuotes);
  const faults = [...flaws.map((flaw) => ({ file: path, ...flaw, path: '' })), ...findings.map(locate)];
  return { text, goals, concepts, faults, locate };
}

/** A text that is not YAML mostly has a goal with quotes or signs in it. */
function withQuotes({ reason, ...place }: Source.Source['flaws'][number]) {
  if (!reason.startsWith('not readable')) return { ...place, reason };
  const next = 'If this line or the one above is a goal, put it in double quotes, with \\" for each inside';
  return { ...place, reason: `${reason}. ${next}` };
}

/**
 * Returns a text without the lines outside of its Markdown fences, as assistants write them around a file. All lines keep their
 * numbers. A text without fences stays as it is.
 */
function unfenced(text: string): string {
  const lines = text.split('\n');
  const isFence = (line: string) => /^\s*```/.test(line);
  if (!lines.some(isFence)) return text;
  let isInside = false;
  const kept = lines.map((line) => {
    if (!isFence(line)) return isInside ? line : '';
    isInside = !isInside;
    return '';
  });
  return kept.join('\n');
}

type Located = SourceLocation.LocatedValue;
type Find = (at: Located, reason: string) => void;

function goalsIn(root: Located, known: ReadonlySet<string>, findings: SourceLocation.Finding[]): FoundGoal[] {
  const find: Find = (at, reason) => findings.push({ path: at.path, reason });
  needs(root, 'a mapping', find);
  for (const { name, at } of members(root))
    if (!keys.includes(name)) find(at, `${name} is not a key of this file: the keys are ${keys.join(', ')}`);
  for (const key of ['asks', 'concepts']) needs(SourceLocation.member(root, key), 'a mapping', find);
  for (const key of ['chains', 'outside', 'vague']) needs(SourceLocation.member(root, key), 'a list', find);
  return [...asked(root, known, find), ...chained(root, known, find), ...unanswered(root, find)];
}

/** Finds a value of another kind; an empty one is no fault. */
function needs(at: Located, kind: 'a list' | 'a mapping', find: Find): void {
  const own = kindOf(at.value);
  if (own !== 'empty' && own !== kind) find(at, `this is ${own} for YAML: write ${kind}`);
}

/** Finds the goals to which an earlier goal, in any file, has another answer. */
function contradictions(
  found: readonly (FoundGoal & { file: ReadFile })[],
): { file: ReadFile; fault: CatalogFault }[] {
  const answers = new Map<string, string>();
  return found.flatMap(({ file, at, ask, calls, kind }) => {
    const answer = calls.join(', then ') || kind;
    const key = spoken(ask);
    const other = answers.get(key) ?? answer;
    answers.set(key, other);
    if (other === answer) return [];
    const reason = `this goal has two answers: ${other}, and ${answer}. Keep one, or say what differs`;
    return [{ file, fault: file.locate({ path: at.path, reason }) }];
  });
}

type FoundGoal = Goal & { at: Located };

function asked(root: Located, known: ReadonlySet<string>, find: Find): FoundGoal[] {
  return members(SourceLocation.member(root, 'asks')).flatMap(({ name, at: listed }) => {
    const calls = soldCall(listed, name, known, find);
    needs(listed, 'a list', find);
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

function conceptsIn(table: Located, findings: SourceLocation.Finding[]): Concepts {
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
