import { isDeepStrictEqual } from 'node:util';
import * as Source from './source.ts';
import * as SourceLocation from './source-location.ts';

/** The keys of an upstream that a console may change, because none of them moves a secret. */
const harmless = new Set(['limits', 'timeout_ms', 'response_fields']);

/**
 * Compares what decides where a shop sends its API keys, which calls they permit, and which files it reads: `upstream` and `upstreams` without their
 * limits, operations that are added or go to another upstream, and `goals`. Operations may be removed.
 * @returns the path of the first part that differs, in `after` where it has it, or null
 */
export function difference(before: string, after: string): SourceLocation.Path | null {
  const [one, other] = [Source.read(before).value, Source.read(after).value];
  const member = (value: unknown, key: string) => SourceLocation.member({ value, path: [] }, key).value;
  const single = (value: unknown) => withoutHarmless(member(value, 'upstream'));
  const named = (value: unknown) => {
    const entries = Object.entries(member(value, 'upstreams') ?? {});
    return Object.fromEntries(entries.map(([name, entry]) => [name, withoutHarmless(entry)]));
  };
  const first = firstDifference(single(one), single(other), ['upstream']);
  const second = first ?? firstDifference(named(one), named(other), ['upstreams']);
  if (second !== null) return second;
  const sold = callsOf(one);
  for (const [call, path] of callsOf(other)) if (!sold.has(call)) return path;
  return isDeepStrictEqual(member(one, 'goals'), member(other, 'goals')) ? null : ['goals'];
}

/** Returns the path of the first key that differs, or null. */
function firstDifference(
  one: unknown,
  other: unknown,
  path: SourceLocation.Path,
): SourceLocation.Path | null {
  if (isDeepStrictEqual(one, other)) return null;
  if (!isMapping(one) || !isMapping(other) || Array.isArray(one) || Array.isArray(other)) return path;
  for (const key of new Set([...Object.keys(other), ...Object.keys(one)])) {
    const found = firstDifference(one[key], other[key], [...path, key]);
    if (found !== null) return found;
  }
  return path;
}

/** Returns the calls of all operations, those of jobs included, each with the upstreams of its service, and their paths. */
function callsOf(root: unknown): Map<string, SourceLocation.Path> {
  const { value: services } = SourceLocation.member({ value: root, path: [] }, 'services');
  const calls = new Map<string, SourceLocation.Path>();
  const collect = (value: unknown, route: string, path: SourceLocation.Path): void => {
    if (!isMapping(value)) return;
    for (const [key, inner] of Object.entries(value)) {
      const at = [...path, Array.isArray(value) ? Number(key) : key];
      if (key === 'call') calls.set(`${String(inner)} ${route}`, at);
      else collect(inner, route, at);
    }
  };
  for (const [index, service] of (Array.isArray(services) ? services : []).entries())
    if (isMapping(service))
      collect(service, JSON.stringify([service.upstream, service.otherwise]), ['services', index]);
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
