import * as Money from '@sluice/kernel/money';
import type { MeterRule } from '../catalog/meter-prices.ts';
import type { Measured } from '../ledger/hold.ts';
import type { JobPrices } from '../ledger/jobs.ts';
import * as CountMeters from '../proxy/count-meters.ts';
import type { UncountableReason } from '../proxy/meter.ts';
import type { PricedRequest } from '../proxy/priced-request.ts';
import type { WholeResponse } from '../proxy/upstream-response.ts';
import * as CallMeters from './call-meters.ts';

/** Returns the prices of a request that starts a job, which apply to its end even if the catalogue has changed by then. */
export function pricesOf({ rule, table, max, counted, worst }: PricedRequest): JobPrices {
  const { meters, priceBy } = rule.metering;
  return {
    key: priceBy === null ? null : table.key,
    meters: meters.map(({ name }) => name),
    rates: table.rates.map(String),
    max,
    counted,
    worst,
  };
}

/** The measurements of the call that starts a job: nothing is counted yet. */
export function unmeasured({ key }: JobPrices): Measured {
  return { quantities: {}, ...(key !== null && { priceKey: key }) };
}

/**
 * Counts the end of a job by its meters, at the prices of its start.
 * @param rule the meters of its operation today
 */
export async function count(
  rule: MeterRule,
  prices: JobPrices,
  response: WholeResponse,
): Promise<
  { kind: 'counted'; units: number; measured: Measured } | { kind: 'uncountable'; reason: UncountableReason }
> {
  const names = rule.metering.meters.map(({ name }) => name);
  if (names.join() !== prices.meters.join()) return { kind: 'uncountable', reason: 'meters_changed' };
  const { key, max, counted, worst } = prices;
  const request: PricedRequest = {
    ...{ rule, max, counted, isClear: true },
    table: { key: key ?? '', per: 1, usd: [], rates: prices.rates.map(BigInt) },
    worst: Money.ofMicro(worst),
    ceiling: Money.ofMicro(worst),
  };
  const found = await CountMeters.countResponse(request, response, 0);
  if (found.kind === 'uncountable') return found;
  return { kind: 'counted', units: found.units, measured: CallMeters.measured(found.usage) };
}
