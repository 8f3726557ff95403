import { hint } from '@sluice/kernel/did-you-mean';
import { isObject } from './tool-schema.ts';

/** The part of a response that a caller wants to read. */
export type View = {
  /** Names of members, or JSON Pointers; members of list items are meant by their bare names. Empty for everything. */
  fields: readonly string[];
  /** Position of the first item of the list. */
  from: number;
  /** Maximum size of the text. */
  bytesMax: number;
};

/** The text of a response, and what it leaves out. `nextFrom`: the first item that did not fit, or null. */
export type ShownPart = {
  text: string;
  shown: number;
  items: number;
  nextFrom: number | null;
  /** Fields that the response does not have, with the nearest ones that it has. */
  unknown: string[];
};

export const defaultBytesMax = 25_000;
/** A cut text keeps at least this much, whatever limit is asked for. */
export const leastBytes = 1_000;

/**
 * Returns the wanted fields of a response. `canCut`: what does not fit is left out, because the caller can read it later. A response is cut
 * between the items of its list; one without a list, or with an item that is too large by itself, is cut as text.
 */
export function part(body: unknown, view: View, canCut: boolean): ShownPart {
  const list = listOf(body);
  const tree = treeOf(view.fields, list?.name ?? null);
  const strange = view.fields.filter((field) => !has(body, tokensOf(field, list?.name ?? null)));
  // Without any known field, nothing of what was paid for would be shown.
  const chosen = view.fields.length === strange.length ? body : project(body, tree, list);
  const unknown = strange.map((field) => `${field} (${hint(field, namesOf(list, body), 'Fields')})`);
  const items = list?.items.length ?? 0;
  const whole = JSON.stringify(chosen);
  const fits = Buffer.byteLength(whole) <= view.bytesMax && view.from === 0;
  if (fits || !canCut) return { text: whole, shown: items, items, nextFrom: null, unknown };
  const cut = list === null ? cutText(whole, view.bytesMax) : cutList(chosen, list, view);
  return { ...cut, items, unknown };
}

/** Returns as many items as fit, starting at the wanted one; of an item that is too large by itself, the beginning. */
function cutList(chosen: unknown, { name }: List, { from, bytesMax }: View): Cut {
  const all = itemsOf(chosen, name);
  const first = Math.min(from, all.length);
  let bytes = Buffer.byteLength(JSON.stringify(withItems(chosen, name, [])));
  let next = first;
  for (; next < all.length; next++) {
    bytes += Buffer.byteLength(JSON.stringify(all[next])) + 1;
    if (bytes > bytesMax) break;
  }
  if (next > first || next === all.length) {
    const text = JSON.stringify(withItems(chosen, name, all.slice(first, next)));
    return { text, shown: next - first, nextFrom: next < all.length ? next : null };
  }
  const { text } = cutText(JSON.stringify(all[first]), bytesMax);
  return { text, shown: 1, nextFrom: first + 1 < all.length ? first + 1 : null };
}

type Cut = Pick<ShownPart, 'text' | 'shown' | 'nextFrom'>;

function cutText(text: string, bytesMax: number): Cut {
  // A character that was cut in half ends as the replacement character.
  const kept = Buffer.from(text)
    .subarray(0, bytesMax)
    .toString()
    .replace(/\ufffd$/, '');
  return { text: kept, shown: 0, nextFrom: null };
}

/** The list of a response: the response itself, or its longest member that is a list. `name` is null for the first. */
type List = { name: string | null; items: readonly unknown[] };

function listOf(body: unknown): List | null {
  if (Array.isArray(body)) return { name: null, items: body };
  if (!isObject(body)) return null;
  return Object.entries(body).reduce<List | null>(
    (longest, [name, items]) =>
      Array.isArray(items) && items.length > (longest?.items.length ?? 0) ? { name, items } : longest,
    null,
  );
}

function itemsOf(chosen: unknown, name: string | null): readonly unknown[] {
  const items = name === null ? chosen : isObject(chosen) ? chosen[name] : [];
  return Array.isArray(items) ? items : [];
}

function withItems(chosen: unknown, name: string | null, items: readonly unknown[]): unknown {
  if (name === null) return Array.isArray(chosen) ? items : chosen;
  return isObject(chosen) ? { ...chosen, [name]: items } : chosen;
}

/** Wanted members by name; a member without further names is wanted as a whole. */
type Tree = Map<string, Tree>;

function treeOf(fields: readonly string[], list: string | null): Tree {
  const root: Tree = new Map();
  for (const field of fields) {
    let at = root;
    for (const token of tokensOf(field, list)) {
      const next: Tree = at.get(token) ?? new Map();
      at.set(token, next);
      at = next;
    }
  }
  return root;
}

/** A pointer starts at the response, a name at the items of its list. Positions in lists are not part of either. */
function tokensOf(field: string, list: string | null): string[] {
  const isPointer = field.startsWith('/');
  const tokens = (isPointer ? field.slice(1).split('/') : field.split('.'))
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'))
    .filter((token) => !/^(?:\d+|\*|-)?$/.test(token));
  return isPointer || list === null || tokens[0] === list ? tokens : [list, ...tokens];
}

/** Keeps the wanted members. The short members beside a list, such as its cursor, are always kept. */
function project(value: unknown, tree: Tree, list: List | null): unknown {
  const chosen = pick(value, tree);
  if (list === null || list.name === null || !isObject(value) || !isObject(chosen)) return chosen;
  const beside = Object.entries(value).filter(([, member]) => typeof member !== 'object' || member === null);
  return { ...Object.fromEntries(beside), ...chosen };
}

function pick(value: unknown, tree: Tree): unknown {
  if (tree.size === 0) return value;
  if (Array.isArray(value)) return value.map((item) => pick(item, tree));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    [...tree].flatMap(([name, below]) =>
      Object.hasOwn(value, name) ? [[name, pick(value[name], below)]] : [],
    ),
  );
}

function has(value: unknown, tokens: readonly string[]): boolean {
  const [token, ...rest] = tokens;
  if (token === undefined) return true;
  if (Array.isArray(value)) return value.length === 0 || value.some((item) => has(item, tokens));
  return isObject(value) && Object.hasOwn(value, token) && has(value[token], rest);
}

function namesOf(list: List | null, body: unknown): string[] {
  const [first] = list?.items ?? [];
  return [...Object.keys(isObject(first) ? first : {}), ...Object.keys(isObject(body) ? body : {})];
}
