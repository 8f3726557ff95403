/** The path from the root of a file to a value: keys and list indexes. */
export type Path = readonly (string | number)[];

/** An unvalidated value of a file and its path. */
export type LocatedValue = { value: unknown; path: Path };

/** A fault of the value at a path, and how to fix it. */
export type Finding = { path: Path; reason: string };

/** Returns the member `key`; its value is undefined when there is none. */
export function member(place: LocatedValue, key: string): LocatedValue {
  const { value } = place;
  const has =
    typeof value === 'object' && value !== null && !Array.isArray(value) && Object.hasOwn(value, key);
  return { value: has ? (value as Record<string, unknown>)[key] : undefined, path: [...place.path, key] };
}

/** Returns the items of a list; empty when the value is not a list. */
export function items(place: LocatedValue): LocatedValue[] {
  if (!Array.isArray(place.value)) return [];
  return place.value.map((value: unknown, index) => ({ value, path: [...place.path, index] }));
}

/** Returns the value if it is a string, or null. */
export function text(place: LocatedValue): string | null {
  return typeof place.value === 'string' ? place.value : null;
}

/** Returns the value if it is a number, or null. */
export function number(place: LocatedValue): number | null {
  return typeof place.value === 'number' ? place.value : null;
}

/** Formats a path: `services[0].operations[2].units`; empty for the root. */
export function format(path: Path): string {
  return path.reduce<string>(
    (way, step) => (typeof step === 'number' ? `${way}[${step}]` : way === '' ? step : `${way}.${step}`),
    '',
  );
}

/** Returns the last key of a path with its index, for messages: `units`, `covers[1]`; `the file` for the root. */
export function name(path: Path): string {
  const lastKey = path.findLastIndex((step) => typeof step === 'string');
  return format(path.slice(Math.max(lastKey, 0))) || 'the file';
}
