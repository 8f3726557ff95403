import * as Money from '@sluice/kernel/money';
import * as Target from '@sluice/kernel/request-target';
import * as Match from '../../catalog/match.ts';
import type { Operation } from '../../catalog/operation.ts';
import { nameOf } from '../../catalog/plan-name.ts';
import type { IdentityContext } from '../../identity/identity-context.ts';
import * as Account from '../../journeys/account.ts';
import type { CallRefusal, ServedResponse } from '../../journeys/call-result.ts';
import { endUnsent } from '../../journeys/delivery.ts';
import { highestPrice } from '../../journeys/highest-price.ts';
import { type CallerContext, identify } from '../../journeys/identification.ts';
import * as PaidCall from '../../journeys/paid-call.ts';
import type { PaidCallContext } from '../../journeys/paid-call-context.ts';
import * as PaidResponse from '../../journeys/paid-response.ts';
import * as Headers from '../../proxy/headers.ts';
import { includedText } from '../../text/included-text.ts';
import type { Texts } from '../../text/texts.ts';
import { callRefusal } from '../call-refusal.ts';
import * as Refusal from '../common-refusals.ts';
import type { RefusalContext } from '../plans-on-offer.ts';
import { json, type Reply } from '../reply.ts';
import { type Call, requestId } from '../request-context.ts';
import { type AnswerFault, faultsOf } from './answer-faults.ts';
import * as Quantities from './quantities.ts';
import { type SmallerRequest, smaller } from './smaller-request.ts';

/** The figures of a call in words. A call that was not made has neither a time nor a size. */
export type CallFigures = { time?: string; size?: string; cost: string; left?: string };
/** The result of a call from the "Try it" form: the response as text, or the reason why there is none. */
export type TrialOutcome =
  | {
      kind: 'whole';
      status: number;
      body: string;
      figures: CallFigures;
      /** The faults in the body of an error. */
      faults: readonly AnswerFault[];
    }
  | {
      kind: 'refusal';
      message: string;
      isUnpaid?: boolean;
      /** True when no plan of the caller covers the request. */
      lacksPlan?: boolean;
      fewer?: SmallerRequest;
    };

/** Maximum size of a response that is read for a page, and of its text with indentation. */
const responseBytesMax = 4 * 1024 * 1024;
const indentedCharsMax = 3 * responseBytesMax;

type TriedCall = { operation: Operation; path: string; body: string; token: string; key: string | null };

/** Calls a sold operation for a visitor of the page: the same journey as over HTTP, with the same refusals and charges, once for a key. */
export async function tryOperation(
  shop: CallerContext & PaidCallContext & RefusalContext,
  matcher: Match.Matcher,
  c: Call,
  { operation, path, body, token, key }: TriedCall,
): Promise<TrialOutcome> {
  const bearer = await identify(shop, `Bearer ${token}`, shop.clock());
  if (bearer.kind === 'frozen') return refusal(Refusal.frozen(shop.texts, requestId(c)));
  if (bearer.kind === 'forbidden')
    return refusal(Refusal.roleNotAllowed(shop.texts, bearer.claims, requestId(c)));
  if (bearer.kind !== 'token') return refusal(Refusal.unanswerable(shop.texts, requestId(c)));
  const { account, key: callerKey = null } = bearer.claims;
  const target = Target.parse(path.trim());
  if (target === null || !Match.isCallOf(matcher, operation, target.path))
    return {
      kind: 'refusal',
      message: shop.texts.text('try.path_mismatch', { operation: operation.id }),
    };
  if (operation.answeredBy === 'storefront')
    return shown(json(200, await Account.keyInfo(shop, account, requestId(c))).body, 200, {
      cost: shop.texts.text('try.free'),
    });
  c.get('entry').account = account;
  const startedMs = shop.clock();
  const outcome = await PaidCall.make(
    shop,
    {
      operation,
      account,
      callerKey,
      target,
      rawHeaders: [
        'accept',
        'application/json',
        ...(body === '' ? [] : ['content-type', 'application/json']),
      ],
      body: Buffer.from(body),
      ceiling: null,
      key,
      span: c.get('entry').span,
      wantsReceipt: false,
    },
    (sending) => c.env.outgoing.once('close', () => sending.abandon()),
  );
  switch (outcome.kind) {
    case 'served':
      return deliver(shop, c, operation, outcome, startedMs);
    case 'replayed':
      return shown(textOf(shop.texts, outcome.headers, outcome.body), outcome.status, {
        cost: shop.texts.text('try.repeated'),
      });
    case 'left':
      return {
        kind: 'refusal',
        message: shop.texts.text('try.cancelled'),
      };
    default:
      return forPerson(
        shop.texts,
        operation,
        { path, body },
        outcome,
        callRefusal(shop, operation, outcome, account, requestId(c)),
      );
  }
}

async function deliver(
  shop: Pick<IdentityContext, 'clock' | 'tokenVerifier'> & Pick<RefusalContext, 'catalog' | 'texts'>,
  c: Call,
  { service }: Operation,
  paid: ServedResponse,
  startedMs: number,
): Promise<TrialOutcome> {
  const entry = c.get('entry');
  entry.call = paid.callId;
  const { outgoing } = c.env;
  const body = await PaidResponse.whole(paid, responseBytesMax);
  if (body === null || outgoing.destroyed) {
    endUnsent(paid, outgoing.destroyed);
    return { kind: 'refusal', message: shop.texts.text('try.incomplete') };
  }
  // The response is charged when the page has been sent; a connection that closes earlier costs nothing.
  outgoing.once('close', () => {
    if (outgoing.headersSent && outgoing.statusCode < 400) paid.delivered();
    else endUnsent(paid, !outgoing.headersSent);
  });
  entry.service = service.slug;
  entry.units = PaidResponse.unitsOf(paid);
  entry.costMicroUsd = paid.cost.cost;
  const text = textOf(shop.texts, await PaidResponse.headers(shop, paid), body);
  const { texts } = shop;
  return shown(text, paid.response.status, {
    time: texts.text('try.time', { ms: shop.clock() - startedMs }),
    size: texts.text('try.size', { count: body.length }),
    ...costOf(shop, paid, service),
  });
}

/** Returns a body as text, or its size and type when it is none. */
function textOf(texts: Texts, headers: readonly string[], body: Buffer): string {
  const type = Headers.first(headers, 'content-type') ?? '';
  if (/^text\/|json|xml/i.test(type)) return body.toString();
  const facts = { bytes: texts.digits(body.length), type: type || texts.text('try.no_type') };
  return texts.text('try.not_text', facts);
}

/**
 * The units, the cost and the rest of the credit of a call, such as `5 results: 0.005 USD`, and `0.495 USD and 0 results`. A call that plans
 * included names them: `5 results, included in Start`.
 */
function costOf(
  { texts, catalog }: Pick<RefusalContext, 'catalog' | 'texts'>,
  paid: ServedResponse,
  { unit, metering }: Operation['service'],
): Pick<CallFigures, 'cost' | 'left'> {
  if (metering !== undefined) return meteredCostOf(texts, paid);
  const { cost, charges, balance, includedRemaining, includedUsd } = paid.cost;
  const rest =
    includedUsd === null
      ? texts.quantity(includedRemaining, unit)
      : includedText(texts, { asset: 'usd', amount: includedUsd }, unit);
  const hasRest = (includedUsd ?? includedRemaining) > 0;
  const amount = texts.usd(Money.format(balance));
  const quantity = Quantities.ofCall(texts, paid, unit);
  const plans = [
    ...new Set(charges.filter(({ amount }) => amount > 0).map(({ lot }) => nameOf(catalog, lot.plan))),
  ];
  return {
    cost:
      cost === Money.zero && plans.length > 0
        ? texts.text('try.cost_included', {
            quantity,
            plans: new Intl.ListFormat(texts.language).format(plans),
          })
        : texts.text('try.cost', { quantity, price: priceOf(texts, cost) }),
    left:
      !hasRest || balance === Money.zero
        ? hasRest
          ? rest
          : amount
        : texts.text('try.left', { balance: amount, included: rest }),
  };
}

/** The quantities and the cost of a call by meters, such as `input 812, output 40: 0.000124 USD`. */
function meteredCostOf(
  texts: Texts,
  { cost: paid, measured }: ServedResponse,
): Pick<CallFigures, 'cost' | 'left'> {
  const price = priceOf(texts, paid.cost);
  const counted = measured?.quantities;
  return {
    cost:
      counted === undefined
        ? price
        : texts.text('try.cost', { price, quantity: Quantities.quantities(texts, counted) }),
    left: texts.usd(Money.format(Money.ofMicro(paid.balance + (paid.includedUsd ?? 0)))),
  };
}

function priceOf(texts: Texts, cost: Money.Money): string {
  return cost === Money.zero ? texts.text('try.free') : texts.usd(Money.format(cost));
}

function shown(value: unknown, status: number, figures: CallFigures): TrialOutcome {
  const faults = status < 400 || typeof value !== 'string' ? [] : faultsOf(value);
  return { kind: 'whole', status, body: pretty(value), figures, faults };
}

function pretty(value: unknown): string {
  if (typeof value !== 'string') return JSON.stringify(value, null, 2);
  try {
    const indented = JSON.stringify(JSON.parse(value), null, 2);
    return indented.length > indentedCharsMax ? value : indented;
  } catch {
    return value;
  }
}

/** The refusal in words for a person: the JSON names its own members, which a page does not show. */
function forPerson(
  texts: Texts,
  operation: Operation,
  request: { path: string; body: string },
  outcome: CallRefusal,
  reply: Reply,
): TrialOutcome {
  const { unit, name } = operation.service;
  switch (outcome.kind) {
    case 'no_plan':
      return needsPlan(texts, operation, request);
    case 'key_not_allowed':
      return { kind: 'refusal', message: texts.text('try.key_not_allowed', { service: name }) };
    case 'trial_paused':
      return { kind: 'refusal', message: texts.text('try.trial_paused'), isUnpaid: true };
    case 'exhausted': {
      const { cause, affordableUnits } = outcome;
      const facts = {
        required: texts.usd(Money.format(outcome.required)),
        available: texts.usd(Money.format(outcome.available)),
        units: texts.units(unit),
        left: texts.quantity(affordableUnits, unit),
      };
      if (cause === 'unpaid_calls' || cause === 'counted_more')
        return { kind: 'refusal', message: texts.text(`try.short_${cause}`, facts), isUnpaid: true };
      const asked = highestPrice(operation, request)?.units ?? null;
      if (asked === null)
        return { kind: 'refusal', message: texts.text('try.short_usage', facts), isUnpaid: true };
      const key = cause === 'unclear_size' ? 'try.short_unclear' : 'try.short';
      const message = texts.text(key, { ...facts, asked: texts.quantity(asked, unit) });
      const fewer = smaller(texts, operation, request, affordableUnits);
      return { kind: 'refusal', message, isUnpaid: true, ...(fewer !== null && { fewer }) };
    }
    default:
      return refusal(reply);
  }
}

/** The refusal of a request that no plan of its caller pays for. */
export function needsPlan(
  texts: Texts,
  operation: Operation,
  request: { path: string; body: string },
): Extract<TrialOutcome, { kind: 'refusal' }> {
  const service = operation.service.name;
  const highest = highestPrice(operation, request);
  const message =
    highest === null
      ? texts.text('try.no_plan', { service })
      : texts.text('try.no_plan_price', { service, price: texts.usd(Money.format(highest.cost)) });
  return { kind: 'refusal', message, isUnpaid: true, lacksPlan: true };
}

function refusal({ body }: Reply): TrialOutcome {
  return { kind: 'refusal', message: String(body.message).replaceAll('`', '') };
}
