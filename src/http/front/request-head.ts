/** The head of a request that every reader of HTTP/1.1 reads the same way (RFC 9112). */
export type RequestHead = {
  method: string;
  /** As it stands in the request line. */
  target: string;
  /** A flat list of names, as they were spelled, and values. */
  rawHeaders: string[];
  /** The few that the storefront reads, by their lower-case names; each is there once. */
  headers: { [name: string]: string };
  contentLength: number;
  /** How many bytes the head took, with the empty line behind it. */
  length: number;
};

/** Longer heads, and those with more fields, are not for the front. */
export const headCharsMax = 16 * 1024;
const fieldsMax = 64;

const methods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']);
/** The origin form (RFC 9112, 3.2.1). */
const targets = /^\/[\x21-\x7e]*$/;
const version = ' HTTP/1.1\r\n';
/** Names that are tokens, values of visible ASCII and blanks, each line ended by CR LF: no folding, no bare CR or LF, no NUL. */
const fieldLines = /^(?:[!#$%&'*+\-.^_`|~\dA-Za-z]+:[\t\x20-\x7e]*\r\n)+$/;
const lengths = /^(?:0|[1-9]\d{0,9})$/;

/**
 * What becomes of a field that has a name here; all others are handed on, whatever they say. `once`: it is read, and a second
 * one would leave a choice. `no`: it changes how messages are framed or answered, which is not for the front.
 */
type Rule = { name: string; kind: 'once' | 'length' | 'connection' | 'no' };

/** Every spelling seen in practice is a key, so that lower-casing a name is the exception. */
const rules = new Map<string, Rule>();
for (const name of ['host', 'authorization', 'content-type', 'traceparent', 'idempotency-key'])
  spell(name, 'once');
for (const name of ['storefront-max-cost', 'storefront-receipt']) spell(name, 'once');
for (const name of ['transfer-encoding', 'expect', 'upgrade', 'trailer', 'te', 'proxy-connection'])
  spell(name, 'no');
spell('content-length', 'length');
spell('connection', 'connection');
const handedOn: Rule = { name: '', kind: 'once' };
for (const name of ['accept', 'accept-encoding', 'accept-language', 'user-agent']) spellings(name, handedOn);

/**
 * Reads the head that `text` begins with (a character for each byte). Null for all that is not plainly and wholly there: then
 * it is for a reader who knows all of HTTP. Never lenient: what it takes leaves nothing to be read in another way.
 */
export function read(text: string): RequestHead | null {
  const end = text.indexOf('\r\n\r\n');
  if (end < 0 || end > headCharsMax) return null;
  const space = text.indexOf(' ');
  const method = text.slice(0, space);
  if (!methods.has(method)) return null;
  const mark = text.indexOf(' ', space + 1);
  const target = text.slice(space + 1, mark);
  if (!text.startsWith(version, mark) || !targets.test(target)) return null;
  const from = mark + version.length;
  // One expression over all lines is what makes the cuts below safe.
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
    const rule = rules.get(name) ?? rules.get(name.toLowerCase()) ?? handedOn;
    if (rule === handedOn) continue;
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
  return kind === 'once';
}

/** No further than a line's end, which is no blank. */
function afterBlanks(text: string, from: number): number {
  let at = from;
  while (text[at] === ' ' || text[at] === '\t') at += 1;
  return at;
}

/** No further than a field's colon, which is no blank. */
function beforeBlanks(text: string, to: number): number {
  let at = to;
  while (text[at - 1] === ' ' || text[at - 1] === '\t') at -= 1;
  return at;
}

function spell(name: string, kind: Rule['kind']): void {
  spellings(name, { name, kind });
}

function spellings(name: string, rule: Rule): void {
  rules.set(name, rule);
  rules.set(
    name.replace(/(^|-)[a-z]/g, (initial) => initial.toUpperCase()),
    rule,
  );
}
