import { isAlias, isMap, isScalar, isSeq, LineCounter, type Node, parseDocument } from 'yaml';
import type * as Place from './place.ts';

/** Counted from 1, in UTF-16 units as editors do. */
type Position = { line: number; column: number };

/** A YAML text as a plain value that remembers where each part of it stands. */
export type Source = {
  value: unknown;
  /** What is wrong with the YAML itself. */
  flaws: readonly (Position & { reason: string })[];
  /** Whether the value says what the text says, so that it is worth a closer look. */
  readable: boolean;
  /** Where the value at `path` stands, its key if it has one; for a value that is not there, where it is missing. */
  locate(path: Place.Path): Position;
};

/** A catalogue is written by hand; these only stop a file that was never one. */
const textCharsMax = 1_048_576;
const valuesMax = 50_000;
const depthMax = 32;

/** A value and where it stands, as an offset into the text. */
type Twig = { value: unknown; offset: number; children: ReadonlyMap<string | number, Twig> };
type Flaw = { offset: number; reason: string };

/** Reads YAML 1.2 (JSON with it). Anchors and aliases are followed; never throws. */
export function read(text: string): Source {
  if (text.length > textCharsMax) return unreadable(`the file is longer than ${textCharsMax} characters`);
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const flaws: Flaw[] = [...document.errors, ...document.warnings].map((error) => ({
    offset: error.pos[0],
    reason: error.code === 'DUPLICATE_KEY' ? twice(text.slice(error.pos[0])) : plain(error.message),
  }));
  const broken = document.errors.some((error) => error.code !== 'DUPLICATE_KEY');
  const root = broken ? bare(null, 0) : grow(document.contents, flaws);
  const position = (offset: number): Position => {
    const { line, col: column } = lines.linePos(offset);
    return { line, column };
  };
  return {
    value: root.value,
    flaws: flaws.map(({ offset, reason }) => ({ ...position(offset), reason })),
    readable: !broken,
    locate: (path) => position(nearestTwig(root, path).offset),
  };
}

function unreadable(reason: string): Source {
  const start = { line: 1, column: 1 };
  return { value: null, flaws: [{ ...start, reason }], readable: false, locate: () => start };
}

/** The first line of the parser's message: the rest repeats the text. */
function plain(message: string): string {
  return `not readable as YAML: ${message.split('\n')[0] ?? message}`;
}

function twice(textFromKey: string): string {
  const [key = ''] = /^[^\n:]{0,60}/.exec(textFromKey) ?? [];
  return `the key ${key} stands twice in one mapping: keep one`;
}

function bare(value: unknown, offset: number): Twig {
  return { value, offset, children: new Map() };
}

/**
 * Turns YAML nodes into values. An alias can make a small text endless (`&a [*a]`) or huge (a list of lists of
 * aliases), so depth and number of values are bounded.
 */
function grow(contents: Node | null, flaws: Flaw[]): Twig {
  const anchors = new Map<string, Node>();
  let values = 0;
  let tooLarge = false;

  function twig(node: unknown, keyOffset: number | null, depth: number): Twig {
    const offset = keyOffset ?? startOf(node) ?? 0;
    values += 1;
    if (values > valuesMax || depth > depthMax) {
      tooLarge = true;
      return bare(null, offset);
    }
    if (isAlias(node)) {
      const target = anchors.get(node.source);
      if (target === undefined)
        flaws.push({ offset, reason: `the alias *${node.source} names no anchor above it` });
      return twig(target, offset, depth + 1);
    }
    if ((isScalar(node) || isMap(node) || isSeq(node)) && node.anchor !== undefined)
      anchors.set(node.anchor, node);
    if (isMap(node)) {
      const children = new Map<string, Twig>();
      for (const { key, value } of node.items)
        children.set(keyText(key), twig(value, startOf(key), depth + 1));
      return { value: Object.fromEntries(valuesOf(children)), offset, children };
    }
    if (isSeq(node)) {
      const children = new Map(node.items.map((item, index) => [index, twig(item, null, depth + 1)]));
      return { value: [...children.values()].map((child) => child.value), offset, children };
    }
    return bare(isScalar(node) ? node.value : null, offset);
  }

  const root = twig(contents, null, 0);
  if (tooLarge)
    flaws.push({ offset: 0, reason: `the file holds over ${valuesMax} values or ${depthMax} levels` });
  return root;
}

function* valuesOf(children: ReadonlyMap<string, Twig>): Generator<[string, unknown]> {
  for (const [key, child] of children) yield [key, child.value];
}

function keyText(key: unknown): string {
  return isScalar(key) ? String(key.value) : String(key);
}

function startOf(node: unknown): number | null {
  return isScalar(node) || isMap(node) || isSeq(node) || isAlias(node) ? (node.range?.[0] ?? null) : null;
}

function nearestTwig(root: Twig, path: Place.Path): Twig {
  let twig = root;
  for (const step of path) {
    const child = twig.children.get(step);
    if (child === undefined) return twig;
    twig = child;
  }
  return twig;
}
