import * as Money from '@sluice/kernel/money';
import type { Catalog } from '../../catalog/catalog.ts';
import type { Operation } from '../../catalog/operation.ts';
import { covers, isTrialImmediate, trialOf } from '../../catalog/plan.ts';
import type { HighestPrice } from '../../journeys/highest-price.ts';
import type { Texts } from '../../text/texts.ts';

/** The units that plans of the visitor pay for, and the dollars that they include; `isFree` for those of a trial that has not begun. */
export type Allowance = { left: number; usd: Money.Money; isFree: boolean };

/** Returns what the trial gives a new account for a service; nothing when there is no trial for it. */
export function trialAllowance({ plans }: Pick<Catalog, 'plans'>, { service }: Operation): Allowance {
  const trial = trialOf(plans);
  const isGiven = trial !== null && isTrialImmediate(plans) && covers(trial, service);
  const { asset, amount } = isGiven ? trial.included : { asset: 'unit', amount: 0 };
  const usd = asset === 'usd' ? Money.ofMicro(amount) : Money.zero;
  return { left: asset === 'unit' ? amount : 0, usd, isFree: true };
}

/** The most that a request can cost, or the units or dollars of a plan that it can use. */
export function highestText(
  texts: Texts,
  { service: { unit, price: each } }: Operation,
  { cost, units }: HighestPrice,
  included: Allowance | null,
): string {
  if (cost === Money.zero) return texts.text('try.highest_zero');
  const price = texts.usd(Money.format(cost));
  const isFree = included?.isFree === true;
  if (included !== null && units !== null && units <= included.left)
    return texts.text(isFree ? 'try.highest_free' : 'try.highest_included', {
      ...{ count: texts.number(units), left: texts.number(included.left) },
      units: texts.units(unit),
    });
  if (included !== null && cost <= included.usd) {
    const left = texts.usd(Money.format(included.usd));
    return texts.text(isFree ? 'try.highest_usage_free' : 'try.highest_usage', { price, left });
  }
  if (units === null) return texts.text('try.highest', { price });
  if (included === null || included.left === 0 || isFree)
    return texts.text('try.highest_units', { price, quantity: texts.quantity(units, unit) });
  // All units of plans are used before any money.
  const rest = Money.times(each, units - included.left);
  const left = texts.quantity(included.left, unit);
  return texts.text('try.highest_partly', { left, price: texts.usd(Money.format(rest)) });
}
