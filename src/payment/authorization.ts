/**
 * The credentials that `Authorization` lines carry (RFC 9110, section 11.6.2). One line may hold several:
 * clients that join repeated fields send `Bearer x, Payment y`.
 */
export type Credentials = { scheme: string; value: string };

export type Bearer = { kind: 'none' } | { kind: 'token'; token: string } | { kind: 'malformed' };

/** One element of a comma-separated list. A comma inside a quoted string, closed or not, is not a separator. */
const element = /(?:"(?:[^"\\]|\\.)*"?|[^",])+/g;
/** A scheme and the text that follows it. `name=value` and `name = value` are parameters of the scheme before them. */
const credentials = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+)(?:[ \t]+([^= \t].*))?$/;

/** Parses the credentials in the raw values of one field, in order, each scheme in lower case. Never throws. */
export function parse(lines: readonly string[]): Credentials[] {
  const found: Credentials[] = [];
  for (const [text] of lines.flatMap((line) => [...line.matchAll(element)])) {
    const [, scheme, value = ''] = credentials.exec(text.trim()) ?? [];
    if (scheme !== undefined) found.push({ scheme: scheme.toLowerCase(), value });
  }
  return found;
}

/**
 * Finds the bearer token (RFC 6750) in the raw values of `Authorization`, which may also carry other schemes.
 * Two bearer tokens are `malformed`, because it is ambiguous which one the caller meant.
 */
export function bearer(lines: readonly string[]): Bearer {
  const [first, ...more] = parse(lines).filter(({ scheme }) => scheme === 'bearer');
  if (first === undefined) return { kind: 'none' };
  if (more.length > 0 || !/^[A-Za-z0-9._~+/-]+=*$/.test(first.value)) return { kind: 'malformed' };
  return { kind: 'token', token: first.value };
}
