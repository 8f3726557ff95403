import {
  type Alias,
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  parseDocument,
  visit,
  type YAMLMap,
  type YAMLParseError,
  type YAMLSeq,
  type YAMLWarning,
} from 'yaml';
import type * as SourceLocation from './source-location.ts';

/** Counted from 1, in UTF-16 code units as in editors. */
type Position = { line: number; column: number };

/** A YAML text as a plain value, with the position of each part. */
export type Source = {
  value: unknown;
  /** Faults of the YAML itself. */
  flaws: readonly (Position & { reason: string })[];
  /** True when the value represents the text, so that it can be validated. */
  readable: boolean;
  /** Returns the position of the key or value at `path`, or of the nearest parent when it is missing. */
  locate(path: SourceLocation.Path): Position;
};

/** Limits that no hand-written catalogue reaches. */
const textCharsMax = 1_048_576;
const valuesMax = 50_000;
const depthMax = 32;
/** Flaws of an unreadable text that are reported. */
const unreadableFlawsMax = 3;

/** A value and its offset in the text. */
type Twig = { value: unknown; offset: number; children: ReadonlyMap<string | number, Twig> };
type Flaw = { offset: number; reason: string };

/** Parses YAML 1.2, including JSON. Resolves anchors and aliases. Never throws. */
export function read(text: string): Source {
  if (text.length > textCharsMax) return unreadable(`the file is longer than ${textCharsMax} characters`);
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const broken = document.errors.some((error) => error.code !== 'DUPLICATE_KEY');
  const position = (offset: number): Position => {
    const { line, col: column } = lines.linePos(offset);
    return { line, column };
  };
  const flaws = broken
    ? firstOf(document, text, (offset) => position(offset).line)
    : [...document.errors, ...document.warnings].map((error) => flawOf(error, text));
  const root = broken ? bare(null, 0) : grow(document.contents, flaws);
  return {
    value: root.value,
    flaws: flaws.map(({ offset, reason }) => ({ ...position(offset), reason })),
    readable: !broken,
    locate: (path) => position(nearestTwig(root, path).offset),
  };
}

/**
 * Reads like `read`, and many times as fast if the text is JSON as a program writes it: without repeated keys or unusual escapes. The
 * places of its values are found only when they are asked for.
 */
export function readQuickly(text: string): Source {
  const value = plainJson(text);
  if (value === undefined || text.length > textCharsMax) return read(text);
  let source: Source | undefined;
  const locate = (path: SourceLocation.Path) => {
    source ??= read(text);
    return source.locate(path);
  };
  return { value, flaws: [], readable: true, locate };
}

/** Returns the value of a JSON text that is the same when it is written again, up to blanks; undefined for any other text. */
function plainJson(text: string): unknown {
  if (!text.startsWith('{')) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    const packed = text.replace(/("(?:[^"\\]|\\.)*")|\s+/g, '$1');
    return JSON.stringify(value) === packed ? value : undefined;
  } catch {
    return undefined;
  }
}

function unreadable(reason: string): Source {
  const start = { line: 1, column: 1 };
  return { value: null, flaws: [{ ...start, reason }], readable: false, locate: () => start };
}

function flawOf({ pos: [offset], code, message }: YAMLParseError | YAMLWarning, text: string): Flaw {
  const reason =
    code === 'DUPLICATE_KEY'
      ? twice(text.slice(offset))
      : `not readable as YAML: ${mistakes[code] ?? message.split('\n')[0]}`;
  return { offset, reason };
}

/** The usual mistakes behind the messages of the parser. */
const mistakes: Readonly<Record<string, string>> = {
  BLOCK_AS_IMPLICIT_KEY:
    'a value holds a colon without quotes, a key has none, or a bracket or quote above is not closed',
  MULTILINE_IMPLICIT_KEY: 'a key has no colon, or a bracket or quote above is not closed',
  TAB_AS_INDENT: 'a tab indents the line: use spaces',
  BAD_INDENT: 'the indent is not that of the lines beside it, or a quote above is not closed',
};

/** Returns the first flaws of a text that is not readable, at most one a line: those that follow are consequences. */
function firstOf(
  { errors, contents }: Document.Parsed,
  text: string,
  lineOf: (offset: number) => number,
): Flaw[] {
  const sorted = errors.map((error) => flawOf(error, text)).sort((a, b) => a.offset - b.offset);
  const open = openBracket(contents, text, sorted[0]?.offset ?? 0);
  if (open !== null)
    return [
      { offset: open, reason: `not readable as YAML: the ${text[open]} that opens here is not closed` },
    ];
  return [...Map.groupBy(sorted, ({ offset }) => lineOf(offset)).values()]
    .flatMap((all) => all.slice(0, 1))
    .slice(0, unreadableFlawsMax);
}

/** Returns the outermost bracket that is open at the first error and is closed nowhere, or null. */
function openBracket(contents: Node | null, text: string, errorAt: number): number | null {
  let found: number | null = null;
  visit(contents, {
    Collection(_, { flow, range }) {
      const [start, end] = range ?? [0, 0];
      const isOpen = start < errorAt && errorAt <= end && !/[\]}]/.test(text[end - 1] ?? '');
      if (flow !== true || !isOpen || !/[[{]/.test(text[start] ?? '')) return undefined;
      found = start;
      return visit.BREAK;
    },
  });
  return found;
}

function twice(textFromKey: string): string {
  const [key = ''] = /^[^\n:]{0,60}/.exec(textFromKey) ?? [];
  return `the key ${key} occurs twice in one mapping: keep one`;
}

function bare(value: unknown, offset: number): Twig {
  return { value, offset, children: new Map() };
}

/**
 * Converts YAML nodes to values. An alias can make a small text infinite (`&a [*a]`) or huge (a list of lists of aliases), so depth and
 * number of values are limited.
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
    if (isAlias(node)) return twig(targetOf(node, offset), offset, depth + 1);
    if (isScalar(node) || isMap(node) || isSeq(node)) {
      if (node.anchor !== undefined) anchors.set(node.anchor, node);
      if (isMap(node)) return mapping(node, offset, depth);
      if (isSeq(node)) return sequence(node, offset, depth);
      return bare(node.value, offset);
    }
    return bare(null, offset);
  }

  function targetOf({ source }: Alias, offset: number): Node | undefined {
    const target = anchors.get(source);
    if (target === undefined) flaws.push({ offset, reason: `the alias *${source} names no anchor above it` });
    return target;
  }

  function mapping({ items }: YAMLMap, offset: number, depth: number): Twig {
    const children = new Map<string, Twig>();
    for (const { key, value } of items) children.set(keyText(key), twig(value, startOf(key), depth + 1));
    return { value: Object.fromEntries(valuesOf(children)), offset, children };
  }

  function sequence({ items }: YAMLSeq, offset: number, depth: number): Twig {
    const children = new Map(items.map((item, index) => [index, twig(item, null, depth + 1)]));
    return { value: [...children.values()].map((child) => child.value), offset, children };
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

function nearestTwig(root: Twig, path: SourceLocation.Path): Twig {
  let twig = root;
  for (const step of path) {
    const child = twig.children.get(step);
    if (child === undefined) return twig;
    twig = child;
  }
  return twig;
}
