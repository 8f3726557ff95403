import { type JsonPointer, resolve } from '@sluice/kernel/json-pointer';

/** A shorter id is found only as a whole value: it can be a part of any word. */
const partCharsMin = 4;

/** The items of a list: where it is in the response, and where the id of an item is in the item. */
type Items = { list: JsonPointer; key: JsonPointer };

/** The ids of a list: the caller's `own`, and those of the items that were left out. */
type Ids = { own: ReadonlySet<string>; leftOut: ReadonlySet<string> };
/** `sizes`: the numbers of tokens that the ids have, the largest first. */
type Known = Ids & { sizes: readonly number[] };

/**
 * Returns the members beside a list that name one of its items in `leftOut`, such as `last_id` or the address of the next page. An object with
 * the id of an item is the item, so it is removed whole. If the name is within an array, it is the member that contains the array.
 */
export function membersNaming(body: unknown, items: Items, ids: Ids): JsonPointer[] {
  const long = [...ids.own, ...ids.leftOut].filter(({ length }) => length >= partCharsMin);
  const sizes = [...new Set(long.map((id) => tokensOf(id).length))].sort((one, other) => other - one);
  return found(body, items, { ...ids, sizes });
}

function found(body: unknown, { list, key }: Items, known: Known): JsonPointer[] {
  if (!isObject(body) || list.length === 0) return [];
  const { leftOut } = known;
  const [next, ...rest] = list;
  return Object.entries(body).flatMap(([name, member]) => {
    const isOnWay = name === next;
    if (isOnWay && rest.length === 0) return [];
    if (leftOut.has(name) || (!isOnWay && leftOut.has(idIn(member, key)))) return [[name]];
    if (isObject(member))
      return found(member, { list: isOnWay ? rest : elsewhere, key }, known).map((at) => [name, ...at]);
    return names(member, known) ? [[name]] : [];
  });
}

/** A pointer that no member of a response has. */
const elsewhere: JsonPointer = ['\0'];

/** Returns the id of a value that has the form of an item; empty for any other. */
function idIn(value: unknown, key: JsonPointer): string {
  const found = resolve(value, key);
  return isObject(value) && (typeof found === 'string' || typeof found === 'number') ? String(found) : '';
}

function names(value: unknown, known: Known): boolean {
  const { leftOut } = known;
  if (typeof value === 'string')
    return spellings(value).some((text) => leftOut.has(text) || contains(text, known));
  if (typeof value === 'number') return value >= 10 ** (partCharsMin - 1) && leftOut.has(String(value));
  return (
    typeof value === 'object' &&
    value !== null &&
    Object.entries(value).some(([name, one]) => leftOut.has(name) || names(one, known))
  );
}

/** Returns a text with its decoded forms: an address may contain another address. */
function spellings(text: string): string[] {
  const once = unescaped(text);
  return once === text ? [text] : [text, once, unescaped(once)];
}

function unescaped(text: string): string {
  return text.replace(/(?:%[0-9a-f]{2})+/gi, (bytes) => {
    try {
      return decodeURIComponent(bytes);
    } catch {
      return bytes;
    }
  });
}

/** Words, and single characters between them. */
function tokensOf(text: string): string[] {
  return text.match(/[\w-]+|[^\w-]/g) ?? [];
}

/** Returns true when whole tokens of the text are an id that was left out, and not a part of an id of the caller. */
function contains(text: string, { own, leftOut, sizes }: Known): boolean {
  const tokens = tokensOf(text);
  let ownEnd = 0;
  return tokens.some((_, at) =>
    sizes.some((size) => {
      const end = at + size;
      const part = end > tokens.length ? '' : tokens.slice(at, end).join('');
      if (part.length < partCharsMin) return false;
      if (own.has(part)) ownEnd = Math.max(ownEnd, end);
      return end > ownEnd && leftOut.has(part);
    }),
  );
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
