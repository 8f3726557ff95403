import { isDeepStrictEqual } from 'node:util';
import * as Source from './source.ts';
import * as SourceLocation from './source-location.ts';

/** The keys of an upstream that a console may change, because none of them moves a secret. */
const harmless = new Set(['limits', 'timeout_ms', 'response_fields']);

/**
 * Compares what decides where a shop sends its API keys, which calls they permit, and which files it reads: `upstream` and `upstreams` without their
 * limits, operations that are added or go to another upstream, and `goals`. Operations may be removed.
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
  const sold = callsOf(one);
  if (!callsOf(other).isSubsetOf(sold)) return 'services';
  return isDeepStrictEqual(member(one, 'goals'), member(other, 'goals')) ? null : 'goals';
}

/** Returns the calls of all operations, those of jobs included, each with the upstreams of its service. */
function callsOf(root: unknown): Set<string> {
  const { value: services } = SourceLocation.member({ value: root, path: [] }, 'services');
  const calls = new Set<string>();
  const collect = (value: unknown, route: string): void => {
    if (!isMapping(value)) return;
    for (const [key, inner] of Object.entries(value)) {
      if (key === 'call') calls.add(`${String(inner)} ${route}`);
      else collect(inner, route);
    }
  };
  for (const service of Array.isArray(services) ? services : [])
    if (isMapping(service)) collect(service, JSON.stringify([service.upstream, service.otherwise]));
  return calls;
}

/** A missing upstream is the same as one without keys. */
function withoutHarmless(upstream: unknown): unknown {
  const entries = isMapping(upstream) ? Object.entries(upstream) : [];
  return Object.fromEntries(entries.filter(([key]) => !harmless.has(key)));
}

function isMapping(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
