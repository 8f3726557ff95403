import * as Money from '@sluice/kernel/money';
import type { Catalog } from '../../../catalog/catalog.ts';
import type { Operation } from '../../../catalog/operation.ts';
import { covers, isTrialImmediate, trialOf } from '../../../catalog/plan.ts';
import { highestPrice } from '../../../journeys/highest-price.ts';
import type { Texts } from '../../../text/texts.ts';
import type { Html } from '../frame.ts';
import { say } from '../say.ts';

/** Number of units that an example asks for: a small number makes a trial last longer. */
const exampleUnits = 3;

/** Returns an example body that asks for few units, and never for more than `left`, where a member of it states their number. */
export function smallBody({ unitsMax }: Operation, body: unknown, left: number): unknown {
  const [limit, ...deeper] = unitsMax.kind === 'pointer' ? unitsMax.pointer : [];
  if (limit === undefined || deeper.length > 0 || typeof body !== 'object' || body === null) return body;
  const given = Number(Object(body)[limit] ?? exampleUnits);
  const few = Math.min(exampleUnits, left > 0 ? left : exampleUnits);
  return { ...body, [limit]: Math.min(given, few) };
}

/** Returns the units that the trial gives a new account for a service; 0 when it gives none. */
export function trialUnits({ plans }: Pick<Catalog, 'plans'>, { service }: Operation): number {
  const trial = trialOf(plans);
  if (trial === null || !isTrialImmediate(plans) || !covers(trial, service)) return 0;
  return trial.included.asset === 'unit' ? trial.included.amount : 0;
}

/** `left`: the included units that pay for calls of the operation. `isNew`: they are those of the trial that the request begins. */
export type Payer = { left: number; isNew: boolean };

/** The most that a request as shown can cost, in words. */
export function priceLine(
  texts: Texts,
  operation: Operation,
  request: { path: string; body: string },
  { left, isNew }: Payer,
): Html {
  const highest = highestPrice(operation, request);
  if (highest === null) return say(texts, 'try.highest_unknown');
  const { cost, units } = highest;
  const amount = texts.usd(Money.format(cost));
  if (cost === Money.zero) return say(texts, 'reference.request_free');
  if (units === null) return say(texts, 'reference.request_most_usd', { amount });
  const { unit } = operation.service;
  const quantity = texts.quantity(units, unit);
  if (units > left) return say(texts, 'reference.request_most', { quantity, amount });
  return say(texts, isNew ? 'reference.request_trial' : 'reference.request_included', {
    quantity,
    left: texts.quantity(left, unit),
  });
}
