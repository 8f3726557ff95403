import * as Target from '@sluice/kernel/request-target';
import type { Catalog } from './catalog.ts';
import * as Description from './description.ts';
import type { Operation } from './operation.ts';
import * as PathTemplate from './path-template.ts';

export type Match =
  | { kind: 'operation'; operation: Operation }
  | { kind: 'method_not_allowed'; allow: string[] }
  | { kind: 'not_found' };

type Found = Extract<Match, { kind: 'operation' }>;

/**
 * A sold path with parameters. `rivals`: other paths of the upstream, sold or not, that match some of the same requests and are not strictly
 * more general, as `/users/me` is to `/users/{id}`. A request that could mean one of them does not match this path. `expressions`: what the
 * segments with text beside their parameters match, by index.
 */
type Template = {
  segments: readonly string[];
  expressions: readonly (RegExp | null)[];
  rivals: readonly (readonly string[])[];
  found: Found;
};
type Routes = { exact: ReadonlyMap<string, Found>; templates: readonly Template[] };

/** A catalogue prepared for `find`: the routes of each method. */
export type Matcher = ReadonlyMap<string, Routes>;

const notFound: Match = { kind: 'not_found' };

/**
 * Prepares a catalogue for matching. With the upstream's `description`, a template does not sell other operations of the upstream by
 * accident: when `GET /users/{id}` is sold and `GET /users/me` is not, the latter is not found.
 */
export function compile(catalog: Catalog, description: Description.Description = Description.none): Matcher {
  const methods = new Set(catalog.operations.map(({ method }) => method));
  return new Map([...methods].map((method) => [method, routes(catalog, description, method)]));
}

function routes(catalog: Catalog, description: Description.Description, method: string): Routes {
  const sold = catalog.operations.filter((operation) => operation.method === method);
  const others = [...sold, ...description.values()]
    .filter((other) => other.method === method)
    .map((other) => segmentsOf(other.path).map(foldLiterals));
  const exact = new Map<string, Found>();
  const templates: Template[] = [];
  for (const operation of sold) {
    const found: Found = { kind: 'operation', operation };
    const segments = segmentsOf(operation.path);
    if (!operation.path.includes('{')) exact.set(operation.path, found);
    else
      templates.push({
        segments,
        expressions: segments.map(PathTemplate.expression),
        rivals: others.filter((other) => rivals(other, segments.map(foldLiterals))),
        found,
      });
  }
  return { exact, templates };
}

/** Finds the operation of a request. HEAD on a path that is sold for GET makes the same call; its response has no body (RFC 9110, section 9.3.2). */
export function findCall(matcher: Matcher, method: string, path: string): Match {
  const found = find(matcher, method, path);
  return method === 'HEAD' && found.kind === 'method_not_allowed' ? find(matcher, 'GET', path) : found;
}

/** Returns true when a path calls exactly this operation, and no other one that matches it better. */
export function isCallOf(matcher: Matcher, operation: Operation, path: string): boolean {
  const found = find(matcher, operation.method, path);
  return found.kind === 'operation' && found.operation === operation;
}

/**
 * Returns the operation for `method` and the raw request path without query. Only the exact spelling matches: a path that the upstream
 * could read as another one (escapes, dot segments, another case) is not found.
 */
export function find(matcher: Matcher, method: string, path: string): Match {
  const found = matcher.get(method)?.exact.get(path);
  return found ?? search(matcher, method, path);
}

function search(matcher: Matcher, method: string, path: string): Match {
  const target = Target.parse(path);
  if (target === null || target.path !== path) return notFound;
  const segments = segmentsOf(path);
  const readings: Readings = [segments.map(fold), segments.map((segment) => decode(segment).toLowerCase())];
  const [folded] = readings;
  // A servlet container reads `/a/b/;x` as `/a/b/`.
  if (segments.some((segment, at) => segment !== '' && folded[at] === '')) return notFound;
  const allow: string[] = [];
  for (const [sold, { exact, templates }] of matcher) {
    const found = exact.get(path) ?? templates.find((template) => fits(template, segments, readings))?.found;
    if (found !== undefined && sold === method) return found;
    if (found !== undefined) allow.push(sold);
  }
  return allow.length > 0 ? { kind: 'method_not_allowed', allow } : notFound;
}

/** The segments as lenient upstreams read them: with `;` parameters cut off, and with them. */
type Readings = readonly [readonly string[], readonly string[]];

function fits(template: Template, segments: readonly string[], readings: Readings): boolean {
  return (
    takesAll(template.segments, segments) &&
    template.expressions.every((expression, at) => expression?.test(segments[at] ?? '') ?? true) &&
    !template.rivals.some((rival) => readings.some((reading) => takesAll(rival, reading)))
  );
}

function segmentsOf(path: string): string[] {
  return path.slice(1).split('/');
}

/** Normalizes a segment as the most lenient upstream would: percent-decoded, lower case, without `;` parameters. */
function fold(segment: string): string {
  const [name = ''] = decode(segment).split(';');
  return name.toLowerCase();
}

/** The same for a segment of a path template; parameters are kept. */
function foldLiterals(segment: string): string {
  return segment.includes('{') ? segment.toLowerCase() : fold(segment);
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

/** Returns true when some path matches both, but `other` does not match every path of `segments`. Both are normalized. */
function rivals(other: readonly string[], segments: readonly string[]): boolean {
  if (other.length !== segments.length) return false;
  const pairs = segments.map((segment, index) => [other[index] ?? '', segment] as const);
  const overlap = pairs.every(([a, b]) => a === b || a.includes('{') || b.includes('{'));
  const wider = pairs.every(([a, b]) => /^\{[^{}]*\}$/.test(a) || a === b);
  return overlap && !wider;
}

function takesAll(template: readonly string[], segments: readonly string[]): boolean {
  return (
    template.length === segments.length && template.every((segment, at) => takes(segment, segments[at] ?? ''))
  );
}

/** `{id}` matches any non-empty text. For `{id}.json` only start and end are compared, which may find too many rivals. */
function takes(segment: string, text: string): boolean {
  const open = segment.indexOf('{');
  if (open < 0) return segment === text;
  const close = segment.lastIndexOf('}') + 1;
  const literals = open + segment.length - close;
  return (
    text.length > literals && text.startsWith(segment.slice(0, open)) && text.endsWith(segment.slice(close))
  );
}
