import type { ProxyContext } from '../proxy/proxy-context.ts';
import * as CallHold from './call-hold.ts';
import type { PaidCall } from './call-request.ts';
import type { CallerLeft, CallRefusal, ServedResponse } from './call-result.ts';
import type { StreamingCall } from './streamed-call.ts';

type Sold = ServedResponse | CallRefusal | CallerLeft;
type LimitContext = Pick<ProxyContext, 'withheld'>;

/** Counts the outcome of a call for the limit of withheld responses; that of a stream when it is charged. */
export function counted(
  shop: LimitContext,
  call: PaidCall,
  sold: Sold | StreamingCall,
): Sold | StreamingCall {
  if (sold.kind !== 'streaming') {
    count(shop, call, sold);
    return sold;
  }
  return {
    ...sold,
    async settle(end, part) {
      const settled = await sold.settle(end, part);
      count(shop, call, settled);
      return settled;
    },
  };
}

/** Counts a response that was withheld without a charge, and takes one off for a paid response. */
function count({ withheld }: LimitContext, { operation, account }: PaidCall, sold: Sold): void {
  // The cost of a job is known at its end.
  if (sold.kind === 'served' && sold.units > 0 && operation.job === undefined)
    withheld.pay(account, operation.id);
  const isWithheld = sold.kind === 'response_uncountable' || sold.kind === 'ownership_unclear';
  if (isWithheld && !CallHold.isFree(operation)) withheld.add(account, operation.id);
}

/** Counts the end of a job in the same way, for the operation that started it. */
export function countJob(
  { withheld }: LimitContext,
  { operation, account }: Pick<PaidCall, 'operation' | 'account'>,
  { units, isUncounted = false }: { units: number; isUncounted?: boolean },
): void {
  if (units > 0) withheld.pay(account, operation.id);
  // The seller chose that such an end is free.
  if (isUncounted && operation.uncountable !== 'free' && !CallHold.isFree(operation))
    withheld.add(account, operation.id);
}
