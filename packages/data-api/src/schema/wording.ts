import { nearest } from '@sluice/kernel/did-you-mean';

/** An error in a body: the path of the field and a message. */
export type FieldError = { field: string; message: string };

export const faultsMax = 20;
const summarisedFaultsMax = 3;
/** Maximum length of a list of allowed values in a message. For longer lists only the nearest values are shown. */
const spelledOutMax = 30;
const suggestionsMax = 5;
const echoedCharactersMax = 80;

/** Summarizes errors: `Invalid request: a: Required; b: Expected integer`, at most three, then the number of others. */
export function summary(faults: readonly FieldError[]): string {
  const shown = faults.slice(0, summarisedFaultsMax).map((fault) => `${fault.field}: ${fault.message}`);
  const rest = faults.length - shown.length;
  return `Invalid request: ${shown.join('; ')}${rest > 0 ? ` (and ${rest} more)` : ''}`;
}

export function unknownField(name: string, allowed: readonly string[]): string {
  const near = nearest(name, allowed);
  const hint = near ? `Did you mean ${quoted(near)}?` : `Allowed fields: ${allowed.join(', ')}`;
  return `Unknown field ${quoted(name)}. ${hint}`;
}

export function invalidValue(value: string, allowed: readonly string[]): string {
  const start = `Invalid value ${quoted(value)}.`;
  const near = nearest(value, allowed);
  if (near) return `${start} Did you mean ${quoted(near)}?`;
  if (allowed.length <= spelledOutMax) return `${start} Allowed values: ${allowed.join(', ')}`;
  return `${start} Nearest of ${allowed.length} allowed values: ${alike(value, allowed).join(', ')}`;
}

export function between(min: number, max: number): string {
  return `Must be between ${min} and ${max}`;
}

export function length(min: number, max: number, found: number): string {
  if (min === max) return `Must have exactly ${min} characters`;
  return found < min
    ? `Must have at least ${count(min, 'character')}`
    : `Must have at most ${max} characters`;
}

export function items(min: number, max: number, found: number): string {
  return found < min ? `Must have at least ${count(min, 'item')}` : `Must have at most ${max} items`;
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}

/** Quotes a value on one line: JSON escapes control characters, but not all characters that end a line. */
function quoted(value: string): string {
  const shown = value.length > echoedCharactersMax ? `${value.slice(0, echoedCharactersMax)}...` : value;
  const escaped = (char: string) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return JSON.stringify(shown.toWellFormed()).replace(/[\u0085\u2028\u2029]/g, escaped);
}

/** Values most similar to `value`, by common pairs of letters (Dice coefficient), which rewards common words. */
function alike(value: string, allowed: readonly string[]): string[] {
  const wanted = pairs(value);
  const scored = allowed.map((candidate) => {
    const other = pairs(candidate);
    const common = [...other].filter((pair) => wanted.has(pair)).length;
    return { candidate, score: common / (wanted.size + other.size + 1) };
  });
  scored.sort((a, b) => b.score - a.score);
  return scored.slice(0, suggestionsMax).map((entry) => entry.candidate);
}

function pairs(value: string): Set<string> {
  const folded = value.slice(0, echoedCharactersMax).toLowerCase();
  return new Set(Array.from({ length: Math.max(0, folded.length - 1) }, (_, at) => folded.slice(at, at + 2)));
}
