/** A path in segments: literal text, or null where a `{name}` takes any one segment. */
export type PathTemplate = readonly (string | null)[];

export type Parsed = { ok: true; template: PathTemplate } | { ok: false; reason: string };

/**
 * The characters of a segment that need no percent-encoding (RFC 3986, pchar). Encoded ones are refused, as the same
 * path would have several spellings.
 */
const literal = /^[\w.~!$&'()*+,;=:@-]*$/;
const parameter = /^\{[A-Za-z_][\w.-]*\}$/;

/** Reads a path of the catalogue: `/v2/jobs/company`, `/todos/{id}`. The reason reads on after the path's name. */
export function parse(path: string): Parsed {
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
      reason: `has ${JSON.stringify(odd)}: a parameter takes a whole segment, such as {id}`,
    };
  }
  if (odd !== undefined) {
    return { ok: false, reason: `has ${JSON.stringify(odd)}: use letters, digits and -._~!$&'()*+,;=:@` };
  }
  if (segments.some((segment) => segment === '.' || segment === '..' || /^\.{1,2};/.test(segment))) {
    return { ok: false, reason: 'has a dot segment: write the path that it leads to' };
  }
  return { ok: true, template: segments.map((segment) => (segment.startsWith('{') ? null : segment)) };
}

/** The path without the names of its parameters: `/todos/{id}` and `/todos/{todo}` are one. */
export function shape(path: string): string {
  return path.replace(/\{[^/]*\}/g, '{}');
}

/** Whether some path fits both and neither is the closer match for all of them: `/a/{x}` and `/{y}/b`. */
export function ambiguous(a: PathTemplate, b: PathTemplate): boolean {
  if (a.length !== b.length) return false;
  let aCloser = false;
  let bCloser = false;
  for (const [index, segment] of a.entries()) {
    const other = b[index] ?? null;
    if (segment === other) continue;
    if (segment !== null && other !== null) return false;
    if (segment !== null) aCloser = true;
    else bCloser = true;
  }
  return aCloser === bCloser;
}
