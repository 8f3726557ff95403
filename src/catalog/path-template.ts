/**
 * The segments of a path: literal text, null for a `{name}` that matches any one segment, or `{}:verb` for a `{name}:verb` that matches
 * those that end with `:verb` (custom methods, as in Google's APIs).
 */
export type PathTemplate = readonly (string | null)[];

export type ParsedTemplate = { ok: true; template: PathTemplate } | { ok: false; reason: string };

/**
 * The characters of a segment that need no percent-encoding (RFC 3986, pchar). Encoded ones are rejected: they would give the same path
 * several spellings.
 */
const literal = /^[\w.~!$&'()*+,;=:@-]*$/;
const parameter = /^\{[A-Za-z_][\w.-]*\}(:[A-Za-z][\w-]*)?$/;

/** Parses a path of the catalogue: `/v2/jobs/company`, `/todos/{id}`. `reason` continues a sentence that starts with the path. */
export function parse(path: string): ParsedTemplate {
  if (!path.startsWith('/')) return { ok: false, reason: 'does not start with "/"' };
  if (path.includes('?') || path.includes('#')) {
    return { ok: false, reason: 'has a query or a fragment: leave it out, callers send their own' };
  }
  const segments = path.slice(1).split('/');
  if (segments.slice(0, -1).includes(''))
    return { ok: false, reason: 'has an empty segment: write one "/" only' };
  const odd = segments.find((segment) => !parameter.test(segment) && !literal.test(segment));
  if (odd?.includes('{')) {
    return {
      ok: false,
      reason: `has ${JSON.stringify(odd)}: a parameter takes a whole segment, such as {id}, or ends with a verb, such as {id}:cancel`,
    };
  }
  if (odd !== undefined) {
    return { ok: false, reason: `has ${JSON.stringify(odd)}: use letters, digits and -._~!$&'()*+,;=:@` };
  }
  if (segments.some((segment) => segment === '.' || segment === '..' || /^\.{1,2};/.test(segment))) {
    return { ok: false, reason: 'has a dot segment: write the path that it leads to' };
  }
  return { ok: true, template: segments.map(templateOf) };
}

function templateOf(segment: string): string | null {
  const [, verb] = parameter.exec(segment) ?? [];
  if (verb !== undefined) return `{}${verb}`;
  return segment.startsWith('{') ? null : segment;
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
    if (closeness(segment) > closeness(other)) aCloser = true;
    else bCloser = true;
  }
  return aCloser === bCloser;
}

/** Returns true when a segment of a path can match both of two different template segments. */
function overlap(a: string | null, b: string | null): boolean {
  if (a === null || b === null) return true;
  const [narrow, wide] = closeness(a) > closeness(b) ? [a, b] : [b, a];
  return wide.startsWith('{}') && !narrow.startsWith('{}') && narrow.endsWith(wide.slice(2));
}

/** Fixed text matches least, a parameter with a verb more, a parameter most. */
function closeness(segment: string | null): number {
  if (segment === null) return 0;
  return segment.startsWith('{}') ? 1 : 2;
}
