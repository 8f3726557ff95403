import type { JsonPointer } from '@sluice/kernel/json-pointer';

/** A shorter id is found only as a whole value: it can be a part of any word. */
const partCharsMin = 4;

/**
 * Returns the members beside a list that name one of its items in `leftOut`, such as `last_id` or the address of the next page. If the
 * name is within an array, it is the member that contains the array.
 */
export function membersNaming(body: unknown, list: JsonPointer, leftOut: ReadonlySet<string>): JsonPointer[] {
  if (!isObject(body) || list.length === 0) return [];
  const [next, ...rest] = list;
  return Object.entries(body).flatMap(([name, member]) => {
    const isOnWay = name === next;
    if (isOnWay && rest.length === 0) return [];
    if (isObject(member))
      return membersNaming(member, isOnWay ? rest : elsewhere, leftOut).map((at) => [name, ...at]);
    return names(member, leftOut) ? [[name]] : [];
  });
}

/** A pointer that no member of a response has. */
const elsewhere: JsonPointer = ['\0'];

function names(value: unknown, leftOut: ReadonlySet<string>): boolean {
  if (typeof value === 'string')
    return (
      leftOut.has(value) ||
      value.split(/[^\w-]+/).some((part) => part.length >= partCharsMin && leftOut.has(part))
    );
  if (typeof value === 'number') return value >= 10 ** (partCharsMin - 1) && leftOut.has(String(value));
  return (
    typeof value === 'object' && value !== null && Object.values(value).some((one) => names(one, leftOut))
  );
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
