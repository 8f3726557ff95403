/**
 * A request target in origin form (RFC 9112, 3.2.1) that cannot leave the path it is appended to.
 * Both parts are the caller's bytes; `query` keeps its question mark, so that path + query is the target again.
 */
export type Target = { path: string; query: string };

const printable = /^[\x21-\x7e]+$/;
/** RFC 3986, 3.3: any other character is one that some parsers encode, cut at or turn around. */
const pathCharacters = /^[\w\-.~!$&'()*+,;=:@%/]+$/;

/**
 * Matches sequences that the gateway and the upstream may interpret differently: an empty segment; a percent sign that starts no
 * octet; an encoded slash, backslash, control character or percent sign (decoded twice it is any of them); the lead
 * bytes of overlong UTF-8, in two, three and four bytes, which spell `.` and `/` to a careless decoder.
 */
const misleading = /\/\/|%(?![0-9a-f]{2})|%(?:2f|5c|25|7f|[01][0-9a-f]|c[01]|e0%[89]|f0%8)/i;

/**
 * `.` and `..`, plain or encoded, also with parameters behind them, which servlet containers cut off, or with dots and blanks, which
 * Windows cuts off.
 */
const dotSegment = /\/(?:\.|%2e)(?:\.|%2e|%20|%c2%a0)*(?:;|\/|$)/i;

/** Bytes beyond ASCII: what some servers turn into ASCII by compatibility (NFKC), as full-width letters and dot leaders. */
const beyondAscii = /%[89a-f]/i;
const compatible = /[/\\%;?#]|\.\./;

/** Nothing in such a path can mislead anybody, and most paths are so. */
const plain = /^(?:\/[\w-]+)+$/;

/** Reads the target of a request line; null for every form that could escape, an absolute URL and `*` among them. */
export function parse(raw: string): Target | null {
  if (plain.test(raw)) return { path: raw, query: '' };
  if (raw[0] !== '/' || raw.includes('#') || !printable.test(raw)) return null;
  const mark = raw.indexOf('?');
  const path = mark < 0 ? raw : raw.slice(0, mark);
  if (!pathCharacters.test(path) || misleading.test(path) || dotSegment.test(path)) return null;
  if (beyondAscii.test(path) && becomesMisleading(path)) return null;
  return { path, query: mark < 0 ? '' : raw.slice(mark) };
}

/** Returns true when Unicode normalization turns a character beyond ASCII into a path separator, a dot segment or similar. */
function becomesMisleading(path: string): boolean {
  return path
    .split('/')
    .map((segment) => Buffer.from(segment.replace(/%([0-9a-f]{2})/gi, octet), 'latin1').toString())
    .some((segment) => {
      const normal = segment.normalize('NFKC');
      return normal !== segment && (compatible.test(normal) || /^[.\s]+$/.test(normal));
    });
}

function octet(_: string, digits: string): string {
  return String.fromCharCode(Number.parseInt(digits, 16));
}
