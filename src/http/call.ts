import * as Match from '../catalog/match.ts';
import * as Account from '../journeys/account.ts';
import { identify } from '../journeys/identification.ts';
import { keyCharsMax, type Replayed } from '../journeys/keyed-call.ts';
import * as PaidAnswer from '../journeys/paid-answer.ts';
import * as PaidCall from '../journeys/paid-call.ts';
import type { Shop } from '../journeys/shop.ts';
import * as Money from '../kernel/money.ts';
import * as HeldBytes from '../relay/held-bytes.ts';
import * as Target from '../relay/target.ts';
import type { Sending } from '../relay/upstream.ts';
import * as Body from './body.ts';
import type { Incoming, Outgoing } from './outgoing.ts';
import * as Refusal from './refusal.ts';
import { error, json, type Reply, write } from './reply.ts';
import type { Entry } from './request-log.ts';

const oneWriteBytesMax = 16 * 1024;

type ReadBody = () => Body.Body | Promise<Body.Body>;

/**
 * A call to whatever the catalogue sells, on the bare connection: bytes of a sold answer never become web objects.
 * Always ends `outgoing`.
 * @param readBody gives the body; it is not called for a caller who is refused before
 */
export async function handle(
  shop: Shop,
  matcher: Match.Matcher,
  incoming: Incoming,
  readBody: ReadBody,
  outgoing: Outgoing,
  entry: Entry,
): Promise<void> {
  const reply = await decide(shop, matcher, incoming, readBody, outgoing, entry);
  if (reply === null) return;
  if (typeof reply.body.code === 'string') entry.code = reply.body.code;
  if (!outgoing.destroyed) write(outgoing, reply);
}

/** The refusal or own answer to send; null where the upstream's answer has been sent, or nobody is left to send to. */
async function decide(
  shop: Shop,
  matcher: Match.Matcher,
  incoming: Incoming,
  readBody: ReadBody,
  outgoing: Outgoing,
  entry: Entry,
): Promise<Reply | null> {
  const { requestId } = entry;
  const method = incoming.method ?? '';
  const target = Target.parse(incoming.url ?? '');
  const found = target === null ? ({ kind: 'not_found' } as const) : Match.find(matcher, method, target.path);
  if (target === null || found.kind === 'not_found') {
    return error(404, 'not_found', 'Not Found', requestId, {
      links: { services: `${shop.publicUrl}/services` },
    });
  }
  if (found.kind === 'method_not_allowed') {
    const allow = found.allow.join(', ');
    return error(405, 'method_not_allowed', `This path takes ${allow}.`, requestId, {}, { allow });
  }
  const { operation } = found;
  if (entry.span !== null) entry.span.route(operation.method, operation.path);

  const known = identify(shop, incoming.headers.authorization, entry.startedMs);
  const bearer = known instanceof Promise ? await known : known;
  if (bearer.kind === 'unknown') return Refusal.unanswerable(requestId);
  if (bearer.kind === 'frozen') return Refusal.frozen(requestId);
  if (bearer.kind !== 'token')
    return Refusal.unidentified(shop, bearer, method, `${target.path}${target.query}`, requestId);
  const { account, key: callerKey = null } = bearer.claims;
  entry.account = account;

  const ceiling = readCeiling(incoming.headers['storefront-max-cost']);
  if (ceiling === 'malformed')
    return malformed('Storefront-Max-Cost', 'is a decimal amount in USD, such as 0.010.', requestId);
  const key = readKey(incoming.headers['idempotency-key']);
  if (key === 'malformed')
    return malformed('Idempotency-Key', `has 1 to ${keyCharsMax} characters.`, requestId);
  const reading = readBody();
  const body = reading instanceof Promise ? await reading : reading;
  switch (body.kind) {
    case 'too_large':
      return error(
        413,
        'body_too_large',
        `A body has at most ${Body.bodyBytesMax} bytes.`,
        requestId,
        {},
        { connection: 'close' },
      );
    case 'too_slow':
      return error(
        408,
        'body_too_slow',
        'The body did not arrive in time.',
        requestId,
        {},
        { connection: 'close' },
      );
    case 'cut':
      return null;
    case 'body':
      break;
  }
  if (operation.answeredBy === 'storefront')
    return json(200, await Account.keyInfo(shop, account, requestId), { 'cache-control': 'no-store' });
  return await call(
    shop,
    {
      operation,
      account,
      target,
      rawHeaders: incoming.rawHeaders,
      body: body.bytes,
      ceiling,
      callerKey,
      key,
      span: entry.span,
      wantsReceipt: incoming.headers['storefront-receipt'] === 'jws',
    },
    outgoing,
    entry,
  );
}

async function call(
  shop: Shop,
  paidCall: PaidCall.PaidCall,
  outgoing: Outgoing,
  entry: Entry,
): Promise<Reply | null> {
  let sending: Sending | null = null;
  const leave = () => sending?.abandon();
  outgoing.once('close', leave);
  const outcome = await PaidCall.run(shop, paidCall, (started) => {
    sending = started;
    if (outgoing.destroyed) started.abandon();
  });
  switch (outcome.kind) {
    case 'answered':
      await send(shop, outgoing, outcome, entry).catch((fault: unknown) => {
        // It did not leave whole, whatever the reason: what it cost goes back.
        outcome.brokenOff();
        throw fault;
      });
      return null;
    case 'replayed':
      replay(outgoing, outcome, entry);
      return null;
    case 'left':
      return null;
    default:
      return Refusal.ofCall(shop, paidCall.operation, outcome, entry.requestId);
  }
}

/** The upstream's answer, unchanged, with what it cost. */
async function send(
  shop: Shop,
  outgoing: Outgoing,
  answered: PaidCall.Answered,
  entry: Entry,
): Promise<void> {
  const { answer } = answered;
  entry.call = answered.callId;
  entry.service = answered.operation.service.slug;
  entry.units = answered.units;
  entry.costMicroUsd = answered.cost.cost;
  const made = answered.kept ?? PaidAnswer.headers(shop, answered);
  const headers = made instanceof Promise ? await made : made;
  outgoing.writeHead(answer.status, [...headers]);
  if (answer.kind === 'answer') end(outgoing, answer.body, shop.held);
  else if ((await answer.pipeTo(outgoing)) === 'cut') {
    entry.code = 'broken_off';
    return answered.brokenOff();
  }
  // Not before all of it is out of our hands: what we still hold dies with us.
  if (outgoing.closed) answered.delivered();
  else outgoing.once('close', answered.delivered);
}

/** Sends a body whole: a small one as Latin-1, byte for byte, which Node puts into one write with the head. */
function end(outgoing: Outgoing, body: Buffer, held: HeldBytes.HeldBytes): void {
  if (body.length <= oneWriteBytesMax) {
    outgoing.end(body.toString('latin1'), 'latin1');
    return;
  }
  HeldBytes.holdUntilClosed(held, body.length, outgoing);
  outgoing.end(body);
}

/** The first answer under a key, again. */
function replay(outgoing: Outgoing, { callId, status, headers, body }: Replayed, entry: Entry): void {
  entry.call = callId;
  entry.code = 'replayed';
  outgoing.writeHead(status, [...headers, 'idempotent-replayed', 'true']);
  outgoing.end(body);
}

function malformed(field: string, rule: string, requestId: string): Reply {
  const message = `${field} ${rule}`;
  return error(422, 'invalid_request', message, requestId, { errors: [{ field, message }] });
}

/** Not `malformed` where there is none. */
function readKey(header: string | string[] | undefined): string | null | 'malformed' {
  if (header === undefined) return null;
  return typeof header === 'string' && header.length >= 1 && header.length <= keyCharsMax
    ? header
    : 'malformed';
}

function readCeiling(header: string | string[] | undefined): Money.Money | null | 'malformed' {
  if (header === undefined) return null;
  return (typeof header === 'string' ? Money.parse(header) : null) ?? 'malformed';
}
