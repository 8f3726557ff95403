/** Why a message's fields are none. */
export type Malformed = 'malformed_field' | 'too_many_fields';

/** As many as a list holds, names and values. */
const textsMax = 2 * 128;

const token = /^[\w!#$%&'*+\-.^`|~]+$/;

/** The usual names as they are usually spelled: finding one costs less than checking and lower-casing it. */
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
 * Reads field lines (RFC 9112, 5), each ended by CRLF, from `at` to the end of `text`, onto `list`: names in lower case, values without
 * the blanks around them. No line is folded, no name has a blank before its colon, no value has a control character but the tab.
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
    if (end < 0) return 'malformed_field';
    list.push(name, between(text, colon + 1, end));
    at = end + 2;
  }
  return null;
}

/** Where the CRLF of the line stands that goes on at `at`; -1 where another control character than a tab comes first. */
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
