import { isDeepStrictEqual } from 'node:util';
import * as Source from './source.ts';
import * as SourceLocation from './source-location.ts';

/** The keys of an upstream that a console may change, because none of them moves a secret. */
const harmless = new Set(['limits', 'timeout_ms', 'response_fields']);

/**
 * Compares what decides where a shop sends its API keys, and which files it reads: `upstream` and `upstreams` without their limits, and `goals`.
 * @returns the key of the first part that differs, or null
 */
export function difference(before: string, after: string): string | null {
  const [one, other] = [Source.read(before).value, Source.read(after).value];
  const member = (value: unknown, key: string) => SourceLocation.member({ value, path: [] }, key).value;
  const single = (value: unknown) => withoutHarmless(member(value, 'upstream'));
  const named = (value: unknown) => {
    const entries = Object.entries(member(value, 'upstreams') ?? {});
    return Object.fromEntries(entries.map(([name, entry]) => [name, withoutHarmless(entry)]));
  };
  if (!isDeepStrictEqual(single(one), single(other))) return 'upstream';
  if (!isDeepStrictEqual(named(one), named(other))) return 'upstreams';
  return isDeepStrictEqual(member(one, 'goals'), member(other, 'goals')) ? null : 'goals';
}

/** A missing upstream is the same as one without keys. */
function withoutHarmless(upstream: unknown): unknown {
  const entries = isMapping(upstream) ? Object.entries(upstream) : [];
  return Object.fromEntries(entries.filter(([key]) => !harmless.has(key)));
}

function isMapping(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
