import type { MeteredEstimate, MeteredRequest } from '@sluice/advisor/price-list';
import * as Money from '@sluice/kernel/money';
import * as Target from '@sluice/kernel/request-target';
import * as MeterCost from '../catalog/meter-cost.ts';
import * as MeterPrices from '../catalog/meter-prices.ts';
import * as PricedRequest from '../proxy/priced-request.ts';

/**
 * Estimates a request of an operation with meters, as a call would read it. `low` is the cost of the quantities that the request itself
 * states, and `high` is the cost that is held for it. A request that names no price gets all prices, and the highest cost of any request.
 * @param ceiling the highest cost of any request of the operation
 */
export function estimate(
  rule: MeterPrices.MeterRule,
  ceiling: Money.Money,
  { url, headers, body }: MeteredRequest,
): MeteredEstimate {
  const unknown = { low: Money.zero, high: ceiling, prices: MeterPrices.inWords(rule.metering) };
  const { pathname, search } = new URL(url);
  const target = Target.parse(pathname + search);
  if (target === null) return unknown;
  const asked = {
    rawHeaders: Object.entries(headers).flat(),
    body: Buffer.from(body === null ? '' : JSON.stringify(body)),
    path: target.path,
    query: target.query,
  };
  const priced = PricedRequest.read(rule, asked);
  if ('kind' in priced) return unknown;
  const { metering } = rule;
  const stated = priced.counted.map((quantity) => BigInt(Math.max(0, quantity)));
  const low = MeterCost.costOf(metering.meters, priced.table.rates, stated) ?? Money.zero;
  const key = metering.priceBy === null ? '' : `${priced.table.key}: `;
  return {
    low: Money.ofMicro(Math.min(low, priced.worst)),
    high: priced.worst,
    prices: key + MeterPrices.tableInWords(metering, priced.table),
  };
}
