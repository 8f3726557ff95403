import type { CallToolResult } from '@modelcontextprotocol/server';
import * as Match from '../../catalog/match.ts';
import type { Operation } from '../../catalog/operation.ts';
import * as Account from '../../journeys/account.ts';
import { keyCharsMax } from '../../journeys/keyed-call.ts';
import * as PaidAnswer from '../../journeys/paid-answer.ts';
import * as PaidCall from '../../journeys/paid-call.ts';
import * as Money from '../../kernel/money.ts';
import * as Headers from '../../relay/headers.ts';
import type { Sending } from '../../relay/upstream.ts';
import { caller, unidentified } from '../edge.ts';
import * as Refusal from '../refusal.ts';
import { error, json, type Reply, unprocessable } from '../reply.ts';
import * as Arguments from './arguments.ts';
import { accounted, type Exchange, type Shown, told } from './tool.ts';

/** A longer answer has no place in a message that is held whole several times; over HTTP it has. */
const answerBytesMax = 4 * 1024 * 1024;

type Sold = { operation: Operation; form: Arguments.Form; matcher: Match.Matcher };
type Show = (status: number, bytes: { body: Buffer; type: string }) => Shown;

/** How the caller wants the call made. */
type Options = { ceiling: Money.Money | null; key: string | null; wantsReceipt: boolean };

/**
 * A sold operation called as a tool: the same journey as over HTTP, with the same refusals. What it charges stands in
 * `exchange.answered` until the answer has gone out.
 */
export async function make(
  exchange: Exchange,
  sold: Sold,
  { storefront, ...args }: Arguments.Arguments,
  show: Show,
): Promise<CallToolResult> {
  const { shop, c, requestId } = exchange;
  const { operation, form, matcher } = sold;
  const known = await caller(shop, c);
  if (known.kind === 'refused') return refused(known.reply);
  if (known.kind === 'absent') return refused(unidentified(shop, c, { kind: 'absent' }));
  const faults: Arguments.Fault[] = [];
  const options = read(exchange, storefront, faults);
  const filled = Arguments.fill(form, args);
  if (!filled.ok) faults.push(...filled.faults);
  if (!filled.ok || faults.length > 0) return refused(unprocessable(faults, requestId));
  const found = Match.find(matcher, operation.method, filled.target.path);
  if (found.kind !== 'operation' || found.operation !== operation)
    return refused(error(404, 'not_found', 'Not Found', requestId));
  const { account } = known;
  if (operation.answeredBy === 'storefront')
    return told(json(200, await Account.keyInfo(shop, account, requestId)));
  const type = form.hasBody ? ['content-type', 'application/json'] : [];
  return run(
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

async function run(exchange: Exchange, call: PaidCall.PaidCall, show: Show): Promise<CallToolResult> {
  const { shop, c, requestId } = exchange;
  const { outgoing } = c.env;
  let sending: Sending | null = null;
  const leave = () => sending?.abandon();
  outgoing.once('close', leave);
  const outcome = await PaidCall.run(shop, call, (started) => {
    sending = started;
    if (exchange.hasLeft()) started.abandon();
  });
  outgoing.off('close', leave);
  switch (outcome.kind) {
    case 'answered':
      return deliver(exchange, call.operation, outcome, show);
    case 'replayed': {
      const { status, headers, body } = outcome;
      c.get('entry').call = outcome.callId;
      return result(status, [...headers, 'storefront-idempotent-replayed', 'true'], body, show, null);
    }
    case 'left':
      return { content: [] };
    default:
      return refused(Refusal.ofCall(shop, call.operation, outcome, requestId));
  }
}

async function deliver(
  { shop, c, requestId, answered, hasLeft }: Exchange,
  operation: Operation,
  paid: PaidCall.Answered,
  show: Show,
): Promise<CallToolResult> {
  answered.push(paid);
  const entry = c.get('entry');
  entry.call = paid.callId;
  entry.service = operation.service.slug;
  entry.units = paid.units;
  entry.costMicroUsd = paid.cost.cost;
  const headers = paid.kept ?? (await PaidAnswer.headers(shop, paid));
  const { answer } = paid;
  const body = await PaidAnswer.whole(paid, answerBytesMax);
  if (body === null) {
    answered.splice(answered.indexOf(paid), 1);
    paid.brokenOff();
    if (hasLeft()) return { content: [] };
    entry.code = 'answer_too_large';
    const message = `The answer is longer than ${answerBytesMax} bytes, or broke off; nothing was charged. Ask for less, or call ${operation.id} over HTTP.`;
    return refused(error(502, entry.code, message, requestId));
  }
  const units = `${paid.units} ${operation.service.unit}${paid.units === 1 ? '' : 's'}`;
  const line = `Charged ${Money.formatExact(paid.cost.cost)} USD for ${units}. Left: ${Money.formatExact(paid.cost.balance)} USD, ${paid.cost.includedRemaining} included units.`;
  return result(answer.status, headers, body, show, line);
}

function result(
  status: number,
  headers: readonly string[],
  body: Buffer,
  show: Show,
  line: string | null,
): CallToolResult {
  const { content, structuredContent } = show(status, {
    body,
    type: Headers.first(headers, 'content-type') ?? '',
  });
  return {
    content: line === null ? content : [...content, { type: 'text', text: line }],
    ...(structuredContent && { structuredContent }),
    _meta: accounted(status, headers),
    ...(status >= 400 && { isError: true }),
  };
}

/** A refusal, with what to do about it here. */
function refused(reply: Reply): CallToolResult {
  const { code } = reply.body;
  if (code === 'bearer_required' || code === 'token_invalid')
    return told(
      reply,
      'Call the tool shop_register, or follow `registration`; then send `Authorization: Bearer <access_token>` with every request to this server.',
    );
  if (code === 'plan_required' || code === 'credit_exhausted')
    return told(reply, 'Buy with the tool shop_purchase, naming one of `plans` by its id, and call again.');
  return told(reply);
}

/** From the argument `storefront`, or from the headers of the request; of two ceilings the lower one holds. */
function read({ c }: Exchange, given: unknown, faults: Arguments.Fault[]): Options {
  const own = typeof given === 'object' && given !== null ? (given as Arguments.Arguments) : {};
  const ceilings = [own.max_cost_usd, c.req.header('storefront-max-cost')]
    .filter((value) => value !== undefined)
    .map((value) => (typeof value === 'string' ? Money.parse(value) : null));
  if (ceilings.includes(null))
    faults.push({ field: 'storefront.max_cost_usd', message: 'A decimal amount in USD, such as "0.010"' });
  const key = own.idempotency_key ?? c.req.header('idempotency-key') ?? null;
  const isKey = key === null || (typeof key === 'string' && key.length >= 1 && key.length <= keyCharsMax);
  if (!isKey)
    faults.push({ field: 'storefront.idempotency_key', message: `A text of 1 to ${keyCharsMax} characters` });
  const [lowest = null] = ceilings.filter((it) => it !== null).sort((a, b) => a - b);
  return {
    ceiling: lowest,
    key: typeof key === 'string' ? key : null,
    wantsReceipt: own.receipt === true || c.req.header('storefront-receipt') === 'jws',
  };
}
