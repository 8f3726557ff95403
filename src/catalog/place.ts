/** The way from the root of a file to a value: keys and list indexes. */
export type Path = readonly (string | number)[];

/** A value of a file, not yet trusted, and the way to it. */
export type Place = { value: unknown; path: Path };

/** What is wrong with the value at a path, and how to mend it. */
export type Finding = { path: Path; reason: string };

/** What stands under `key`; its value is undefined where `place` has no such member. */
export function member(place: Place, key: string): Place {
  const { value } = place;
  const has =
    typeof value === 'object' && value !== null && !Array.isArray(value) && Object.hasOwn(value, key);
  return { value: has ? (value as Record<string, unknown>)[key] : undefined, path: [...place.path, key] };
}

/** The items of a list; none where `place` is no list. */
export function items(place: Place): Place[] {
  if (!Array.isArray(place.value)) return [];
  return place.value.map((value: unknown, index) => ({ value, path: [...place.path, index] }));
}

/** The text that stands here, or null where something else does. */
export function text(place: Place): string | null {
  return typeof place.value === 'string' ? place.value : null;
}

/** The number that stands here, or null where something else does. */
export function number(place: Place): number | null {
  return typeof place.value === 'number' ? place.value : null;
}

/** `services[0].operations[2].units`; empty for the root. */
export function format(path: Path): string {
  return path.reduce<string>(
    (way, step) => (typeof step === 'number' ? `${way}[${step}]` : way === '' ? step : `${way}.${step}`),
    '',
  );
}

/** The last key of a path with its index, for a sentence: `units`, `covers[1]`; `the file` for the root. */
export function name(path: Path): string {
  const lastKey = path.findLastIndex((step) => typeof step === 'string');
  return format(path.slice(Math.max(lastKey, 0))) || 'the file';
}
