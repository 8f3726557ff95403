import { nearest } from '@sluice/kernel/did-you-mean';
import type { Node, Schema } from '../schema/schema.ts';

/** The columns of a file. `value` converts the cells of a row to a value for `Read.read` to check. */
export type Columns = { names: readonly string[]; value(cells: readonly string[]): unknown };
export type Header = { kind: 'columns'; columns: Columns } | { kind: 'refused'; reason: string };

type Step = string | number;
type Column = {
  name: string;
  path: readonly Step[];
  node: Node;
  /** Replacements of whole cells; an empty one leaves the field out. */
  matches?: Readonly<Record<string, string>> | undefined;
};
type Branch = Record<Step, unknown>;

const listSeparator = ';';
const numberPattern = /^[+-]?\d{1,16}(\.\d{1,9})?$/;
/** Whole numbers as spreadsheets write them, such as `$5,000,000`. */
const groupedPattern = /^[$€£]?\s?\d{1,3}(?:[, ’'\u00a0\u202f]\d{3})+$/;
const namesShownMax = 40;

/**
 * Parses a header. Fields of objects have dotted names (`hq.city`), fields of lists of objects are numbered from 1
 * (`experiences.1.job_title`). Empty cells are ignored. Lists are separated by `;` or JSON, objects are JSON. Values that
 * cannot be converted stay text, so that validation reports them by name.
 */
export function columns(schema: Schema, header: readonly string[]): Header {
  const names = header.map((name) => name.trim());
  const found: Column[] = [];
  const faults: string[] = [];
  for (const name of names) {
    const column = resolve(schema, name);
    if (column === null) faults.push(unknown(schema, name));
    else if (found.some((other) => overlaps(other.path, column.path)))
      faults.push(`Column ${JSON.stringify(name)} appears twice, or next to a column that contains it`);
    else found.push(column);
  }
  for (const name of required(schema)) {
    if (!found.some(({ path }) => path[0] === name)) faults.push(`Column ${JSON.stringify(name)} is missing`);
  }
  if (faults.length > 0) return { kind: 'refused', reason: faults.slice(0, 5).join('; ') };
  const lists = listsOf(found);
  return { kind: 'columns', columns: { names, value: (cells) => buildValue(found, lists, cells) } };
}

/** Columns whose fields have been chosen already; null for columns to skip. The fields must exist and not overlap. */
export function mapped(
  schema: Schema,
  header: readonly string[],
  targets: readonly (string | null)[],
  matches: Readonly<Record<string, Readonly<Record<string, string>>>>,
): Columns {
  const found = targets.map((target): Column | null => {
    const column = target === null ? null : resolve(schema, target);
    return column && { ...column, matches: matches[column.name] };
  });
  const lists = listsOf(found.filter((column) => column !== null));
  return { names: header, value: (cells) => buildValue(found, lists, cells) };
}

/** Node of a column, or null if the schema has no such column. */
export function nodeOf(schema: Schema, name: string): Node | null {
  return resolve(schema, name)?.node ?? null;
}

/** Returns true if a cell of a column with numbers contains one. */
export function isNumber(node: Node, cell: string): boolean {
  const value = typed(node, cell);
  return typeof value === 'number' && (node.kind !== 'number' || !node.whole || Number.isInteger(value));
}

/** Returns true if the columns are the same, or one contains the other. */
export function areOverlapping(one: string, other: string): boolean {
  const [short = [], long = []] = [one.split('.'), other.split('.')].sort((a, b) => a.length - b.length);
  return short.every((step, at) => step === long[at]);
}

/**
 * All columns of a schema. Fields of objects are separate columns. A list of objects is one JSON column, or the columns
 * of its first item.
 */
export function namesOf(schema: Schema, lists: 'JSON' | 'first of a list' = 'JSON'): string[] {
  const names = (node: Node, path: readonly Step[]): string[] => {
    const bare = inner(node);
    if (bare.kind === 'list' && lists !== 'JSON' && inner(bare.item).kind === 'object')
      return names(bare.item, [...path, 1]);
    if (bare.kind !== 'object') return [path.join('.')];
    return Object.entries(bare.fields).flatMap(([name, field]) => names(field, [...path, name]));
  };
  return names(schema, []);
}

function required(schema: Schema): string[] {
  const fields = schema.kind === 'object' ? Object.entries(schema.fields) : [];
  return fields
    .filter(([, field]) => field.kind !== 'optional' && field.kind !== 'nullable')
    .map(([name]) => name);
}

function resolve(schema: Schema, name: string): Column | null {
  let node = inner(schema);
  const path: Step[] = [];
  for (const segment of name.split('.')) {
    if (node.kind === 'object' && Object.hasOwn(node.fields, segment)) {
      node = inner(node.fields[segment] as Node);
      path.push(segment);
    } else if (node.kind === 'list' && /^[1-9]\d?$/.test(segment) && Number(segment) <= node.max) {
      node = inner(node.item);
      path.push(Number(segment) - 1);
    } else return null;
  }
  return { name, path, node };
}

function inner(node: Node): Node {
  return node.kind === 'optional' || node.kind === 'nullable' ? inner(node.inner) : node;
}

/** Error message for a column that is not in the schema. */
export function unknown(schema: Schema, name: string): string {
  if (name === '') return 'A column has no name. Name it, or remove it';
  const allowed = namesOf(schema);
  const near = nearest(name, allowed);
  const hint = near
    ? `Did you mean ${JSON.stringify(near)}?`
    : `Known columns: ${allowed.slice(0, namesShownMax).join(', ')}`;
  return `Unknown column ${JSON.stringify(name.slice(0, 80))}. ${hint}`;
}

function overlaps(one: readonly Step[], other: readonly Step[]): boolean {
  return one.slice(0, other.length).every((step, at) => step === other[at]);
}

function buildValue(
  columns: readonly (Column | null)[],
  lists: readonly Step[][],
  cells: readonly string[],
): Branch {
  const root: Branch = {};
  for (let at = 0; at < columns.length; at++) {
    const column = columns[at];
    const cell = cells[at];
    if (!column || cell === undefined || cell === '') continue;
    const value = column.matches ? replaced(column.matches, cell) : cell;
    if (value !== '') setAt(root, column.path, typed(column.node, value));
  }
  for (const path of lists) dropMissingItems(root, path);
  return root;
}

function replaced(matches: Readonly<Record<string, string>>, cell: string): string {
  const key = cell.trim();
  return Object.hasOwn(matches, key) ? (matches[key] ?? cell) : cell;
}

function setAt(root: Branch, path: readonly Step[], value: unknown): void {
  let branch = root;
  for (let at = 0; at < path.length - 1; at++) {
    const step = path[at] as Step;
    branch[step] ??= typeof path[at + 1] === 'number' ? [] : {};
    branch = branch[step] as Branch;
  }
  branch[path.at(-1) as Step] = value;
}

/** Paths of lists with numbered columns, the innermost first. */
function listsOf(columns: readonly Column[]): Step[][] {
  const found = new Map<string, Step[]>();
  for (const { path } of columns) {
    path.forEach((step, at) => {
      if (typeof step === 'number') found.set(path.slice(0, at).join('.'), path.slice(0, at));
    });
  }
  return [...found.values()].sort((one, other) => other.length - one.length);
}

/** Removes list items whose cells were all empty. */
function dropMissingItems(root: Branch, path: readonly Step[]): void {
  let holder: Branch | undefined = root;
  for (const step of path.slice(0, -1)) holder = holder?.[step] as Branch | undefined;
  const last = path.at(-1) as Step;
  const list = holder?.[last];
  if (holder && Array.isArray(list)) holder[last] = list.filter((item) => item !== undefined);
}

function typed(node: Node, cell: string): unknown {
  switch (node.kind) {
    case 'number': {
      const text = cell.trim();
      if (numberPattern.test(text)) return Number(text);
      return groupedPattern.test(text) ? Number(text.replace(/\D/g, '')) : cell;
    }
    case 'flag': {
      const text = cell.trim().toLowerCase();
      return text === 'true' ? true : text === 'false' ? false : cell;
    }
    case 'object':
      return parsed(cell);
    case 'list':
      return listed(inner(node.item), cell);
    default:
      return cell;
  }
}

function listed(item: Node, cell: string): unknown {
  if (cell.trimStart().startsWith('[')) return parsed(cell);
  if (item.kind === 'object' || item.kind === 'list') return cell;
  return cell
    .split(listSeparator)
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .map((part) => typed(item, part));
}

function parsed(cell: string): unknown {
  try {
    return JSON.parse(cell);
  } catch {
    return cell;
  }
}
