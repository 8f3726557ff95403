import type { HttpBindings } from '@hono/node-server';
import type { Context } from 'hono';
import type { CatalogContext } from '../catalog/catalog-context.ts';
import { blockOf } from '../identity/address-block.ts';
import type * as Bearer from '../identity/bearer.ts';
import type { CallerKey } from '../identity/jwt.ts';
import { type AccountAction, denial } from '../identity/permission.ts';
import type { CallerContext } from '../journeys/identification.ts';
import { type IdentifiedCaller, identify } from '../journeys/identification.ts';
import * as Authorization from '../payment/authorization.ts';
import type { Texts } from '../text/texts.ts';
import * as Refusal from './common-refusals.ts';
import { error, unprocessable as invalid, type Reply, toResponse } from './reply.ts';
import * as Body from './server/body.ts';
import type { BodyBudgets } from './server/body-budget.ts';
import type { Outgoing } from './server/outgoing.ts';
import { isForwardedLocally } from './server/proxy-watch.ts';
import type { LogEntry } from './telemetry/request-log.ts';

/**
 * The context of every route: the Node.js request and response, the log entry, the limits for bodies, the texts of the shop, and the fields
 * of the form that was sent, once they were read.
 */
export type Env = {
  Bindings: HttpBindings;
  Variables: { entry: LogEntry; bodies: Bodies; texts: Texts; form?: URLSearchParams };
};
/** The memory budgets for bodies, and the header that identifies their senders. */
type Bodies = { budgets: BodyBudgets; clientAddressHeader: string | null };
export type Call = Context<Env>;

/** Sends a reply and adds its code to the log entry. */
export function send(c: Call, reply: Reply): Response {
  if (typeof reply.body.code === 'string') c.get('entry').code = reply.body.code;
  return toResponse(reply);
}

export function requestId(c: Call): string {
  return c.get('entry').requestId;
}

/** All values of a header in their original form: Node's own API joins or drops repeated values. */
export function lines(c: Call, name: string): string[] {
  const { rawHeaders } = c.env.incoming;
  return rawHeaders.filter((_, at) => at % 2 === 1 && rawHeaders[at - 1]?.toLowerCase() === name);
}

/** Returns the JSON body, or the refusal to send. */
export async function readJson(c: Call): Promise<{ value: unknown } | Reply> {
  const body = await bytes(c);
  return Buffer.isBuffer(body) ? parseJson(c, body) : body;
}

export type Caller =
  | { kind: 'account'; account: string; key: CallerKey | null }
  | { kind: 'absent' }
  | { kind: 'refused'; reply: Reply };

/** Identifies the caller of one of the storefront's own routes, who wants to perform `action`. The route decides how to treat `absent`. */
export async function caller(
  shop: CallerContext,
  c: Call,
  action: AccountAction = c.req.method === 'GET' ? 'read' : 'spend',
): Promise<Caller> {
  const read = Authorization.bearer(lines(c, 'authorization'));
  if (read.kind === 'none') return { kind: 'absent' };
  const bearer: IdentifiedCaller =
    read.kind === 'malformed'
      ? { kind: 'invalid', reason: 'malformed' }
      : await identify(shop, `Bearer ${read.token}`, shop.clock());
  if (bearer.kind === 'unknown')
    return { kind: 'refused', reply: Refusal.unanswerable(c.get('texts'), requestId(c)) };
  if (bearer.kind !== 'token' && bearer.kind !== 'frozen')
    return { kind: 'refused', reply: unidentified(shop, c, bearer) };
  const { account, key = null } = bearer.claims;
  const denied = denial({ isFrozen: bearer.kind === 'frozen', isKey: key !== null }, action);
  if (denied === 'frozen') return { kind: 'refused', reply: Refusal.frozen(c.get('texts'), requestId(c)) };
  c.get('entry').account = account;
  return denied === 'key_not_allowed' && key !== null
    ? { kind: 'refused', reply: keyNotAllowed(c, key, action) }
    : { kind: 'account', account, key };
}

function keyNotAllowed(c: Call, key: CallerKey, action: AccountAction): Reply {
  const isAboutKeys = action === 'read_keys' || action === 'change_keys';
  const message = c
    .get('texts')
    .text(isAboutKeys ? 'api.key_not_allowed.keys' : 'api.key_not_allowed.account');
  return error(403, 'key_not_allowed', message, requestId(c), { key: key.id });
}

/** Responds to an identified caller who may perform `action`. */
export async function owned(
  shop: CallerContext,
  c: Call,
  answer: (account: string) => Promise<Reply>,
  action: AccountAction = c.req.method === 'GET' ? 'read' : 'change',
): Promise<Response> {
  const known = await caller(shop, c, action);
  if (known.kind === 'refused') return send(c, known.reply);
  if (known.kind === 'absent') return send(c, unidentified(shop, c, { kind: 'absent' }));
  return send(c, await answer(known.account));
}

export function unidentified(
  shop: Pick<CatalogContext, 'publicUrl'>,
  c: Call,
  refusal: Bearer.BearerRefusal,
): Reply {
  const url = new URL(c.req.url);
  const texts = c.get('texts');
  return Refusal.unidentified(
    { publicUrl: shop.publicUrl, texts },
    refusal,
    c.req.method,
    `${url.pathname}${url.search}`,
    requestId(c),
  );
}

/**
 * Returns the raw body, or the refusal to send. After `caller` has identified the caller, the larger limit applies.
 * @param strangerBytesMax maximum body size of callers that are not identified
 */
export async function bytes(
  c: Call,
  strangerBytesMax: number = Body.strangerBodyBytesMax,
): Promise<Buffer | Reply> {
  const coding = c.req.header('content-encoding') ?? 'identity';
  if (coding.toLowerCase() !== 'identity') {
    const message = c.get('texts').text('api.unsupported_media_type.compressed');
    const headers = { 'accept-encoding': 'identity' };
    return error(415, 'unsupported_media_type', message, requestId(c), {}, headers);
  }
  const { account } = c.get('entry');
  const { budgets, clientAddressHeader } = c.get('bodies');
  const bytesMax = account === undefined ? strangerBytesMax : Body.bodyBytesMax;
  const reservation =
    account === undefined
      ? budgets.unknown.open(blockOf(address(c, clientAddressHeader)))
      : budgets.known.open(account);
  reservation.freeWith(c.env.outgoing as Outgoing);
  const body = await Body.readBody(c.env.incoming, { bytesMax, reservation });
  if (body.kind === 'body') return body.bytes;
  return Refusal.ofBody(c.get('texts'), body.kind === 'cut' ? 'too_slow' : body.kind, bytesMax, requestId(c));
}

/** Parses a JSON body; an empty body is `{}`. Returns the refusal to send when it is not valid JSON. */
export function parseJson(c: Call, body: Buffer): { value: unknown } | Reply {
  if (body.length === 0) return { value: {} };
  const type = c.req.header('content-type') ?? '';
  if (!/^application\/(?:[\w.-]+\+)?json\s*(?:;|$)/i.test(type)) {
    return error(
      415,
      'unsupported_media_type',
      c.get('texts').text('api.unsupported_media_type'),
      requestId(c),
      {},
      { accept: 'application/json' },
    );
  }
  try {
    return { value: JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body)) };
  } catch {
    return error(400, 'not_json', c.get('texts').text('api.not_json'), requestId(c));
  }
}

/** The 422 for an invalid request. */
export function unprocessable(c: Call, errors: readonly { field: string; message: string }[]): Reply {
  return invalid(c.get('texts'), errors, requestId(c));
}

/** Returns true while the caller's connection is open, as far as this process knows. */
export function isConnected(c: Call): boolean {
  return !c.env.incoming.socket.destroyed;
}

/**
 * The caller's address: the last value that a trusted proxy wrote into `header`, otherwise the connection's. Returns `unknown` when a local
 * proxy forwards requests but no header is configured. All callers then share one limit, because clients can forge any other header.
 */
export function address(c: Call, header: string | null): string {
  const { incoming } = c.env;
  if (header === null)
    return isForwardedLocally(incoming) ? 'unknown' : incoming.socket.remoteAddress || 'unknown';
  return lines(c, header).at(-1)?.split(',').at(-1)?.trim() || incoming.socket.remoteAddress || 'unknown';
}
