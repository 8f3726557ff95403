/** The reason why header fields are invalid. */
export type Malformed = 'malformed_field' | 'too_many_fields';

/** Maximum number of names and values in a list. */
const textsMax = 2 * 128;

const token = /^[\w!#$%&'*+\-.^`|~]+$/;

/** Fields that determine the length of the body. Parsers disagree about a tab after their value: some read another value then. */
const framing = new Set(['transfer-encoding', 'content-length']);
const tabAtEnd = /\t[\t ]*$/;

/** Common names in their usual spelling: a lookup costs less than validating and lower-casing the name. */
const usual = new Map<string, string>();
for (const name of [
  ...['Content-Type', 'Content-Length', 'Content-Encoding', 'Transfer-Encoding', 'Connection', 'Keep-Alive'],
  ...[
    'Date',
    'Server',
    'ETag',
    'Last-Modified',
    'Accept-Ranges',
    'Cache-Control',
    'Vary',
    'Location',
    'Link',
  ],
  ...['Retry-After', 'X-Request-Id', 'X-Records-Used', 'X-Records-Remaining', 'X-Powered-By', 'Via'],
]) {
  usual.set(name, name.toLowerCase());
  usual.set(name.toLowerCase(), name.toLowerCase());
}

/**
 * Reads field lines (RFC 9112, 5), each ended by CRLF, from `at` to the end of `text`, and appends them to `list`: names in lower case,
 * values without surrounding whitespace. Rejects folded lines, whitespace before the colon, and control characters except tabs.
 */
export function read(text: string, at: number, list: string[]): Malformed | null {
  while (at < text.length) {
    if (list.length === textsMax) return 'too_many_fields';
    const colon = text.indexOf(':', at);
    const spelled = text.slice(at, colon);
    let name = usual.get(spelled);
    if (name === undefined) {
      if (colon < 0 || !token.test(spelled)) return 'malformed_field';
      name = spelled.toLowerCase();
    }
    const end = lineEnd(text, colon + 1);
    if (end < 0 || (framing.has(name) && tabAtEnd.test(text.slice(colon + 1, end)))) return 'malformed_field';
    list.push(name, between(text, colon + 1, end));
    at = end + 2;
  }
  return null;
}

/** Returns the position of the CRLF that ends the line at `at`; -1 when a control character other than a tab comes first. */
export function lineEnd(text: string, at: number): number {
  for (; ; at++) {
    const code = text.charCodeAt(at);
    if (code >= 0x20 ? code === 0x7f : code !== 0x09)
      return code === 0x0d && text.charCodeAt(at + 1) === 0x0a ? at : -1;
  }
}

function between(text: string, from: number, to: number): string {
  while (from < to && isBlank(text.charCodeAt(from))) from++;
  while (to > from && isBlank(text.charCodeAt(to - 1))) to--;
  return text.slice(from, to);
}

function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x09;
}
