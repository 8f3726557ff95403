import type { Limits } from './upstream-limits.ts';

/** The name of a variable of the environment. */
export type Variable = { env: string };

/** The place of the key in a request. `value` contains `{key}` in place of the key. */
export type KeyPlace =
  | { kind: 'header'; header: string; value: string }
  | { kind: 'query'; parameter: string }
  | { kind: 'basic'; user: string };

/** OAuth 2.0 client credentials (RFC 6749, 4.4). */
export type OauthSource = {
  tokenUrl: string | Variable;
  clientId: string | Variable;
  clientSecret: Variable;
  scope: string;
  auth: 'basic' | 'body';
};

/** One of several APIs that are resold. Its address and secrets may be in variables of the environment. */
export type NamedUpstream = {
  name: string;
  url: string | Variable;
  /** Null when the upstream needs no key. */
  key: (KeyPlace & { from: Variable }) | null;
  /** True when the variable of the key holds several keys, which are used in turn. */
  rotatesKeys: boolean;
  oauth: OauthSource | null;
  /** Static request headers: a flat list. */
  headers: readonly string[];
  /** The caller's request headers that are passed on, in lower case. */
  forward: readonly string[];
  /** The header that receives the pairwise id of the buyer; null for none. */
  callerHeader: string | null;
  readinessPath: string | null;
  timeoutMs: number;
  /** The longest pause of a streamed response. */
  idleMs: number;
  limits: Readonly<Partial<Limits>>;
  /** The longest request body; null for the limit of the shop. */
  bodyBytesMax: number | null;
};

/** The upstreams of a service. */
export type UpstreamRoute = {
  readonly upstream: string;
  /** The upstreams to try, in this order, when nothing could be sent to the first one. */
  readonly otherwise: readonly string[];
  /** The lowest limit of these upstreams for a request body. */
  readonly bodyBytesMax: number;
};

/** A named upstream as the file writes it, with the defaults of the schema filled in. */
export type DraftNamedUpstream = {
  url: string | Variable;
  key?: { header?: string; value?: string; query?: string; basic?: string; from: Variable };
  keys?: 'round_robin';
  headers?: Readonly<Record<string, string>>;
  forward?: readonly string[];
  oauth?: {
    token_url: string | Variable;
    client_id: string | Variable;
    client_secret: Variable;
    scope?: string;
    auth: 'basic' | 'body';
  };
  readiness_path?: string;
  limits?: {
    body_bytes?: number | string;
    connections?: number;
    queue?: number;
    queue_ms?: number;
    account_connections?: number;
    account_queue?: number;
    timeout_ms?: number;
    idle_ms?: number;
  };
  caller?: { header: string; value: 'pairwise' };
};

const timeoutMsUsual = 30_000;

/** Converts a valid entry of `upstreams`. @param limits the entry's limits of running and waiting calls */
export function toNamedUpstream(
  name: string,
  draft: DraftNamedUpstream,
  limits: Readonly<Partial<Limits>>,
): NamedUpstream {
  const { key, oauth, headers = {}, forward = [], caller } = draft;
  const timeoutMs = draft.limits?.timeout_ms ?? timeoutMsUsual;
  const bodyBytes = draft.limits?.body_bytes;
  return {
    name,
    url: draft.url,
    key: key === undefined ? null : { ...keyPlace(key), from: key.from },
    rotatesKeys: draft.keys === 'round_robin',
    oauth:
      oauth === undefined
        ? null
        : {
            tokenUrl: oauth.token_url,
            clientId: oauth.client_id,
            clientSecret: oauth.client_secret,
            scope: oauth.scope ?? '',
            auth: oauth.auth,
          },
    headers: Object.entries(headers).flat(),
    forward: forward.map((header) => header.toLowerCase()),
    callerHeader: caller?.header ?? null,
    readinessPath: draft.readiness_path ?? null,
    timeoutMs,
    idleMs: draft.limits?.idle_ms ?? timeoutMs,
    limits,
    bodyBytesMax: bodyBytes === undefined ? null : bytesOf(bodyBytes),
  };
}

/** Returns the route of a service, or null when the catalogue has no named upstreams. */
export function routeOf(
  { upstream, otherwise = [] }: { upstream?: string; otherwise?: readonly string[] },
  upstreams: ReadonlyMap<string, NamedUpstream>,
): UpstreamRoute | null {
  const [only] = upstreams.keys();
  const first = upstream ?? only;
  if (first === undefined) return null;
  const limits = [first, ...otherwise].map((name) => upstreams.get(name)?.bodyBytesMax ?? Infinity);
  return { upstream: first, otherwise, bodyBytesMax: Math.min(...limits) };
}

/** Returns the variables of the environment that an upstream names, each with the key that names it. */
export function variablesOf({ url, key, oauth }: NamedUpstream): { key: string; variable: string }[] {
  const places: [string, string | Variable | undefined][] = [
    ['url', url],
    ['key.from', key?.from],
    ['oauth.token_url', oauth?.tokenUrl],
    ['oauth.client_id', oauth?.clientId],
    ['oauth.client_secret', oauth?.clientSecret],
  ];
  return places.flatMap(([place, value]) =>
    typeof value === 'object' ? [{ key: place, variable: value.env }] : [],
  );
}

function keyPlace({
  header = '',
  value = '{key}',
  query,
  basic,
}: NonNullable<DraftNamedUpstream['key']>): KeyPlace {
  if (query !== undefined) return { kind: 'query', parameter: query };
  if (basic !== undefined) return { kind: 'basic', user: basic };
  return { kind: 'header', header, value };
}

const byteUnits: Readonly<Record<string, number>> = { '': 1, B: 1, kB: 1_000, KB: 1_000, MB: 1_000_000 };

/** Returns the number of bytes of `25MB` and the like; decimal units. */
function bytesOf(written: number | string): number {
  if (typeof written === 'number') return written;
  const [, digits = '', unit = ''] = /^(\d+)([A-Za-z]*)$/.exec(written) ?? [];
  return Number(digits) * (byteUnits[unit] ?? 1);
}
