/**
 * The allow lists of headers in each direction. Headers are flat lists (name, value, name, value ...), the form that Node reads
 * and writes. A header that is not listed is dropped, so credentials, cookies, payments, `storefront-*`, forwarding and
 * hop-by-hop headers need no deny list.
 */

/** Secrets and paths of the upstream that must not leak to the caller in a header. */
export type Guard = {
  /** The operator's key, in every encoding in which it is sent; none of them is empty. */
  secrets: readonly string[];
  /** True when the upstream's base URL has no path, so that a path at the upstream is the same path at the storefront. */
  samePaths: boolean;
};

/**
 * Headers that describe the body, or what the caller can read. Left out on purpose: `user-agent`, `traceparent` and
 * `x-request-id` (the caller's identity and tracing are private to the storefront), `idempotency-key` (handled by the
 * storefront) and `expect` (the body has already arrived).
 */
const always = ['content-type', 'content-encoding', 'accept-language'];

/**
 * Headers that allow the upstream to answer in part or in another format. A metered response must be complete and readable to be
 * counted, so these cross only for unmetered operations; metered requests ask for JSON. `accept-encoding` never crosses: every
 * request asks for `identity`, because every response is searched for the operator's key.
 */
const unmeteredOnly = [
  'accept',
  'if-range',
  'if-match',
  'if-none-match',
  'if-modified-since',
  'if-unmodified-since',
];

const rangeBytesMin = 4096;

/** Contains every spelling seen in practice, so that a name rarely has to be lower-cased. */
const outward = new Map<string, Rule>();
type Rule = 'always' | 'unmetered' | 'range' | 'connection' | 'no';
for (const name of always) spell(name, 'always');
for (const name of unmeteredOnly) spell(name, 'unmetered');
spell('range', 'range');
spell('connection', 'connection');
for (const name of ['host', 'user-agent', 'authorization', 'content-length', 'storefront-max-cost'])
  spell(name, 'no');

/**
 * Response headers that cross. Left out on purpose: `server`, `via` and `date` (the storefront sends its own), caching advice
 * (it applies to the operator's key: a shared cache that followed it would serve one buyer's response to another), rate limits
 * and `x-records-remaining` (they describe the operator's account). `content-length` is framing: the writer of the body sets it.
 */
const back = new Set([
  'content-type',
  'content-encoding',
  'content-language',
  'content-disposition',
  'content-range',
  'accept-ranges',
  'etag',
  'last-modified',
  'retry-after',
  'location',
  'link',
  'x-request-id',
  'x-records-used',
]);

/**
 * Returns the caller's headers that may cross, followed by `own`: the operator's key and the storefront's own headers.
 * @param forward further headers that the seller lets cross, in lower case
 */
export function toUpstream(
  rawHeaders: readonly string[],
  metered: boolean,
  own: readonly string[],
  forward?: ReadonlySet<string>,
): string[] {
  const crossing: string[] = [];
  let named: ReadonlySet<string> | null = null;
  let typed = false;
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] as string;
    const value = rawHeaders[at + 1] as string;
    const rule = outward.get(name) ?? outward.get(name.toLowerCase()) ?? 'no';
    if (rule === 'connection') named = union(named, connectionOptions(value));
    else if (crosses(rule, metered, value) || (rule === 'no' && forward?.has(name.toLowerCase()))) {
      // A second content-type could make the upstream parse the body differently from the meter.
      if (name.length === 12 && name.toLowerCase() === 'content-type') {
        if (typed) continue;
        typed = true;
      }
      crossing.push(name, value);
    }
  }
  const kept = named === null ? crossing : without(crossing, named);
  if (metered) kept.push('accept', 'application/json');
  kept.push('accept-encoding', 'identity');
  for (const text of own) kept.push(text);
  return kept;
}

function crosses(rule: Rule, metered: boolean, value: string): boolean {
  if (rule === 'always') return true;
  return !metered && (rule === 'unmetered' || (rule === 'range' && isWide(value)));
}

/** Returns the upstream's headers that may reach the caller, from a flat list with lower-case names. The caller may append to the result. */
export function toCaller(headers: readonly string[], guard: Guard): string[] {
  const crossing: string[] = [];
  let named: ReadonlySet<string> | null = null;
  let typed = false;
  for (let at = 0; at + 1 < headers.length; at += 2) {
    const name = headers[at] as string;
    const value = headers[at + 1] as string;
    if (name === 'connection') named = union(named, connectionOptions(value));
    else if (back.has(name)) {
      if (name === 'content-type') {
        if (typed) continue;
        typed = true;
      }
      if (mayGoBack(name, value, guard)) crossing.push(name, value);
    }
  }
  return named === null ? crossing : without(crossing, named);
}

/** Adds the response headers that a meter counts and that would not cross otherwise. @param names in lower case */
export function addCounted(
  crossing: string[],
  headers: readonly string[],
  names: readonly string[],
  guard: Guard,
): void {
  for (let at = 0; at + 1 < headers.length; at += 2) {
    const name = headers[at] as string;
    const value = headers[at + 1] as string;
    if (names.includes(name) && !back.has(name) && mayGoBack(name, value, guard)) crossing.push(name, value);
  }
}

/**
 * Returns the headers without those that `Connection` names (RFC 9110, 7.6.1). Those are for this hop only, so nothing may act
 * on a header that the upstream will not receive. Returns the same list when `Connection` names none.
 */
export function endToEnd(rawHeaders: readonly string[]): readonly string[] {
  let named: ReadonlySet<string> | null = null;
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] as string;
    if (name.length === 10 && name.toLowerCase() === 'connection')
      named = union(named, connectionOptions(rawHeaders[at + 1] as string));
  }
  return named === null ? rawHeaders : without(rawHeaders, named);
}

/** Returns true when a caller's header may reach the upstream. */
export function isSentUpstream(name: string): boolean {
  const rule = outward.get(name.toLowerCase());
  return rule === 'always' || rule === 'unmetered' || rule === 'range';
}

/** Returns true when a header of the upstream's response may reach the caller. */
export function isSentToCaller(name: string): boolean {
  return back.has(name.toLowerCase());
}

/** Returns the first value of `name` (lower-case) in a flat list, whose names may have any case. */
export function first(headers: readonly string[], name: string): string | undefined {
  for (let at = 0; at + 1 < headers.length; at += 2) {
    const candidate = headers[at] as string;
    if (candidate.length === name.length && (candidate === name || candidate.toLowerCase() === name)) {
      return headers[at + 1];
    }
  }
  return undefined;
}

/** Returns true when the content type of a flat list of headers is JSON, or a format based on it (RFC 6838, `+json`). */
export function isJson(headers: readonly string[]): boolean {
  return /^[^;]*[/+]json\b/i.test(first(headers, 'content-type') ?? '');
}

function mayGoBack(name: string, value: string, guard: Guard): boolean {
  for (const secret of guard.secrets) if (value.includes(secret)) return false;
  // An address with an authority reveals the upstream's host, and one below its base path is invalid at the storefront.
  if (name === 'location' || name === 'link') return guard.samePaths && !/\/\/|\\/.test(value);
  return true;
}

/**
 * Returns true when a `Range` asks for a single part that is wide enough to contain the operator's key. With narrow parts a caller
 * could fetch an echo of the key piece by piece. Without a `Range` the upstream sends the whole (RFC 9110, 14.2).
 */
function isWide(range: string): boolean {
  const read = /^bytes=(\d{0,15})-(\d{0,15})$/i.exec(range);
  if (read === null) return false;
  const [, first = '', last = ''] = read;
  if (last === '') return first !== '';
  return (first === '' ? Number(last) : Number(last) - Number(first) + 1) >= rangeBytesMin;
}

/** Returns the headers that `Connection` declares hop-by-hop (RFC 9110, 7.6.1), or null when it names none. */
function connectionOptions(value: string): ReadonlySet<string> | null {
  if (value === 'keep-alive' || value === 'close') return null;
  return new Set(value.split(',').map((option) => option.trim().toLowerCase()));
}

function union(a: ReadonlySet<string> | null, b: ReadonlySet<string> | null): ReadonlySet<string> | null {
  if (a === null || b === null) return a ?? b;
  return new Set([...a, ...b]);
}

function without(headers: readonly string[], names: ReadonlySet<string>): string[] {
  return headers.filter((_, at) => !names.has((headers[at - (at % 2)] as string).toLowerCase()));
}

function spell(name: string, rule: Rule): void {
  outward.set(name, rule);
  outward.set(
    name.replace(/(^|-)[a-z]/g, (initial) => initial.toUpperCase()),
    rule,
  );
}
