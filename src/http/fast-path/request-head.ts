/** The request line and header section of a request that every HTTP/1.1 parser reads the same way (RFC 9112). */
export type RequestHead = {
  method: string;
  /** The request target, unchanged. */
  target: string;
  /** A flat list of names in their original spelling, and values. */
  rawHeaders: string[];
  /** The headers that the storefront reads, by lower-case name; none occurs twice. */
  headers: { [name: string]: string };
  contentLength: number;
  /** Size in bytes, including the empty line at the end. */
  length: number;
};

/** Requests with a longer header section or more fields are handed over to Node's server. */
export const headCharsMax = 16 * 1024;
const fieldsMax = 64;

const methods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']);
/** The origin form (RFC 9112, 3.2.1). */
const targets = /^\/[\x21-\x7e]*$/;
const version = ' HTTP/1.1\r\n';
/** Names are tokens, values are visible ASCII and blanks, and each line ends with CR LF: no folding, no bare CR or LF, no NUL. */
const fieldLines = /^(?:[!#$%&'*+\-.^_`|~\dA-Za-z]+:[\t\x20-\x7e]*\r\n)+$/;
const lengths = /^(?:0|[1-9]\d{0,9})$/;

/**
 * The treatment of a header field; unlisted fields are forwarded unread. `once`: the storefront reads it, so a second one would be
 * ambiguous. `fetch`: a browser that opens the address gets errors as pages, which the fast path does not write. `no`: it changes the framing of messages, which the fast path does not support.
 */
type Rule = { name: string; kind: 'once' | 'length' | 'connection' | 'fetch' | 'no' };

/** Contains the usual spellings of each name, so that names rarely have to be lower-cased. */
const rules = new Map<string, Rule>();
for (const name of ['host', 'authorization', 'content-type', 'traceparent', 'idempotency-key'])
  addRule(name, 'once');
for (const name of ['storefront-max-cost', 'storefront-receipt', 'x-api-key', 'x-goog-api-key'])
  addRule(name, 'once');
for (const name of ['transfer-encoding', 'expect', 'upgrade', 'trailer', 'te', 'proxy-connection'])
  addRule(name, 'no');
addRule('content-length', 'length');
addRule('connection', 'connection');
addRule('sec-fetch-mode', 'fetch');
const forwarded: Rule = { name: '', kind: 'once' };
for (const name of ['accept', 'accept-encoding', 'accept-language', 'user-agent'])
  addSpellings(name, forwarded);

/**
 * Parses the request line and header section at the start of `text` (one character per byte). Returns null for anything incomplete or
 * unusual, which Node's full parser then handles. Never lenient: what it accepts, no other parser can read differently.
 */
export function parseRequestHead(text: string): RequestHead | null {
  const end = text.indexOf('\r\n\r\n');
  if (end < 0 || end > headCharsMax) return null;
  const space = text.indexOf(' ');
  const method = text.slice(0, space);
  if (!methods.has(method)) return null;
  const mark = text.indexOf(' ', space + 1);
  const target = text.slice(space + 1, mark);
  if (!text.startsWith(version, mark) || !targets.test(target)) return null;
  const from = mark + version.length;
  // This one expression over all lines makes the slicing below safe.
  if (from > end || !fieldLines.test(text.slice(from, end + 2))) return null;

  const rawHeaders: string[] = [];
  const headers: { [name: string]: string } = {};
  let contentLength = 0;
  for (let at = from; at < end; ) {
    const colon = text.indexOf(':', at);
    const lineEnd = text.indexOf('\r\n', colon);
    const name = text.slice(at, colon);
    const value = text.slice(afterBlanks(text, colon + 1), beforeBlanks(text, lineEnd));
    rawHeaders.push(name, value);
    at = lineEnd + 2;
    const rule = rules.get(name) ?? rules.get(name.toLowerCase()) ?? forwarded;
    if (rule === forwarded) continue;
    if (rule.name in headers || !isPlain(rule, value)) return null;
    headers[rule.name] = value;
    if (rule.kind === 'length') contentLength = Number(value);
  }
  if (rawHeaders.length > 2 * fieldsMax || headers.host === undefined) return null;
  return { method, target, rawHeaders, headers, contentLength, length: end + 4 };
}

function isPlain({ kind }: Rule, value: string): boolean {
  if (kind === 'length') return lengths.test(value);
  if (kind === 'connection') return value === 'keep-alive' || value.toLowerCase() === 'keep-alive';
  if (kind === 'fetch') return value !== 'navigate';
  return kind === 'once';
}

/** Skips blanks; stops at the end of the line at the latest, because CR is not a blank. */
function afterBlanks(text: string, from: number): number {
  let at = from;
  while (text[at] === ' ' || text[at] === '\t') at += 1;
  return at;
}

/** Skips blanks backwards; stops at the colon of the field at the latest. */
function beforeBlanks(text: string, to: number): number {
  let at = to;
  while (text[at - 1] === ' ' || text[at - 1] === '\t') at -= 1;
  return at;
}

function addRule(name: string, kind: Rule['kind']): void {
  addSpellings(name, { name, kind });
}

function addSpellings(name: string, rule: Rule): void {
  rules.set(name, rule);
  rules.set(
    name.replace(/(^|-)[a-z]/g, (initial) => initial.toUpperCase()),
    rule,
  );
}
