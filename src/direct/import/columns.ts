import { nearest } from '../../kernel/nearest.ts';
import type { Node, Schema } from '../schema/schema.ts';

/** Turns the cells of a row into the value that they spell out, for `Read.read` to check. */
export type Columns = { names: readonly string[]; value(cells: readonly string[]): unknown };
export type Header = { kind: 'columns'; columns: Columns } | { kind: 'refused'; reason: string };

type Step = string | number;
type Column = { name: string; path: readonly Step[]; node: Node };
type Branch = Record<Step, unknown>;

const listSeparator = ';';
const numberPattern = /^[+-]?\d{1,16}(\.\d{1,9})?$/;
const namesShownMax = 40;

/**
 * Reads a header: names of fields, dotted where they lie in an object (`hq.city`) or in a list of objects, which is
 * counted from 1 (`experiences.1.job_title`). An empty cell is nothing. A list is written with `;` between its items
 * or as JSON, an object as JSON. What cannot be typed stays text, so that it is refused under its own name.
 */
export function columns(schema: Schema, header: readonly string[]): Header {
  const names = header.map((name) => name.trim());
  const found: Column[] = [];
  const faults: string[] = [];
  for (const name of names) {
    const column = resolve(schema, name);
    if (column === null) faults.push(unknown(schema, name));
    else if (found.some((other) => overlaps(other.path, column.path)))
      faults.push(`Column ${JSON.stringify(name)} is there twice, or beside a column that holds it`);
    else found.push(column);
  }
  for (const name of required(schema)) {
    if (!found.some(({ path }) => path[0] === name)) faults.push(`Column ${JSON.stringify(name)} is missing`);
  }
  if (faults.length > 0) return { kind: 'refused', reason: faults.slice(0, 5).join('; ') };
  const lists = listsOf(found);
  return { kind: 'columns', columns: { names, value: (cells) => grow(found, lists, cells) } };
}

/**
 * The columns of a schema: those of an object each by itself; a list of objects is one column, of JSON, or those of its
 * first.
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

function unknown(schema: Schema, name: string): string {
  if (name === '') return 'A column has no name';
  const allowed = namesOf(schema);
  const near = nearest(name, allowed);
  const hint = near
    ? `Did you mean ${JSON.stringify(near)}?`
    : `There are: ${allowed.slice(0, namesShownMax).join(', ')}`;
  return `Unknown column ${JSON.stringify(name.slice(0, 80))}. ${hint}`;
}

function overlaps(one: readonly Step[], other: readonly Step[]): boolean {
  return one.slice(0, other.length).every((step, at) => step === other[at]);
}

function grow(columns: readonly Column[], lists: readonly Step[][], cells: readonly string[]): Branch {
  const root: Branch = {};
  for (let at = 0; at < columns.length; at++) {
    const column = columns[at];
    const cell = cells[at];
    if (column === undefined || cell === undefined || cell === '') continue;
    plant(root, column.path, typed(column.node, cell));
  }
  for (const path of lists) thin(root, path);
  return root;
}

function plant(root: Branch, path: readonly Step[], value: unknown): void {
  let branch = root;
  for (let at = 0; at < path.length - 1; at++) {
    const step = path[at] as Step;
    branch[step] ??= typeof path[at + 1] === 'number' ? [] : {};
    branch = branch[step] as Branch;
  }
  branch[path.at(-1) as Step] = value;
}

/** Where lists lie that are spelled out item by item, the innermost first. */
function listsOf(columns: readonly Column[]): Step[][] {
  const found = new Map<string, Step[]>();
  for (const { path } of columns) {
    path.forEach((step, at) => {
      if (typeof step === 'number') found.set(path.slice(0, at).join('.'), path.slice(0, at));
    });
  }
  return [...found.values()].sort((one, other) => other.length - one.length);
}

/** Takes out the items of a list that no cell gave. */
function thin(root: Branch, path: readonly Step[]): void {
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
      return numberPattern.test(text) ? Number(text) : cell;
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
