import * as Money from '@sluice/kernel/money';
import type { Catalog } from '../../catalog/catalog.ts';
import type { Operation } from '../../catalog/operation.ts';
import { covers, isTrialImmediate, trialOf } from '../../catalog/plan.ts';
import type { HighestPrice } from '../../journeys/highest-price.ts';
import type { Texts } from '../../text/texts.ts';

/** The units that a plan of the visitor pays for; `isFree` for those of a trial that has not begun. */
export type IncludedUnits = { left: number; isFree: boolean };

/** Returns the units that the trial gives a new account for a service; 0 when it gives none. */
export function trialUnits({ plans }: Pick<Catalog, 'plans'>, { service }: Operation): number {
  const trial = trialOf(plans);
  if (trial === null || !isTrialImmediate(plans) || !covers(trial, service)) return 0;
  return trial.included.asset === 'unit' ? trial.included.amount : 0;
}

/** The most that a request can cost, or the units of a plan that it can use. */
export function highestText(
  texts: Texts,
  { service: { unit } }: Operation,
  { cost, units }: HighestPrice,
  included: IncludedUnits | null,
): string {
  if (cost === Money.zero) return texts.text('try.highest_zero');
  const amount = texts.usd(Money.format(cost));
  if (units === null) return texts.text('try.highest', { price: amount });
  if (included === null || units > included.left)
    return texts.text('try.highest_units', { price: amount, quantity: texts.quantity(units, unit) });
  return texts.text(included.isFree ? 'try.highest_free' : 'try.highest_included', {
    ...{ count: texts.number(units), left: texts.number(included.left) },
    units: texts.units(unit),
  });
}
