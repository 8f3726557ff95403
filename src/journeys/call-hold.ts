import { type Money, ofMicro, times } from '@sluice/kernel/money';
import type { Operation } from '../catalog/operation.ts';
import type { Hold, HoldRequest, HoldResult } from '../ledger/hold.ts';
import type { LedgerContext } from '../ledger/ledger-context.ts';
import * as PricedRequest from '../proxy/priced-request.ts';
import type { ProxyContext } from '../proxy/proxy-context.ts';
import * as WorstCase from '../proxy/worst-case.ts';
import type { PaidCall } from './call-request.ts';

/** Why a call needs a larger hold than its request seems to require. */
export type HoldCause =
  /** The size of the response cannot be derived from the request unambiguously. */
  | 'unclear_size'
  /** The account has too many unpaid calls, so the maximum cost of the operation is held. */
  | 'unpaid_calls'
  /** The response contains more units than were held. */
  | 'counted_more';

/** The size of the hold for a call. `isClear`: a smaller hold is not sufficient. `cause`: why it is larger than the request requires, or null. */
export type HoldSize = { units: number; isClear: boolean; cause: HoldCause | null };

export type HoldRefusal =
  | { kind: 'price_ceiling'; required: Money; ceiling: Money; cause?: HoldCause }
  | (Exclude<HoldResult, { kind: 'held' | 'unavailable' | 'budget_exhausted' }> & { cause?: HoldCause })
  | {
      kind: 'budget_exhausted';
      key: string;
      required: Money;
      budget: Money;
      spent: Money;
      cause?: HoldCause;
    }
  | { kind: 'ledger_unavailable' };

/** Attempts with a smaller hold for a request of unclear size. Concurrent calls of the account can use up its credit between attempts. */
const triesMax = 3;

/** The most that a call can cost, or the reason why its price is not known. */
export type CallWorstCase = WorstCase.WorstCase | PricedRequest.PriceUnknown;

/** Returns the maximum cost of a call's request. */
export function worstCase({
  operation,
  rawHeaders,
  body,
  target,
}: Pick<PaidCall, 'operation' | 'rawHeaders' | 'body' | 'target'>): CallWorstCase {
  const { units } = operation;
  if (units.kind === 'meters') {
    const { path, query } = target;
    const priced = PricedRequest.read(units.rule, { rawHeaders, body, path, query });
    return 'kind' in priced ? priced : { units: priced.worst, isClear: priced.isClear, priced };
  }
  return WorstCase.worstCase(operation.unitsMax, { rawHeaders, body, query: target.query });
}

/**
 * Returns the size of the hold for a call before it is forwarded, within its caller's own ceiling. For an account with too many unpaid
 * calls it is the maximum cost of the operation.
 */
export function size(
  shop: Pick<ProxyContext, 'unpaid'>,
  { operation, account, ceiling }: PaidCall,
  worst: WorstCase.WorstCase,
): ({ kind: 'sized' } & HoldSize) | Extract<HoldRefusal, { kind: 'price_ceiling' }> {
  const { price } = operation.service;
  const isOver = shop.unpaid.isOver(account);
  const ceilingUnits = worst.priced?.ceiling ?? WorstCase.ceiling(operation.unitsMax);
  const units = isOver ? ceilingUnits : worst.units;
  // A call by meters may cost the seller much, so its whole worst case is held even if its size is unclear.
  const isClear = isOver || worst.isClear || worst.priced !== undefined;
  const cause = !worst.isClear ? 'unclear_size' : units > worst.units ? 'unpaid_calls' : null;
  const required = times(price, units);
  if (ceiling === null || required <= ceiling) return { kind: 'sized', units, isClear, cause };
  const within = Math.floor(ceiling / price);
  if (!isClear && within >= 1) return { kind: 'sized', units: within, isClear, cause };
  return { kind: 'price_ceiling', required, ceiling, ...(cause && { cause }) };
}

/**
 * Holds the worst case of a call. When the size of a request is unclear, as much as credit and budget allow is sufficient: the upstream
 * may reject such a request at no cost, and units of its response beyond the hold are held before anything is delivered (`cover`).
 */
export async function take(
  shop: Pick<LedgerContext, 'statements' | 'writer'>,
  call: PaidCall,
  request: HoldRequest,
  { isClear, cause }: HoldSize,
): Promise<{ kind: 'held'; hold: Hold } | HoldRefusal> {
  let { units } = request;
  for (let tried = 1; ; tried++) {
    const result = await shop.writer.hold({ ...request, units });
    if (result.kind === 'held') return result;
    const affordable = 'affordableUnits' in result ? result.affordableUnits : 0;
    if (isClear || affordable < 1 || affordable >= units || tried === triesMax)
      return because(cause, await refusal(shop, call, result));
    units = affordable;
  }
}

/** Extends a hold to the units of a response, within credit, budget and the caller's own ceiling. */
export async function cover(
  shop: Pick<LedgerContext, 'statements' | 'writer'>,
  call: PaidCall,
  hold: Hold,
  units: number,
): Promise<{ kind: 'held'; hold: Hold } | HoldRefusal> {
  if (units <= hold.units) return { kind: 'held', hold };
  const required = times(hold.price, units);
  if (call.ceiling !== null && required > call.ceiling)
    return { kind: 'price_ceiling', required, ceiling: call.ceiling, cause: 'counted_more' };
  const result = await shop.writer.extend(hold, units);
  return result.kind === 'held' ? result : because('counted_more', await refusal(shop, call, result));
}

function because(cause: HoldCause | null, refusal: HoldRefusal): HoldRefusal {
  return cause === null || refusal.kind === 'ledger_unavailable' ? refusal : { ...refusal, cause };
}

async function refusal(
  shop: Pick<LedgerContext, 'statements'>,
  { callerKey }: PaidCall,
  result: Exclude<HoldResult, { kind: 'held' }>,
): Promise<HoldRefusal> {
  if (result.kind === 'unavailable') return { kind: 'ledger_unavailable' };
  if (result.kind !== 'budget_exhausted') return result;
  const lots = callerKey && (await shop.statements.of(callerKey.id).catch(() => null));
  if (!callerKey?.budget || !lots) return { kind: 'ledger_unavailable' };
  const spent = ofMicro(lots.reduce((sum, { given, remaining }) => sum + given - remaining, 0));
  const { required } = result;
  return { kind: 'budget_exhausted', key: callerKey.id, required, budget: callerKey.budget, spent };
}

/** Returns true when a call costs nothing, whatever its response contains. */
export function isFree({ units, unitsMax, service }: Operation): boolean {
  if (units.kind === 'meters') return unitsMax.kind === 'fixed' && unitsMax.units === 0;
  return service.price === 0 || (units.kind === 'fixed' && units.units === 0);
}
