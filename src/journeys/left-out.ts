import { type JsonPointer, resolve } from '@sluice/kernel/json-pointer';

/** A shorter id is found only as a whole value: it can be a part of any word. */
const partCharsMin = 4;

/** The items of a list: where it is in the response, and where the id of an item is in the item. */
type Items = { list: JsonPointer; key: JsonPointer };

/**
 * Returns the members beside a list that name one of its items in `leftOut`, such as `last_id` or the address of the next page. An object with
 * the id of an item is the item, so it is removed whole. If the name is within an array, it is the member that contains the array.
 */
export function membersNaming(
  body: unknown,
  { list, key }: Items,
  leftOut: ReadonlySet<string>,
): JsonPointer[] {
  if (!isObject(body) || list.length === 0) return [];
  const [next, ...rest] = list;
  return Object.entries(body).flatMap(([name, member]) => {
    const isOnWay = name === next;
    if (isOnWay && rest.length === 0) return [];
    if (leftOut.has(name) || (!isOnWay && leftOut.has(idIn(member, key)))) return [[name]];
    if (isObject(member))
      return membersNaming(member, { list: isOnWay ? rest : elsewhere, key }, leftOut).map((at) => [
        name,
        ...at,
      ]);
    return names(member, leftOut) ? [[name]] : [];
  });
}

/** A pointer that no member of a response has. */
const elsewhere: JsonPointer = ['\0'];

/** Returns the id of a value that has the form of an item; empty for any other. */
function idIn(value: unknown, key: JsonPointer): string {
  const found = resolve(value, key);
  return isObject(value) && (typeof found === 'string' || typeof found === 'number') ? String(found) : '';
}

function names(value: unknown, leftOut: ReadonlySet<string>): boolean {
  if (typeof value === 'string')
    return (
      leftOut.has(value) ||
      value.split(/[^\w-]+/).some((part) => part.length >= partCharsMin && leftOut.has(part))
    );
  if (typeof value === 'number') return value >= 10 ** (partCharsMin - 1) && leftOut.has(String(value));
  return (
    typeof value === 'object' &&
    value !== null &&
    Object.entries(value).some(([name, one]) => leftOut.has(name) || names(one, leftOut))
  );
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
