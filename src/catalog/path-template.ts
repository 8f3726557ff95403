/**
 * The segments of a path: literal text, null for a `{name}` that matches any one segment, or text with `{}` in place of each parameter for a
 * segment that has more than one parameter alone, such as `{}:verb` (custom methods, as in Google's APIs), `{}.json` or `{},{}`.
 */
export type PathTemplate = readonly (string | null)[];

export type ParsedTemplate = { ok: true; template: PathTemplate } | { ok: false; reason: string };

/**
 * The characters of a segment that need no percent-encoding (RFC 3986, pchar). Encoded ones are rejected: they would give the same path
 * several spellings.
 */
const literal = /^[\w.~!$&'()*+,;=:@-]*$/;
const parameter = /\{[A-Za-z_][\w.-]*\}/g;
/** A segment with parameters: literals between them, and no `;`, which some servers cut off. */
const composed = /^(?:\{\}(?!\{)|[\w.~!$&'()*+,=:@-])+$/;

/** Parses a path of the catalogue: `/v2/jobs/company`, `/todos/{id}`. `reason` continues a sentence that starts with the path. */
export function parse(path: string): ParsedTemplate {
  if (!path.startsWith('/')) return { ok: false, reason: 'does not start with "/"' };
  if (path.includes('?') || path.includes('#')) {
    return { ok: false, reason: 'has a query or a fragment: leave it out, callers send their own' };
  }
  const segments = path.slice(1).split('/');
  if (segments.slice(0, -1).includes(''))
    return { ok: false, reason: 'has an empty segment: write one "/" only' };
  const shapes = segments.map((segment) => segment.replace(parameter, '{}'));
  const at = shapes.findIndex((shape, index) => {
    const isComposed = composed.test(shape) && segments[index]?.includes('{}') === false;
    return !isComposed && !literal.test(shape);
  });
  const odd = segments[at];
  if (odd?.includes('{')) {
    return {
      ok: false,
      reason: `has ${JSON.stringify(odd)}: write a parameter as {id}, and text between two of them, as in {lat},{lng}`,
    };
  }
  if (odd !== undefined) {
    return { ok: false, reason: `has ${JSON.stringify(odd)}: use letters, digits and -._~!$&'()*+,;=:@` };
  }
  if (segments.some((segment) => segment === '.' || segment === '..' || /^\.{1,2};/.test(segment))) {
    return { ok: false, reason: 'has a dot segment: write the path that it leads to' };
  }
  return { ok: true, template: shapes.map((shape) => (shape === '{}' ? null : shape)) };
}

/**
 * Returns the expression for the values of a segment that has text beside its parameters; null for any other segment. The values must be
 * plain: no escape, and nothing that an upstream could read as the end of the value.
 */
export function expression(segment: string): RegExp | null {
  const shape = segment.replace(parameter, '{}');
  const literals = shape.split('{}');
  if (literals.length === 1 || shape === '{}') return null;
  const between = literals.slice(1, -1).map((text) => text.charAt(0));
  const value = `([^:;%${between.map(RegExp.escape).join('')}]+)`;
  return new RegExp(`^${literals.map(RegExp.escape).join(value)}$`);
}

/** Returns the values of the parameters of a segment that `text` matches. */
export function values(segment: string, text: string): string[] {
  if (!segment.includes('{')) return [];
  const beside = expression(segment);
  return beside === null ? [text] : (beside.exec(text)?.slice(1) ?? []);
}

/** Returns true when some path matches both and neither is more specific for all of them: `/a/{x}` and `/{y}/b`. */
export function ambiguous(a: PathTemplate, b: PathTemplate): boolean {
  if (a.length !== b.length) return false;
  let aCloser = false;
  let bCloser = false;
  for (const [index, segment] of a.entries()) {
    const other = b[index] ?? null;
    if (segment === other) continue;
    if (!overlap(segment, other)) return false;
    const order = closeness(segment) - closeness(other);
    if (order >= 0) aCloser = true;
    if (order <= 0) bCloser = true;
  }
  return aCloser === bCloser;
}

/** Returns true when a segment of a path can match both of two different template segments. */
function overlap(a: string | null, b: string | null): boolean {
  if (a === null || b === null) return true;
  const [[aStart, aEnd], [bStart, bEnd]] = [ends(a), ends(b)];
  if (closeness(a) === 2 && closeness(b) === 2) return false;
  const [narrow, wide] = closeness(a) > closeness(b) ? [a, b] : [b, a];
  if (closeness(narrow) === 2) return expression(wide)?.test(narrow) === true;
  const starts = aStart.startsWith(bStart) || bStart.startsWith(aStart);
  return starts && (aEnd.endsWith(bEnd) || bEnd.endsWith(aEnd));
}

/** Returns the text before the first parameter and behind the last one. */
function ends(segment: string): [string, string] {
  const parts = segment.split('{}');
  return [parts[0] ?? '', parts.at(-1) ?? ''];
}

/** Fixed text matches least, a parameter beside text more, a parameter alone most. */
function closeness(segment: string | null): number {
  if (segment === null) return 0;
  return segment.includes('{}') ? 1 : 2;
}
