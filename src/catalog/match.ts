import * as Target from '../relay/target.ts';
import type { Catalog } from './catalog.ts';
import * as Description from './description.ts';
import type { Operation } from './operation.ts';

export type Match =
  | { kind: 'operation'; operation: Operation }
  | { kind: 'method_not_allowed'; allow: string[] }
  | { kind: 'not_found' };

type Found = Extract<Match, { kind: 'operation' }>;

/**
 * A sold path with parameters. `rivals` are the upstream's other paths, sold or not, that take some of the same
 * requests and are not plainly wider: `/users/me` to `/users/{id}`. What could be meant for one of them is not sold here.
 */
type Template = { segments: readonly string[]; rivals: readonly (readonly string[])[]; found: Found };
type Routes = { exact: ReadonlyMap<string, Found>; templates: readonly Template[] };

/** A catalogue made ready for `find`: what each method sells. */
export type Matcher = ReadonlyMap<string, Routes>;

const notFound: Match = { kind: 'not_found' };

/**
 * Makes a catalogue ready for matching. With the upstream's `description`, a template does not sell by accident what
 * the upstream has besides: where `GET /users/{id}` is sold and `GET /users/me` is not, the latter is not found.
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
        rivals: others.filter((other) => rivals(other, segments.map(foldLiterals))),
        found,
      });
  }
  return { exact, templates };
}

/**
 * The operation that `method` and the raw request path mean, without query. Only an operation's own spelling finds it:
 * whatever could mean another path to the upstream (escapes, dot segments, another case) does not match.
 */
export function find(matcher: Matcher, method: string, path: string): Match {
  const found = matcher.get(method)?.exact.get(path);
  return found ?? search(matcher, method, path);
}

function search(matcher: Matcher, method: string, path: string): Match {
  const target = Target.parse(path);
  if (target === null || target.path !== path) return notFound;
  const segments = segmentsOf(path);
  const folded = segments.map(fold);
  // `/a/b/;x` is `/a/b/` to a servlet container.
  if (segments.some((segment, at) => segment !== '' && folded[at] === '')) return notFound;
  const allow: string[] = [];
  for (const [sold, { exact, templates }] of matcher) {
    const found = exact.get(path) ?? templates.find((template) => fits(template, segments, folded))?.found;
    if (found !== undefined && sold === method) return found;
    if (found !== undefined) allow.push(sold);
  }
  return allow.length > 0 ? { kind: 'method_not_allowed', allow } : notFound;
}

function fits(template: Template, segments: readonly string[], folded: readonly string[]): boolean {
  return takesAll(template.segments, segments) && !template.rivals.some((rival) => takesAll(rival, folded));
}

function segmentsOf(path: string): string[] {
  return path.slice(1).split('/');
}

/** A segment as the laxest upstream reads it: percent-decoded, in any case, without `;` parameters. */
function fold(segment: string): string {
  const [name = ''] = decode(segment).split(';');
  return name.toLowerCase();
}

/** The same for a segment of a path template, whose parameters stay. */
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

/** Whether some path is taken by both, though not every path of `segments` by `other`. Both are folded. */
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

/** `{id}` takes any text but none; of `{id}.json` only start and end are looked at, which may take too much for a rival. */
function takes(segment: string, text: string): boolean {
  const open = segment.indexOf('{');
  if (open < 0) return segment === text;
  const close = segment.lastIndexOf('}') + 1;
  const literals = open + segment.length - close;
  return (
    text.length > literals && text.startsWith(segment.slice(0, open)) && text.endsWith(segment.slice(close))
  );
}
