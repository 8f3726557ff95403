import { nearest } from '../../kernel/nearest.ts';

/** One thing wrong with a body: where, and what would have been right. */
export type Fault = { field: string; message: string };

export const faultsMax = 20;
const summarisedFaultsMax = 3;
/** A longer list of allowed values is not spelled out; the nearest of them are. */
const spelledOutMax = 30;
const suggestionsMax = 5;
const echoedCharactersMax = 80;

/** `Invalid request: a: Required; b: Expected integer`, at most three of them, then how many more there are. */
export function summary(faults: readonly Fault[]): string {
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

function quoted(value: string): string {
  const shown = value.length > echoedCharactersMax ? `${value.slice(0, echoedCharactersMax)}...` : value;
  return JSON.stringify(shown.toWellFormed());
}

/** The values that share most with `value`, by common pairs of letters (Dice): a word in common counts for much. */
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
