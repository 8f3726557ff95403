import type { CallToolResult } from '@modelcontextprotocol/server';
import * as Money from '@sluice/kernel/money';
import * as Match from '../../catalog/match.ts';
import type { Operation } from '../../catalog/operation.ts';
import type { IdentityContext } from '../../identity/identity-context.ts';
import * as Account from '../../journeys/account.ts';
import * as CallRequest from '../../journeys/call-request.ts';
import type { ServedResponse } from '../../journeys/call-result.ts';
import { endUnsent } from '../../journeys/delivery.ts';
import type { CallerContext } from '../../journeys/identification.ts';
import * as PaidCall from '../../journeys/paid-call.ts';
import type { PaidCallContext } from '../../journeys/paid-call-context.ts';
import * as PaidResponse from '../../journeys/paid-response.ts';
import type { Cost } from '../../ledger/hold.ts';
import type { LedgerContext } from '../../ledger/ledger-context.ts';
import * as Headers from '../../proxy/headers.ts';
import type { Sending } from '../../proxy/upstream.ts';
import { includedText } from '../../text/included-text.ts';
import { english } from '../../text/texts.ts';
import { callRefusal } from '../call-refusal.ts';
import * as Quantities from '../pages/quantities.ts';
import type { RefusalContext } from '../plans-on-offer.ts';
import { error, json, type Reply, unprocessable } from '../reply.ts';
import { caller, unidentified } from '../request-context.ts';
import * as Arguments from './arguments.ts';
import { type Exchange, metaOf, type ToolContent, toolResult } from './tool.ts';

/** Maximum size of a response over MCP, whose messages are held in memory several times. HTTP has no such limit. */
const responseBytesMax = 4 * 1024 * 1024;

type Sold = { operation: Operation; form: Arguments.ArgumentForm; matcher: Match.Matcher };
/** The call of a response. `keep` stores the response for its account, and returns false if that is impossible. */
export type StoredCall = { callId: string; keep(): Promise<boolean> };
export type Show = (
  status: number,
  bytes: { body: Buffer; type: string },
  stored: StoredCall,
) => ToolContent | Promise<ToolContent>;

/** The dependencies of a call over MCP. */
export type SoldCallContext = CallerContext &
  PaidCallContext &
  RefusalContext &
  Pick<LedgerContext, 'storedResults'>;

/** The caller's options for the call. */
type Options = { ceiling: Money.Money | null; key: string | null; wantsReceipt: boolean };

/**
 * Calls a sold operation as a tool: the same journey as over HTTP, with the same refusals. The charged call stays in `exchange.served`
 * until its result has been sent.
 */
export async function callSoldTool(
  shop: SoldCallContext,
  exchange: Exchange,
  sold: Sold,
  { storefront, ...args }: Arguments.Arguments,
  show: Show,
): Promise<CallToolResult> {
  const { c, requestId } = exchange;
  const { operation, form, matcher } = sold;
  const known = await caller(shop, c, 'MCP call');
  if (known.kind === 'refused') return refused(known.reply);
  if (known.kind === 'absent') return refused(unidentified(shop, c, { kind: 'absent' }));
  const faults: Arguments.ArgumentFault[] = [];
  const options = read(exchange, storefront, faults);
  const filled = Arguments.fill(form, args);
  if (!filled.ok) faults.push(...filled.faults);
  if (!filled.ok || faults.length > 0) return refused(unprocessable(shop.texts, faults, requestId));
  if (!Match.isCallOf(matcher, operation, filled.target.path))
    return refused(
      error(404, 'not_found', `The arguments do not make a path of ${operation.id}.`, requestId),
    );
  const { account } = known;
  if (operation.answeredBy === 'storefront')
    return toolResult(json(200, await Account.keyInfo(shop, account, requestId)));
  const type = form.hasBody ? ['content-type', 'application/json'] : [];
  return run(
    shop,
    exchange,
    {
      operation,
      account,
      callerKey: known.key,
      target: filled.target,
      rawHeaders: ['accept', 'application/json', ...type],
      body: filled.body,
      span: c.get('entry').span,
      ...options,
    },
    show,
  );
}

async function run(
  shop: SoldCallContext,
  exchange: Exchange,
  call: PaidCall.PaidCall,
  show: Show,
): Promise<CallToolResult> {
  const { c, requestId } = exchange;
  const { outgoing } = c.env;
  let sending: Sending | null = null;
  const leave = () => sending?.abandon();
  outgoing.once('close', leave);
  exchange.cancelled.addEventListener('abort', leave, { once: true });
  const outcome = await PaidCall.make(shop, call, (started) => {
    sending = started;
    if (exchange.hasLeft()) started.abandon();
  });
  outgoing.off('close', leave);
  switch (outcome.kind) {
    case 'served':
      return deliver(shop, exchange, call.operation, outcome, show);
    case 'replayed': {
      const { status, headers, body } = outcome;
      c.get('entry').call = outcome.callId;
      const stored = { callId: outcome.callId, keep: async () => true };
      return result(status, [...headers, 'storefront-idempotent-replayed', 'true'], body, show, stored, null);
    }
    case 'left':
      return { content: [] };
    default:
      return refused(callRefusal(shop, call.operation, outcome, call.account, requestId));
  }
}

async function deliver(
  shop: Pick<IdentityContext, 'clock' | 'tokenVerifier'> & Pick<LedgerContext, 'storedResults'>,
  exchange: Exchange,
  operation: Operation,
  paid: ServedResponse,
  show: Show,
): Promise<CallToolResult> {
  const { c, requestId, served, hasLeft } = exchange;
  served.push(paid);
  const entry = c.get('entry');
  entry.call = paid.callId;
  entry.service = operation.service.slug;
  entry.units = PaidResponse.unitsOf(paid);
  entry.costMicroUsd = paid.cost.cost;
  const headers = paid.kept ?? (await PaidResponse.headers(shop, paid));
  const { response } = paid;
  const body = await PaidResponse.whole(paid, responseBytesMax);
  if (body === null) {
    served.splice(served.indexOf(paid), 1);
    endUnsent(paid, hasLeft());
    if (hasLeft()) return { content: [] };
    entry.code = 'answer_too_large';
    const message = `The response is longer than ${responseBytesMax} bytes or was incomplete. Nothing was charged. Ask for less, or call ${operation.id} over HTTP.`;
    return refused(error(502, entry.code, message, requestId));
  }
  const { unit } = operation.service;
  const charged = `Charged ${Money.formatExact(paid.cost.cost)} USD`;
  const left = `Left: ${Money.formatExact(paid.cost.balance)} USD`;
  const line =
    operation.units.kind === 'meters'
      ? `${charged} for ${Quantities.ofCall(english, paid, unit)}. ${left}.`
      : `${charged} for ${english.quantity(paid.units, unit)}. ${left} and ${includedLeft(paid.cost, unit)} of your plans.`;
  return result(response.status, headers, body, show, stored(shop, exchange, paid, headers, body), line);
}

/** A stored response stays charged, also when its message is lost: its account can read it. */
function stored(
  { storedResults }: Pick<LedgerContext, 'storedResults'>,
  { served, hasLeft }: Exchange,
  paid: ServedResponse,
  headers: readonly string[],
  body: Buffer,
): StoredCall {
  const { account, callId } = paid;
  const keep = async () => {
    if (hasLeft()) return false;
    const isStored = await storedResults.store(account, callId, headers, body).catch(() => false);
    if (isStored) served.splice(served.indexOf(paid), 1, { ...paid, kept: headers });
    return isStored;
  };
  return { callId, keep };
}

/** Describes the rest of included units and dollars, such as `0 results and 4.99 USD of usage`. */
function includedLeft({ includedRemaining, includedUsd }: Cost, unit: string): string {
  const units = english.quantity(includedRemaining, unit);
  return includedUsd === null
    ? units
    : `${units} and ${includedText(english, { asset: 'usd', amount: includedUsd }, unit)}`;
}

async function result(
  status: number,
  headers: readonly string[],
  body: Buffer,
  show: Show,
  storedCall: StoredCall,
  line: string | null,
): Promise<CallToolResult> {
  const type = Headers.first(headers, 'content-type') ?? '';
  const { content, structuredContent } = await show(status, { body, type }, storedCall);
  return {
    content: line === null ? content : [...content, { type: 'text', text: line }],
    ...(structuredContent && { structuredContent }),
    _meta: metaOf(status, headers),
    ...(status >= 400 && { isError: true }),
  };
}

/** A refusal with the tool that solves it. */
function refused(reply: Reply): CallToolResult {
  const { code } = reply.body;
  if (code === 'bearer_required' || code === 'token_invalid')
    return toolResult(
      reply,
      'Call the tool shop_register, or send the request in `registration`. Then send `Authorization: Bearer <access_token>` with every request to this server.',
    );
  if (code === 'plan_required' || code === 'credit_exhausted')
    return toolResult(reply, 'Buy one of `plans` with the tool shop_purchase, then call this tool again.');
  return toolResult(reply);
}

/** Reads the options from the argument `storefront` or from the headers. */
function read({ c }: Exchange, given: unknown, faults: Arguments.ArgumentFault[]): Options {
  const own = typeof given === 'object' && given !== null ? (given as Arguments.Arguments) : {};
  // As over HTTP, headers that `Connection` names are ignored.
  const ending = (c.req.header('connection') ?? '').split(',').map((name) => name.trim().toLowerCase());
  const header = (name: string) => (ending.includes(name) ? undefined : c.req.header(name));
  const ceilings = [own.max_cost_usd, header('storefront-max-cost')].map(CallRequest.readCeiling);
  if (ceilings.includes('malformed'))
    faults.push({ field: 'storefront.max_cost_usd', message: 'A decimal amount in USD, such as "0.010"' });
  const key = CallRequest.readKey(own.idempotency_key ?? header('idempotency-key'));
  if (key === 'malformed')
    faults.push({
      field: 'storefront.idempotency_key',
      message: `A text of 1 to ${CallRequest.keyCharsMax} characters`,
    });
  return {
    ceiling: CallRequest.lowestCeiling(ceilings.filter((it) => it !== 'malformed')),
    key: key === 'malformed' ? null : key,
    wantsReceipt: own.receipt === true || header('storefront-receipt') === 'jws',
  };
}
