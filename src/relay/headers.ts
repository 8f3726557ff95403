/**
 * Which headers cross, each way, as flat lists (name, value, name, value ...), the form in which Node reads and writes
 * them. Whatever is not named here stays: credentials, cookies, payments, `storefront-*`, forwarding and hop-by-hop
 * headers need no list of their own.
 */

/** What the upstream must not let slip into a header that goes back. */
export type Guard = {
  /** The operator's key, in each form in which it travels; none is empty. */
  secrets: readonly string[];
  /** Whether a path at the upstream is the same path at the storefront: its base URL has no path of its own. */
  samePaths: boolean;
};

/**
 * Describes the body, or what the caller can read. Left out on purpose: `user-agent`, `traceparent`, `x-request-id`
 * (who calls, and what their tracing does, is not the upstream's business), `idempotency-key` (kept by the storefront),
 * `expect` (the body is already here).
 */
const always = ['content-type', 'content-encoding', 'accept', 'accept-language'];

/**
 * What lets the upstream answer in part or in another coding. A metered answer must be whole and readable to be
 * counted, so these cross for unmetered operations alone; metered ones ask for `identity`.
 */
const unmeteredOnly = [
  'accept-encoding',
  'range',
  'if-range',
  'if-match',
  'if-none-match',
  'if-modified-since',
  'if-unmodified-since',
];

/** Every spelling seen in practice is a key, so that lower-casing a name is the exception. */
const outward = new Map<string, 'always' | 'unmetered' | 'connection' | 'no'>();
for (const name of always) spell(name, 'always');
for (const name of unmeteredOnly) spell(name, 'unmetered');
spell('connection', 'connection');
for (const name of ['host', 'user-agent', 'authorization', 'content-length', 'storefront-max-cost'])
  spell(name, 'no');

/**
 * Left out on purpose: `server`, `via`, `date` (the storefront's own), caching advice (given for the operator's key, a
 * shared cache that followed it would hand one buyer's answer to another), rate limits and `x-records-remaining` (the
 * operator's standing). `content-length` is framing, which belongs to whoever writes the body.
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

/** The caller's headers that may cross, then `own`: the operator's key and what else the storefront says for itself. */
export function toUpstream(
  rawHeaders: readonly string[],
  metered: boolean,
  own: readonly string[],
): string[] {
  const crossing: string[] = [];
  let named: ReadonlySet<string> | null = null;
  let typed = false;
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] as string;
    const value = rawHeaders[at + 1] as string;
    const rule = outward.get(name) ?? outward.get(name.toLowerCase()) ?? 'no';
    if (rule === 'connection') named = union(named, connectionOptions(value));
    else if (rule === 'always' || (rule === 'unmetered' && !metered)) {
      // A second content-type would let the upstream read the body otherwise than the meter did.
      if (name.length === 12 && name.toLowerCase() === 'content-type') {
        if (typed) continue;
        typed = true;
      }
      crossing.push(name, value);
    }
  }
  const kept = named === null ? crossing : without(crossing, named);
  if (metered) kept.push('accept-encoding', 'identity');
  for (const text of own) kept.push(text);
  return kept;
}

/** The upstream's headers that may go back, from a flat list with lower-case names. The result is the caller's to add to. */
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

/** Whether a header of a caller may reach the upstream. */
export function goesOut(name: string): boolean {
  const rule = outward.get(name.toLowerCase());
  return rule === 'always' || rule === 'unmetered';
}

/** Whether a header of the upstream's answers may reach a caller. */
export function goesBack(name: string): boolean {
  return back.has(name.toLowerCase());
}

/** The first value of `name` (lower-case) in a flat list, whatever the case of the names there. */
export function first(headers: readonly string[], name: string): string | undefined {
  for (let at = 0; at + 1 < headers.length; at += 2) {
    const candidate = headers[at] as string;
    if (candidate.length === name.length && (candidate === name || candidate.toLowerCase() === name)) {
      return headers[at + 1];
    }
  }
  return undefined;
}

function mayGoBack(name: string, value: string, guard: Guard): boolean {
  for (const secret of guard.secrets) if (value.includes(secret)) return false;
  // An address with an authority names the upstream's host, and one under its base path means nothing here.
  if (name === 'location' || name === 'link') return guard.samePaths && !/\/\/|\\/.test(value);
  return true;
}

/** The headers that `Connection` declares hop-by-hop (RFC 9110, 7.6.1), or null where it only speaks of itself. */
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

function spell(name: string, rule: 'always' | 'unmetered' | 'connection' | 'no'): void {
  outward.set(name, rule);
  outward.set(
    name.replace(/(^|-)[a-z]/g, (initial) => initial.toUpperCase()),
    rule,
  );
}
