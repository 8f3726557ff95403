import * as Target from '@sluice/kernel/request-target';
import * as BodyLimit from '../catalog/body-limit.ts';
import * as Match from '../catalog/match.ts';
import type { Operation } from '../catalog/operation.ts';
import * as Account from '../journeys/account.ts';
import { keyCharsMax, readCeiling, readKey } from '../journeys/call-request.ts';
import type { ServedResponse } from '../journeys/call-result.ts';
import { endUnsent } from '../journeys/delivery.ts';
import type { Replayed } from '../journeys/idempotent-call.ts';
import type { CallerContext, IdentifiedCaller } from '../journeys/identification.ts';
import { endedMeanwhile, identify, streamEndOf } from '../journeys/identification.ts';
import * as PaidCall from '../journeys/paid-call.ts';
import type { PaidCallContext } from '../journeys/paid-call-context.ts';
import * as PaidResponse from '../journeys/paid-response.ts';
import * as BufferBudget from '../proxy/buffer-budget.ts';
import * as Headers from '../proxy/headers.ts';
import type { ProxyContext } from '../proxy/proxy-context.ts';
import type { Upload } from '../proxy/upload.ts';
import type { Sending } from '../proxy/upstream.ts';
import type { TextsContext } from '../text/texts-context.ts';
import * as Credentials from './call-credentials.ts';
import { callRefusal } from './call-refusal.ts';
import * as Refusal from './common-refusals.ts';
import { callPage } from './fault-page.ts';
import type { PageContext } from './pages/frame.ts';
import type { RefusalContext } from './plans-on-offer.ts';
import { error, json, type Reply, write, writePage } from './reply.ts';
import type * as Body from './server/body.ts';
import * as Cors from './server/cors.ts';
import type { Incoming, Outgoing } from './server/outgoing.ts';
import * as StreamReply from './stream-reply.ts';
import type { LogEntry } from './telemetry/request-log.ts';

const oneWriteBytesMax = 16 * 1024;
const noBody = Buffer.alloc(0);

/** The dependencies of a call over HTTP. */
export type CallContext = CallerContext &
  PaidCallContext &
  Pick<ProxyContext, 'held'> &
  RefusalContext &
  PageContext;

/**
 * Reads the body of a call, or returns a long one as an upload if no rule reads it.
 * @param hasKey true for a call with an idempotency key
 */
export type ReadBody = (
  account: string,
  operation: Operation,
  hasKey: boolean,
) => Body.Body | Promise<Body.Body>;

/**
 * Serves a call to a sold operation on the Node.js response, so that response bodies are never copied into web objects.
 * Always ends `outgoing`.
 * @param readBody reads the body; it is not called for a caller who is refused earlier
 */
export async function handleCall(
  shop: CallContext,
  matcher: Match.Matcher,
  incoming: Incoming,
  readBody: ReadBody,
  outgoing: Outgoing,
  entry: LogEntry,
): Promise<void> {
  const reply = await serve(shop, matcher, incoming, readBody, outgoing, entry);
  if (reply === null) return;
  if (typeof reply.body.code === 'string') entry.code = reply.body.code;
  if (outgoing.destroyed) return;
  const page = callPage(shop, matcher, incoming, reply);
  if (page !== null) return await writePage(outgoing, page);
  const headers = { ...reply.headers, ...Cors.ofCall(incoming.rawHeaders, incoming.url ?? '') };
  write(outgoing, { ...reply, headers });
}

/** Returns the storefront's own response, or null when the upstream's response was sent or the caller has disconnected. */
async function serve(
  shop: CallContext,
  matcher: Match.Matcher,
  incoming: Incoming,
  readBody: ReadBody,
  outgoing: Outgoing,
  entry: LogEntry,
): Promise<Reply | null> {
  const { requestId } = entry;
  const method = incoming.method ?? '';
  const target = Target.parse(incoming.url ?? '');
  const found =
    target === null ? ({ kind: 'not_found' } as const) : Match.findCall(matcher, method, target.path);
  if (target === null || found.kind !== 'operation') return notFound(shop, found, requestId);
  const { operation } = found;
  if (entry.span !== null) entry.span.route(operation.method, operation.path);

  const header = Credentials.read(incoming.headers);
  if (typeof header === 'object')
    return malformed(header.conflict, 'differs from the other credentials: send your token once.', requestId);
  const known = identify(shop, header, entry.startedMs);
  const bearer = known instanceof Promise ? await known : known;
  if (bearer.kind !== 'token') return unidentified(shop, bearer, method, target, requestId);
  const { account, key: callerKey = null } = bearer.claims;
  entry.account = account;

  const rawHeaders = Headers.endToEnd(incoming.rawHeaders);
  const own = rawHeaders === incoming.rawHeaders ? incoming.headers : ownHeaders(rawHeaders);
  const ceiling = readCeiling(own['storefront-max-cost']);
  if (ceiling === 'malformed')
    return malformed('Storefront-Max-Cost', 'must be a decimal amount in USD, such as 0.010.', requestId);
  const key = readKey(own['idempotency-key']);
  if (key === 'malformed')
    return malformed('Idempotency-Key', `must have 1 to ${keyCharsMax} characters.`, requestId);
  const reading = readBody(account, operation, key !== null);
  const body = reading instanceof Promise ? await reading : reading;
  if (body.kind === 'cut') return null;
  const ended = reading instanceof Promise ? await endedMeanwhile(shop, header) : null;
  if (ended !== null) return unidentified(shop, ended, method, target, requestId);
  const refused = bodyRefusal(shop, operation, body, requestId);
  if (refused !== null) return refused;
  if (operation.answeredBy === 'storefront')
    return json(200, await Account.keyInfo(shop, account, requestId), { 'cache-control': 'no-store' });
  return await charge(
    shop,
    {
      operation,
      account,
      target,
      rawHeaders,
      body: body.kind === 'body' ? body.bytes : noBody,
      upload: uploadOf(body),
      ceiling,
      callerKey,
      key,
      span: entry.span,
      wantsReceipt: own['storefront-receipt'] === 'jws',
      takesStreams: true,
      ended: async () => streamEndOf(await identify(shop, header, shop.clock()), account),
    },
    outgoing,
    entry,
    Object.entries(Cors.ofCall(incoming.rawHeaders, incoming.url ?? '')).flat(),
  );
}

/** Refuses a request that matches no operation. */
export function notFound({ texts, publicUrl }: RefusalContext, found: Match.Match, requestId: string): Reply {
  if (found.kind !== 'method_not_allowed') {
    const links = { services: `${publicUrl}/services` };
    return error(404, 'not_found', texts.text('api.not_found'), requestId, { links });
  }
  const allow = found.allow.join(', ');
  const message = texts.text('api.method_not_allowed', { methods: allow });
  return error(405, 'method_not_allowed', message, requestId, {}, { allow });
}

function bodyRefusal(
  { texts, catalog }: TextsContext & Pick<CallContext, 'catalog'>,
  operation: Operation,
  body: Exclude<Body.Body, { kind: 'cut' }>,
  requestId: string,
): Reply | null {
  const bytesMax = BodyLimit.bodyBytesMax(catalog.upstream, operation);
  switch (body.kind) {
    case 'too_large':
      return Refusal.ofBody(texts, body.kind, body.bytesMax, requestId);
    case 'too_slow':
    case 'busy':
      return Refusal.ofBody(texts, body.kind, bytesMax, requestId);
    case 'body':
      return body.bytes.length > bytesMax ? Refusal.ofBody(texts, 'too_large', bytesMax, requestId) : null;
    case 'upload':
      return null;
  }
}

function uploadOf(body: Body.Body): Upload | null {
  return body.kind === 'upload' ? body.upload : null;
}

async function charge(
  shop: CallContext,
  paidCall: PaidCall.PaidCall,
  outgoing: Outgoing,
  entry: LogEntry,
  cors: readonly string[],
): Promise<Reply | null> {
  let sending: Sending | null = null;
  const leave = () => sending?.abandon();
  outgoing.once('close', leave);
  const { upload } = paidCall;
  if (upload) outgoing.once('close', () => upload.stop());
  const outcome = await PaidCall.makeOrStream(shop, paidCall, (started) => {
    sending = started;
    if (outgoing.destroyed) started.abandon();
  });
  switch (outcome.kind) {
    case 'served':
      await send(shop, outgoing, outcome, entry, cors).catch((fault: unknown) => {
        endUnsent(outcome, outgoing.destroyed);
        throw fault;
      });
      return null;
    case 'streaming':
      // From now on, a caller who leaves does not end the request.
      sending = null;
      await StreamReply.send(shop, outgoing, outcome, entry, cors);
      return null;
    case 'replayed':
      replay(outgoing, outcome, entry, cors);
      return null;
    case 'left':
      return null;
    default:
      return callRefusal(shop, paidCall.operation, outcome, paidCall.account, entry.requestId);
  }
}

/** Sends the upstream's response unchanged, with the cost in its headers. */
async function send(
  shop: CallContext,
  outgoing: Outgoing,
  served: ServedResponse,
  entry: LogEntry,
  cors: readonly string[],
): Promise<void> {
  const { response } = served;
  entry.call = served.callId;
  entry.service = served.operation.service.slug;
  entry.units = PaidResponse.unitsOf(served);
  entry.costMicroUsd = served.cost.cost;
  const made = served.kept ?? PaidResponse.headers(shop, served);
  const headers = made instanceof Promise ? await made : made;
  if (outgoing.destroyed) {
    // The caller has disconnected, so not one byte can be delivered.
    entry.code = 'not_delivered';
    return served.callerLeft();
  }
  outgoing.writeHead(response.status, [...headers, ...cors]);
  if (response.kind === 'whole') end(outgoing, response.body, shop.held);
  else {
    const piped = await response.pipeTo(outgoing);
    if (piped === 'key_found')
      shop.report('upstream_key_in_response', { call: served.callId, operation: served.operation.id });
    if (piped === 'cut' || piped === 'key_found') {
      entry.code = 'broken_off';
      return served.brokenOff();
    }
  }
  // Only when the whole response has been handed to the system: data in this process is lost if it crashes.
  if (outgoing.closed) served.delivered();
  else outgoing.once('close', served.delivered);
}

/** Sends a complete body. A small one is sent as Latin-1, byte for byte, which Node puts into one write with the header section. */
function end(outgoing: Outgoing, body: Buffer, held: BufferBudget.BufferBudget): void {
  if (body.length <= oneWriteBytesMax) {
    outgoing.end(body.toString('latin1'), 'latin1');
    return;
  }
  BufferBudget.reserveUntilClosed(held, body.length, outgoing);
  outgoing.end(body);
}

/** Sends the stored response of an idempotency key. */
function replay(
  outgoing: Outgoing,
  { callId, status, headers, body }: Replayed,
  entry: LogEntry,
  cors: readonly string[],
): void {
  entry.call = callId;
  entry.code = 'replayed';
  outgoing.writeHead(status, [...headers, ...cors, 'idempotent-replayed', 'true']);
  outgoing.end(body);
}

/** Refuses a caller without a valid token, or one who must not spend. */
export function unidentified(
  shop: CallContext,
  caller: Exclude<IdentifiedCaller, { kind: 'token' }>,
  method: string,
  target: Target.Target,
  requestId: string,
): Reply {
  if (caller.kind === 'unknown') return Refusal.unanswerable(shop.texts, requestId);
  if (caller.kind === 'frozen') return Refusal.frozen(shop.texts, requestId);
  if (caller.kind === 'forbidden') return Refusal.roleNotAllowed(shop.texts, caller.claims, requestId);
  return Refusal.unidentified(shop, caller, method, `${target.path}${target.query}`, requestId);
}

export function malformed(field: string, rule: string, requestId: string): Reply {
  const message = `${field} ${rule}`;
  return error(422, 'invalid_request', message, requestId, { errors: [{ field, message }] });
}

/** The headers that the storefront reads, from a flat list. */
function ownHeaders(rawHeaders: readonly string[]): Incoming['headers'] {
  const names = ['storefront-max-cost', 'idempotency-key', 'storefront-receipt'];
  return Object.fromEntries(names.map((name) => [name, Headers.first(rawHeaders, name)]));
}
