import type { HttpBindings } from '@hono/node-server';
import type { Context } from 'hono';
import type * as Bearer from '../identity/bearer.ts';
import type { CallerKey } from '../identity/jwt.ts';
import { type Identified, identify } from '../journeys/identification.ts';
import type { Shop } from '../journeys/shop.ts';
import * as Authorization from '../payment/authorization.ts';
import * as Body from './body.ts';
import * as Refusal from './refusal.ts';
import { error, unprocessable as invalid, type Reply, toResponse } from './reply.ts';
import type { Entry } from './request-log.ts';

/** What every route gets beside the request: the bare connection, and its line in the log. */
export type Env = { Bindings: HttpBindings; Variables: { entry: Entry } };
export type Call = Context<Env>;

/** Sends a reply and puts its code into the log. */
export function send(c: Call, reply: Reply): Response {
  if (typeof reply.body.code === 'string') c.get('entry').code = reply.body.code;
  return toResponse(reply);
}

export function requestId(c: Call): string {
  return c.get('entry').requestId;
}

/** All values of a header, as they came: Node joins or drops repeated ones. */
export function lines(c: Call, name: string): string[] {
  const { rawHeaders } = c.env.incoming;
  return rawHeaders.filter((_, at) => at % 2 === 1 && rawHeaders[at - 1]?.toLowerCase() === name);
}

/** A JSON body, or the refusal to send. */
export async function readJson(c: Call): Promise<{ value: unknown } | Reply> {
  const body = await bytes(c);
  return Buffer.isBuffer(body) ? parseJson(c, body) : body;
}

export type Caller =
  | { kind: 'account'; account: string; key: CallerKey | null }
  | { kind: 'absent' }
  | { kind: 'refused'; reply: Reply };

/**
 * Who calls one of the storefront's own routes. `absent` is for the route to judge.
 * @param onlyLooks a frozen account may still look
 */
export async function caller(shop: Shop, c: Call, onlyLooks = c.req.method === 'GET'): Promise<Caller> {
  const read = Authorization.bearer(lines(c, 'authorization'));
  if (read.kind === 'none') return { kind: 'absent' };
  const bearer: Identified =
    read.kind === 'malformed'
      ? { kind: 'invalid', reason: 'malformed' }
      : await identify(shop, `Bearer ${read.token}`, shop.clock());
  if (bearer.kind === 'unknown') return { kind: 'refused', reply: Refusal.unanswerable(requestId(c)) };
  if (bearer.kind === 'frozen' && !onlyLooks) return { kind: 'refused', reply: Refusal.frozen(requestId(c)) };
  if (bearer.kind === 'token' || bearer.kind === 'frozen') {
    c.get('entry').account = bearer.claims.account;
    return { kind: 'account', account: bearer.claims.account, key: bearer.claims.key ?? null };
  }
  return { kind: 'refused', reply: unidentified(shop, c, bearer) };
}

/** Answers a caller who has said who it is. A key may look, and decides nothing for its account. */
export async function owned(
  shop: Shop,
  c: Call,
  answer: (account: string) => Promise<Reply>,
): Promise<Response> {
  const known = await caller(shop, c);
  if (known.kind === 'refused') return send(c, known.reply);
  if (known.kind === 'absent') return send(c, unidentified(shop, c, { kind: 'absent' }));
  if (known.key !== null && c.req.method !== 'GET') {
    const message = 'This is decided with an access token of the account, not with a key.';
    return send(c, error(403, 'key_not_allowed', message, requestId(c), { key: known.key.id }));
  }
  return send(c, await answer(known.account));
}

export function unidentified(shop: Shop, c: Call, refusal: Bearer.Refusal): Reply {
  const url = new URL(c.req.url);
  return Refusal.unidentified(shop, refusal, c.req.method, `${url.pathname}${url.search}`, requestId(c));
}

/** The body as it came, or the refusal to send. */
export async function bytes(c: Call): Promise<Buffer | Reply> {
  const body = await Body.read(c.env.incoming);
  switch (body.kind) {
    case 'body':
      return body.bytes;
    case 'too_large':
      return error(
        413,
        'body_too_large',
        `A body has at most ${Body.bodyBytesMax} bytes.`,
        requestId(c),
        {},
        { connection: 'close' },
      );
    case 'too_slow':
    case 'cut':
      return error(
        408,
        'body_too_slow',
        'The body did not arrive in time.',
        requestId(c),
        {},
        { connection: 'close' },
      );
  }
}

/** A JSON body, an empty one being `{}`; or the refusal to send. */
export function parseJson(c: Call, body: Buffer): { value: unknown } | Reply {
  if (body.length === 0) return { value: {} };
  const type = c.req.header('content-type') ?? '';
  if (!/^application\/(?:[\w.-]+\+)?json\s*(?:;|$)/i.test(type)) {
    return error(
      415,
      'unsupported_media_type',
      'Send JSON with `Content-Type: application/json`.',
      requestId(c),
      {},
      { accept: 'application/json' },
    );
  }
  try {
    return { value: JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body)) };
  } catch {
    return error(
      400,
      'not_json',
      'The body is not valid JSON. Send an object with `Content-Type: application/json`.',
      requestId(c),
    );
  }
}

/** The 422 of seed 2.7. */
export function unprocessable(c: Call, errors: readonly { field: string; message: string }[]): Reply {
  return invalid(errors, requestId(c));
}

/** The caller's address: the connection's, or what a trusted proxy says last in `header`. */
export function address(c: Call, header: string | null): string {
  const named = header === null ? undefined : lines(c, header).at(-1)?.split(',').at(-1)?.trim();
  return named || c.env.incoming.socket.remoteAddress || 'unknown';
}
