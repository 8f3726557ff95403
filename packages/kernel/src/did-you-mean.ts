/**
 * The valid value that a mistaken one was probably meant to be, for error messages.
 * Nearness is Damerau-Levenshtein distance on folded strings; null when nothing is within max(2, 30 % of the length), or when more than half of
 * the letters differ.
 */
export function nearest(value: string, allowed: readonly string[]): string | null {
  const wanted = fold(value);
  const limit = Math.min(Math.max(2, Math.floor(wanted.length * 0.3)), Math.floor(wanted.length / 2));
  let best: string | null = null;
  let bestDistance = limit + 1;
  for (const candidate of allowed) {
    const found = distance(wanted, fold(candidate), bestDistance);
    if (found < bestDistance) {
      best = candidate;
      bestDistance = found;
    }
  }
  return best;
}

const nameCharsShownMax = 64;

/** Returns `Did you mean "x"?`, or `<heading>: a, b, c` when nothing in `allowed` is near. */
export function hint(value: string, allowed: readonly string[], heading = 'Allowed fields'): string {
  const near = nearest(value, allowed);
  return near === null ? `${heading}: ${allowed.join(', ') || 'none'}` : `Did you mean "${near}"?`;
}

/** Returns the fault of a request body with the member `name`, which is not in `allowed`. */
function unknownField(name: string, allowed: readonly string[]): { field: string; message: string } {
  const shown = name.slice(0, nameCharsShownMax);
  return { field: 'body', message: `Unknown field "${shown}". ${hint(name, allowed)}` };
}

/** Returns a fault for each of `names` that is not in `allowed`, at most `max` of them. */
export function unknownFields(
  names: Iterable<string>,
  allowed: readonly string[],
  max = 20,
): { field: string; message: string }[] {
  const unknown = [...names].filter((name) => !allowed.includes(name));
  return unknown.slice(0, max).map((name) => unknownField(name, allowed));
}

/** Case, accents and the separators `_`, `-` and space are folded away; camelCase is read as words. */
function fold(value: string): string {
  return value
    .slice(0, 100)
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[_\-\s]+/g, ' ')
    .trim();
}

function distance(a: string, b: string, stopAt: number): number {
  if (Math.abs(a.length - b.length) >= stopAt) return stopAt;
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    for (let column = 1; column <= b.length; column++) {
      const cost = a[row - 1] === b[column - 1] ? 0 : 1;
      let value = Math.min(at(last, column) + 1, at(current, column - 1) + 1, at(last, column - 1) + cost);
      if (row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]) {
        value = Math.min(value, at(beforeLast, column - 2) + 1);
      }
      current.push(value);
    }
    beforeLast = last;
    last = current;
  }
  return at(last, b.length);
}

function at(row: readonly number[], column: number): number {
  return row[column] ?? Number.POSITIVE_INFINITY;
}
