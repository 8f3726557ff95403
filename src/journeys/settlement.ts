import * as Money from '@sluice/kernel/money';
import type { Watched } from '../proxy/unpaid-calls.ts';
import type { StreamedResponse, WholeResponse } from '../proxy/upstream-response.ts';
import type { PaidCall } from './call-request.ts';
import type { CallerLeft, CallRefusal, ServedResponse } from './call-result.ts';
import * as IdempotentCall from './idempotent-call.ts';
import type { PaidCallContext } from './paid-call-context.ts';
import type { PricedResponse } from './response-price.ts';

/** Charges for a response, stores it under the caller's key, and returns it unless the caller has disconnected. */
export async function settle(
  shop: PaidCallContext,
  call: PaidCall,
  { hold, units, isCountable, measured }: PricedResponse,
  response: WholeResponse | StreamedResponse,
  started: IdempotentCall.Started | null,
  watched: Pick<Watched, 'left'>,
): Promise<ServedResponse | CallRefusal | CallerLeft> {
  const { operation, account, wantsReceipt } = call;
  const { callId } = hold;
  // A metered call that is free by its prices is recorded at the price 0.
  const settled = measured !== undefined && units === 0 ? { ...hold, price: Money.zero } : hold;
  const paid = { callId, account, operation, response, units, measured, wantsReceipt };
  const facts = {
    units,
    status: response.status,
    service: operation.service.slug,
    operation: operation.id,
  };
  const outcome = measured === undefined ? facts : { ...facts, ...measured };
  // A response that was free only because it could not be counted is not stored, because a retry may be countable.
  const keeps = isCountable || units > 0 ? started : null;
  const cost = keeps && shop.writer.cost(hold, units);
  const keeping =
    keeps &&
    cost &&
    (await IdempotentCall.keep(shop, keeps, { ...paid, cost }).catch((fault: unknown) => {
      shop.writer.release(hold);
      throw fault;
    }));
  const settlement = await shop.writer.settle(settled, outcome, keeping);
  if (call.span !== null) call.span.event(settlement.kind);
  if (settlement.kind === 'refused')
    return { kind: started && settlement.inDoubt ? 'charge_in_doubt' : 'ledger_unavailable' };
  const { seq } = settlement;
  const isFree = settlement.charges.length === 0;
  const delivered = () => shop.writer.delivered(seq);
  // A job runs on without its caller, who may look for it later.
  const brokenOff = () => (operation.job === undefined ? shop.writer.undelivered(seq, callId) : delivered());
  if (watched.left !== 'no') {
    watched.left === 'charged' ? delivered() : brokenOff();
    return { kind: 'left', isKept: keeping !== null };
  }
  return {
    ...paid,
    kind: 'served',
    cost: cost ?? settlement,
    kept: keeping?.headers ?? null,
    delivered,
    brokenOff,
    callerLeft: () => (isFree || shop.unpaid.isCharged(account) ? delivered() : brokenOff()),
  };
}
