import { isDeepStrictEqual } from 'node:util';
import {
  isAlias,
  isMap,
  isScalar,
  isSeq,
  type Node,
  type Pair,
  parseDocument,
  type YAMLMap,
  type YAMLSeq,
} from 'yaml';
import * as Source from './source.ts';
import type { Path } from './source-location.ts';

export type EditValue = string | number | boolean | readonly string[];
/** A change of one value of a catalogue; `undefined` removes its key. */
export type Edit = { path: Path; value: EditValue | undefined };
/** A new item at the end of a list. */
export type Addition = { list: Path; item: Readonly<Record<string, unknown>> };

/** `refused`: the text cannot be edited in place, for example because the value is shared by an anchor. */
export type EditResult = { kind: 'edited'; text: string } | { kind: 'refused'; path: Path };

/**
 * Changes values in the source of a catalogue. Everything else stays as it is, comments and spacing included. The result is parsed again, and
 * refused unless exactly these values have changed.
 */
export function apply(text: string, edits: readonly Edit[], additions: readonly Addition[] = []): EditResult {
  let edited = text;
  const wanted = structuredClone(Source.read(text).value);
  for (const { path, value } of edits) {
    const next = editOne(edited, path, value);
    if (next === null || !setValue(wanted, path, value)) return { kind: 'refused', path };
    edited = next;
  }
  for (const { list, item } of additions) {
    const next = append(edited, list, item);
    const target = valueAt(wanted, list);
    if (next === null || !Array.isArray(target)) return { kind: 'refused', path: list };
    target.push(item);
    edited = next;
  }
  const read = Source.read(edited);
  if (!read.readable || !isDeepStrictEqual(plain(read.value), plain(wanted)))
    return { kind: 'refused', path: edits[0]?.path ?? additions[0]?.list ?? [] };
  return { kind: 'edited', text: edited };
}

/** Returns the value at a path, or undefined. */
export function valueAt(root: unknown, path: Path): unknown {
  return path.reduce<unknown>(
    (value, step) =>
      typeof value === 'object' && value !== null
        ? (value as Record<string | number, unknown>)[step]
        : undefined,
    root,
  );
}

function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value ?? null));
}

/** Sets a value in the parsed source, with the mappings that lead to it. Returns false when the path leads through something else. */
function setValue(root: unknown, path: Path, value: EditValue | undefined): boolean {
  let at = root as Record<string | number, unknown>;
  for (const step of path.slice(0, -1)) {
    at[step] ??= {};
    if (typeof at[step] !== 'object') return false;
    at = at[step] as Record<string | number, unknown>;
  }
  const last = path.at(-1) ?? '';
  if (value === undefined) delete at[last];
  else at[last] = value;
  return true;
}

function editOne(text: string, path: Path, value: EditValue | undefined): string | null {
  const document = parseDocument(text);
  const key = path.at(-1);
  const parent = document.getIn(path.slice(0, -1), true);
  if (typeof key !== 'string') return null;
  if (parent === undefined && value !== undefined && path.length > 1)
    // The mapping itself is missing, such as `brand`.
    return addPair(
      text,
      document.getIn(path.slice(0, -2), true),
      String(path.at(-2)),
      `{ ${writtenKey(key)}: ${written(value)} }`,
    );
  if (!isMap(parent)) return null;
  const pair = parent.items.find((one) => isScalar(one.key) && one.key.value === key);
  if (pair === undefined) return value === undefined ? text : addPair(text, parent, key, written(value));
  if (value === undefined) return removePair(text, parent, pair as Pair<Node, Node>);
  const node = pair.value;
  if (isSeq(node)) return replaceList(text, pair.key as Node, node, value);
  if (!(isScalar(node) || isAlias(node)) || !node.range) return null;
  const [start, end] = node.range;
  // An anchor is written before its value, and would be shared.
  if (isScalar(node) && node.anchor !== undefined) return null;
  const isBlock = isScalar(node) && (node.type === 'BLOCK_LITERAL' || node.type === 'BLOCK_FOLDED');
  return text.slice(0, start) + written(value) + (isBlock ? '\n' : '') + text.slice(end);
}

/** Replaces a list by a value in one line. A comment in it would be lost, and an anchor may be shared. */
function replaceList(text: string, key: Node, list: YAMLSeq, value: EditValue): string | null {
  const [start, end] = [key.range?.[1], lastOffset(list)];
  if (start === undefined || list.anchor !== undefined || text.slice(start, end).includes('#')) return null;
  return `${text.slice(0, start)}: ${written(value)}${text.slice(end)}`;
}

/** Writes a key. One that YAML would read as something else is quoted. */
function writtenKey(key: string): string {
  const isPlain = /^[a-z][\w./-]*$/i.test(key) && !/^(true|false|null|yes|no|on|off|y|n)$/i.test(key);
  return isPlain ? key : JSON.stringify(key);
}

/** Writes a value in one line. Text is always quoted, so that it cannot become another type or end its line. */
function written(value: unknown): string {
  return JSON.stringify(value);
}

function addPair(text: string, parent: unknown, key: string, value: string): string | null {
  if (!isMap(parent) || !parent.range) return null;
  const pair = `${writtenKey(key)}: ${value}`;
  if (parent.flow) {
    const close = text.lastIndexOf('}', parent.range[1] - 1);
    const before = text.slice(0, close).replace(/[\s,]+$/, '');
    return `${before}${parent.items.length === 0 ? ' ' : ', '}${pair} ${text.slice(close)}`;
  }
  const [first] = parent.items;
  if (first === undefined || !isScalar(first.key) || !first.key.range) return null;
  const indent = columnOf(text, first.key.range[0]);
  const at = endOfLine(text, lastOffset(parent));
  return `${text.slice(0, at)}\n${' '.repeat(indent)}${pair}${text.slice(at)}`;
}

function removePair(text: string, parent: YAMLMap, pair: Pair<Node, Node>): string | null {
  const [start, end] = [pair.key.range?.[0], pair.value?.range?.[1] ?? pair.key.range?.[1]];
  if (start === undefined || end === undefined) return null;
  if (parent.flow) {
    const after = /^\s*,\s*/.exec(text.slice(end))?.[0].length ?? 0;
    const before = after > 0 ? 0 : (/,?\s*$/.exec(text.slice(0, start))?.[0].length ?? 0);
    const gap = after > 0 || parent.items.length === 1 ? '' : ' ';
    return (
      text.slice(0, start - before) + gap + text.slice(end + after).replace(/^ (?=\})/, gap === '' ? ' ' : '')
    );
  }
  // The first pair of a list item shares its line with the dash, and the only pair of a mapping would leave it empty.
  if (parent.items[0] === pair || parent.items.length === 1) return null;
  const lineStart = text.lastIndexOf('\n', start - 1) + 1;
  return text.slice(0, lineStart) + text.slice(endOfLine(text, end - 1) + 1);
}

/** Adds an item to a list, as a mapping in one line. */
function append(text: string, list: Path, item: Addition['item']): string | null {
  const node = parseDocument(text).getIn(list, true);
  if (!isSeq(node) || node.flow || node.items.length === 0) return null;
  const first = node.items[0] as Node;
  const dash = text.lastIndexOf('-', (first.range?.[0] ?? 0) - 1);
  const members = Object.entries(item).map(([key, value]) => `${key}: ${written(value)}`);
  const at = endOfLine(text, lastOffset(node));
  return `${text.slice(0, at)}\n${' '.repeat(columnOf(text, dash))}- { ${members.join(', ')} }${text.slice(at)}`;
}

/** Returns the offset after the last character of a node's content, without the comments that follow. */
function lastOffset(node: Node): number {
  if (isMap(node) && !node.flow) {
    const last = node.items.at(-1) as Pair<Node, Node | null> | undefined;
    return last ? lastOffset(last.value?.range ? last.value : last.key) : (node.range?.[1] ?? 0);
  }
  if (isSeq(node) && !node.flow) {
    const last = node.items.at(-1) as Node | undefined;
    return last ? lastOffset(last) : (node.range?.[1] ?? 0);
  }
  const isBlock = isScalar(node) && (node.type === 'BLOCK_LITERAL' || node.type === 'BLOCK_FOLDED');
  // The range of a block scalar includes its last line break.
  return (node.range?.[1] ?? 0) - (isBlock ? 1 : 0);
}

function columnOf(text: string, offset: number): number {
  return offset - (text.lastIndexOf('\n', offset - 1) + 1);
}

function endOfLine(text: string, offset: number): number {
  const end = text.indexOf('\n', offset);
  const at = end < 0 ? text.length : end;
  return text[at - 1] === '\r' ? at - 1 : at;
}
