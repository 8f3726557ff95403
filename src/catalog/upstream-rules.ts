import { hint } from '@sluice/kernel/did-you-mean';
import * as SourceLocation from './source-location.ts';

/** Headers that frame or route the request, or end at this hop (RFC 9110, 7.6.1). The storefront writes them itself. */
const framing: ReadonlySet<string> = new Set([
  'connection',
  'content-encoding',
  'content-length',
  'content-type',
  'expect',
  'host',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** Headers that the storefront sets for every request, or handles itself. */
const own: ReadonlySet<string> = new Set([
  ...framing,
  'accept',
  'accept-encoding',
  'accept-language',
  'idempotency-key',
  'if-match',
  'if-modified-since',
  'if-none-match',
  'if-range',
  'if-unmodified-since',
  'range',
  'traceparent',
  'tracestate',
  'user-agent',
]);

/** Headers that carry the caller's credentials, address or payment. They are the shop's and must not reach an upstream. */
const isPrivate =
  /^(authorization|x-api-key|x-goog-api-key|cookie2?|forwarded|via|x-real-ip|x-payment|payment.*|x-forwarded-.*|proxy-.*|storefront-.*)$/;

/** Headers by which some servers replace the method or path of a request, which would be another operation than the one paid for. */
const rerouting =
  /^x-(http-)?method(-override)?$|^x-(original|rewrite|forwarded|override)-(url|uri|method)$|^x-request-uri$/;

const keyForms = ['header', 'query', 'basic'];

/** Returns true for a header that the key must not be sent in. */
export function isFraming(header: string): boolean {
  return framing.has(header.toLowerCase());
}

/** Checks `upstream` and `upstreams`, and the upstreams that services name. */
export function checkUpstreams(root: SourceLocation.LocatedValue): SourceLocation.Finding[] {
  const upstreams = SourceLocation.member(root, 'upstreams');
  const names = keysOf(upstreams);
  const services = SourceLocation.items(SourceLocation.member(root, 'services'));
  return [
    ...single(
      SourceLocation.member(root, 'upstream'),
      upstreams.value !== undefined,
      keysOf(root).length > 0,
    ),
    ...names.flatMap((name) => entry(SourceLocation.member(upstreams, name))),
    ...services.flatMap((service) => routed(service, names, upstreams.value !== undefined)),
  ];
}

/** Without `upstreams`, `upstream` is the API. With it, `upstream` has only what concerns the whole shop. */
function single(
  upstream: SourceLocation.LocatedValue,
  isNamed: boolean,
  isMapping: boolean,
): SourceLocation.Finding[] {
  if (!isNamed) {
    if (upstream.value === undefined && isMapping)
      return [{ path: upstream.path, reason: 'upstream is missing: the API that is resold' }];
    const key = SourceLocation.member(upstream, 'key');
    if (key.value !== undefined || typeof upstream.value !== 'object' || upstream.value === null) return [];
    return [{ path: key.path, reason: "key is missing: how the operator's key travels to the upstream" }];
  }
  return ['key', 'readiness_path', 'limits'].flatMap((key) => {
    const at = SourceLocation.member(upstream, key);
    if (at.value === undefined) return [];
    return [{ path: at.path, reason: `${key} belongs to one upstream: move it into the entry of upstreams` }];
  });
}

function entry(at: SourceLocation.LocatedValue): SourceLocation.Finding[] {
  return [...address(SourceLocation.member(at, 'url')), ...credentials(at), ...headers(at)];
}

function address(at: SourceLocation.LocatedValue): SourceLocation.Finding[] {
  const text = SourceLocation.text(at);
  const problem = text === null ? null : urlProblem(text);
  return problem === null ? [] : [{ path: at.path, reason: `${SourceLocation.name(at.path)} ${problem}` }];
}

/** Returns what is wrong with the address of an upstream or a token endpoint, without repeating it; null for nothing. */
export function urlProblem(text: string): string | null {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol))
    return 'is not an address: write one that starts with https://';
  if (url.username + url.password !== '') return 'contains credentials: send them with key';
  return url.search + url.hash === '' ? null : 'has a query or a fragment: leave them out';
}

function credentials(at: SourceLocation.LocatedValue): SourceLocation.Finding[] {
  const key = SourceLocation.member(at, 'key');
  const oauth = SourceLocation.member(at, 'oauth');
  const rotation = SourceLocation.member(at, 'keys');
  const findings = address(SourceLocation.member(oauth, 'token_url'));
  const find = (path: SourceLocation.Path, reason: string) => findings.push({ path, reason });
  if (rotation.value !== undefined && key.value === undefined)
    find(rotation.path, 'keys says how several keys are used: add key, or leave it out');
  if (rotation.value !== undefined && oauth.value !== undefined)
    find(rotation.path, 'keys does not go with oauth, which has one client: leave one of them out');
  if (typeof key.value !== 'object' || key.value === null) return findings;
  const given = keyForms.filter((form) => SourceLocation.member(key, form).value !== undefined);
  if (given.length !== 1)
    find(key.path, 'key is sent in one place: write header, query or basic, and only one of them');
  const value = SourceLocation.member(key, 'value');
  if (value.value !== undefined && !given.includes('header'))
    find(value.path, 'value is the text of a header: write it beside header only');
  const header = SourceLocation.member(key, 'header');
  const name = SourceLocation.text(header);
  if (name !== null && isFraming(name))
    find(header.path, `header ${name} controls the request itself: choose the header for the key`);
  if (oauth.value !== undefined && keyHeaderOf(at) === 'authorization')
    find(
      oauth.path,
      'oauth sends its token in the authorization header, which key uses: leave one of them out',
    );
  return findings;
}

/** The header that a key is sent in, normalized; null for none. */
function keyHeaderOf(at: SourceLocation.LocatedValue): string | null {
  const key = SourceLocation.member(at, 'key');
  if (SourceLocation.member(key, 'basic').value !== undefined) return 'authorization';
  const header = SourceLocation.text(SourceLocation.member(key, 'header'));
  return header === null ? null : normalized(header);
}

/** Each header of a request is written by one rule, so that none can replace or repeat another. */
function headers(at: SourceLocation.LocatedValue): SourceLocation.Finding[] {
  const findings: SourceLocation.Finding[] = [];
  const takenBy = new Map<string, string>();
  const keyHeader = keyHeaderOf(at);
  if (keyHeader !== null) takenBy.set(keyHeader, 'key');
  if (SourceLocation.member(at, 'oauth').value !== undefined) takenBy.set('authorization', 'oauth');
  const fixed = SourceLocation.member(at, 'headers');
  const caller = SourceLocation.member(SourceLocation.member(at, 'caller'), 'header');
  const all = [
    ...keysOf(fixed).map((name) => ({ place: SourceLocation.member(fixed, name), name, by: 'headers' })),
    ...named([caller], 'caller'),
    ...named(SourceLocation.items(SourceLocation.member(at, 'forward')), 'forward'),
  ];
  for (const { place, name, by } of all) {
    const spelled = normalized(name);
    const other = takenBy.get(spelled);
    const problem = headerProblem(spelled);
    if (problem !== null) findings.push({ path: place.path, reason: `${by} names ${name}, ${problem}` });
    else if (other !== undefined)
      findings.push({ path: place.path, reason: `${by} names ${name}, which ${other} sets: keep one` });
    takenBy.set(spelled, by);
  }
  return findings;
}

function named(places: readonly SourceLocation.LocatedValue[], by: string) {
  return places.flatMap((place) => {
    const name = SourceLocation.text(place);
    return name === null ? [] : [{ place, name, by }];
  });
}

function headerProblem(name: string): string | null {
  if (own.has(name)) return 'which the storefront sets itself: leave it out';
  if (isPrivate.test(name)) return 'which belongs to the shop and its caller: leave it out';
  return rerouting.test(name) ? 'which could change the operation that was paid for: leave it out' : null;
}

/** Servers that pass headers on as variables read `x_api_key` and `X-Api-Key` as one. */
function normalized(header: string): string {
  return header.toLowerCase().replaceAll('_', '-');
}

function routed(
  service: SourceLocation.LocatedValue,
  names: readonly string[],
  isNamed: boolean,
): SourceLocation.Finding[] {
  const first = SourceLocation.member(service, 'upstream');
  const otherwise = SourceLocation.member(service, 'otherwise');
  if (!isNamed)
    return [first, otherwise]
      .filter(({ value }) => value !== undefined)
      .map(({ path }) => ({
        path,
        reason: `${SourceLocation.name(path)} needs upstreams, which the catalogue does not have`,
      }));
  if (first.value === undefined && names.length > 1)
    return [{ path: first.path, reason: 'upstream is missing: name the one of upstreams that serves it' }];
  const primary = SourceLocation.text(first) ?? names[0];
  return [first, ...SourceLocation.items(otherwise)].flatMap((place) => {
    const name = SourceLocation.text(place);
    if (name === null) return [];
    const says = `${SourceLocation.name(place.path)} "${name}"`;
    if (!names.includes(name))
      return [{ path: place.path, reason: `${says} is not in upstreams. ${hint(name, names, 'Upstreams')}` }];
    if (place === first || name !== primary) return [];
    return [{ path: place.path, reason: `${says} is the first one already: leave it out` }];
  });
}

function keysOf({ value }: SourceLocation.LocatedValue): string[] {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.keys(value) : [];
}
