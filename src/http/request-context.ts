import type { HttpBindings } from '@hono/node-server';
import type { Context } from 'hono';
import type { CatalogContext } from '../catalog/catalog-context.ts';
import { blockOf } from '../identity/address-block.ts';
import type * as Bearer from '../identity/bearer.ts';
import type { CallerKey } from '../identity/jwt.ts';
import { type Denial, denial } from '../identity/permission.ts';
import { can, type Role } from '../identity/team/role.ts';
import type { AccountEvent } from '../identity/team/team.ts';
import type { CallerContext } from '../journeys/identification.ts';
import { type IdentifiedCaller, identify } from '../journeys/identification.ts';
import * as Authorization from '../payment/authorization.ts';
import type { Texts } from '../text/texts.ts';
import { type AccountRoute, actionOf, eventOf, routeOf } from './account-rights.ts';
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
  Variables: {
    entry: LogEntry;
    bodies: Bodies;
    texts: Texts;
    form?: URLSearchParams;
    /** Identifies the caller again. Returns a refusal when their rights ended while they sent the body. */
    refusedMeanwhile?: () => Promise<Reply | null>;
  };
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

/** `member`: the person whose session it is, or who created the key; null when there is none. */
export type IdentifiedAccount = {
  kind: 'account';
  account: string;
  key: CallerKey | null;
  member: { id: string; role: Role } | null;
  isApplication: boolean;
};
export type Caller = IdentifiedAccount | { kind: 'absent' } | { kind: 'refused'; reply: Reply };

/**
 * Identifies the caller of one of the storefront's own routes, and checks that they may do what the route does (account-rights.ts). The route decides
 * how to treat `absent`.
 */
export async function caller(
  shop: CallerContext,
  c: Call,
  route: AccountRoute = routeOf(c),
): Promise<Caller> {
  const read = Authorization.bearer(lines(c, 'authorization'));
  if (read.kind === 'none') return { kind: 'absent' };
  const bearer: IdentifiedCaller =
    read.kind === 'malformed'
      ? { kind: 'invalid', reason: 'malformed' }
      : await identify(shop, `Bearer ${read.token}`, shop.clock());
  if (bearer.kind === 'unknown')
    return { kind: 'refused', reply: Refusal.unanswerable(c.get('texts'), requestId(c)) };
  if (bearer.kind !== 'token' && bearer.kind !== 'frozen' && bearer.kind !== 'forbidden')
    return { kind: 'refused', reply: unidentified(shop, c, bearer) };
  const { account, key = null, member, isApplication } = bearer.claims;
  const rights = { isFrozen: bearer.kind === 'frozen', isKey: key !== null, role: member?.role ?? null };
  const denied = denial({ ...rights, isApplication }, actionOf(route));
  if (denied !== 'frozen') c.get('entry').account = account;
  const known = { kind: 'account', account, key, member, isApplication } as const;
  if (denied !== null) return { kind: 'refused', reply: denialReply(c, denied, known, route) };
  c.set('refusedMeanwhile', async () => {
    const again = await caller(shop, c, route);
    return again.kind === 'refused' ? again.reply : null;
  });
  return known;
}

function denialReply(
  c: Call,
  denied: Denial,
  { key, member }: IdentifiedAccount,
  route: AccountRoute,
): Reply {
  const texts = c.get('texts');
  const id = requestId(c);
  switch (denied) {
    case 'frozen':
      return Refusal.frozen(texts, id);
    case 'role_not_allowed':
      return Refusal.roleNotAllowed(texts, { key, member }, id);
    case 'person_required':
      return error(403, 'person_required', texts.text('api.person_required'), id);
    case 'key_not_allowed': {
      const action = actionOf(route);
      const isAboutKeys = action === 'read_keys' || action === 'change_keys';
      const message = texts.text(isAboutKeys ? 'api.key_not_allowed.keys' : 'api.key_not_allowed.account');
      return error(403, 'key_not_allowed', message, id, { key: key?.id });
    }
  }
}

/**
 * Responds to an identified caller who may do what the route does, and adds a success to the audit list of the account where the route has an
 * entry there. `detailOf`: facts of the entry.
 */
export async function owned(
  shop: CallerContext,
  c: Call,
  answer: (account: string, caller: IdentifiedAccount) => Promise<Reply>,
  detailOf: (reply: Reply) => AccountEvent['detail'] = () => null,
): Promise<Response> {
  const route = routeOf(c);
  const known = await caller(shop, c, route);
  if (known.kind === 'refused') return send(c, known.reply);
  if (known.kind === 'absent') return send(c, unidentified(shop, c, { kind: 'absent' }));
  const reply = await answer(known.account, known);
  if (reply.status < 300) await record(shop, c, route, known, undefined, detailOf(reply));
  return send(c, reply);
}

/** Adds what a route did to the audit list of the account, where the route has an entry there. The subject is the id in its path, or `subject`. */
export async function record(
  shop: Pick<CallerContext, 'team'>,
  c: Call,
  route: AccountRoute,
  known: Pick<IdentifiedAccount, 'account' | 'key' | 'member'>,
  subject: string = Object.values(c.req.param() as Record<string, string>)[0] ?? '',
  detail: AccountEvent['detail'] = null,
): Promise<void> {
  const event = eventOf(route);
  if (event !== null) await shop.team.record(known.account, actorOf(known), event, subject, detail);
}

/** Returns how the audit list names a caller. */
export function actorOf({ key, member }: Pick<IdentifiedAccount, 'key' | 'member'>): string {
  return key?.id ?? member?.id ?? 'account';
}

/** Returns the id of a person who may see and change only what they made themselves; null for callers with the rights to all. */
export function onlyOwn(member: IdentifiedAccount['member']): string | null {
  return member === null || can(member.role, 'all_keys') ? null : member.id;
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
 * Returns the raw body, or the refusal to send. After `caller` has identified the caller, the larger limit applies, and the caller is identified
 * again: a body may take half a minute, in which their rights can end.
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
  if (body.kind === 'body') return (await c.get('refusedMeanwhile')?.()) ?? body.bytes;
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
