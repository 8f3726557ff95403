import type { Operation } from '../catalog/operation.ts';
import type { Measured } from '../ledger/hold.ts';
import type { CountedUsage } from '../proxy/count-meters.ts';
import * as Headers from '../proxy/headers.ts';
import type { PricedRequest } from '../proxy/priced-request.ts';
import type { Outbound } from '../proxy/upstream.ts';
import type { PaidCall } from './call-request.ts';

/** Returns true when the response must be read to its end before it can be charged. */
export function isReadWhole({ units }: Pick<Operation, 'units'>): boolean {
  return units.kind === 'pointer' || (units.kind === 'meters' && units.rule.readsBody);
}

/**
 * Returns the header that chose the price, which the upstream must receive too, and the headers that are counted. Otherwise a caller could name the
 * price of a small model in a header that only the storefront reads.
 */
export function outbound(
  { rule }: PricedRequest,
  { rawHeaders }: Pick<PaidCall, 'rawHeaders'>,
): Pick<Outbound, 'priceHeaders' | 'countedHeaders'> {
  const { priceBy } = rule.metering;
  const value = priceBy?.kind === 'header' ? Headers.first(rawHeaders, priceBy.name) : undefined;
  const isMissing = priceBy?.kind === 'header' && !Headers.isSentUpstream(priceBy.name);
  return {
    ...(isMissing && value !== undefined && { priceHeaders: [priceBy.name, value] }),
    ...(rule.headers.length > 0 && { countedHeaders: rule.headers }),
  };
}

/** Returns the measurements of a call as the ledger records them. */
export function measured({ quantities, priceKey, upstreamCost }: CountedUsage): Measured {
  return {
    quantities,
    ...(priceKey !== undefined && { priceKey }),
    ...(upstreamCost !== undefined && { upstreamCost }),
  };
}
