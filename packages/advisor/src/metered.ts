import * as Money from '@sluice/kernel/money';
import type { Advised } from './advice.ts';
import type { Link } from './chain.ts';
import { countMax, type Step } from './estimate.ts';
import type { Built } from './request.ts';

/** A step of an operation with meters, with the prices that apply to its request. */
export type MeteredStep = Step & Pick<Advised, 'prices'>;

/** Adds the cost of requests by several meters, which is known once they are written; other steps stay as they are. */
export function priced(
  steps: readonly Step[],
  links: readonly Link[],
  built: readonly Built[],
): MeteredStep[] {
  return steps.map((step, at) => {
    const [units, request] = [links[at]?.offer.operation.units, built[at]?.request];
    if (units?.kind !== 'meters' || request === undefined) return step;
    const { low, high, prices } = units.estimate(request);
    // The response of a call may be free, so only one call is counted for certain.
    const calls = Math.min(step.calls, countMax);
    return {
      ...step,
      cost: { low, high: Money.ofMicro(Math.min(high * calls, Money.usdMax * 1_000_000)) },
      prices,
    };
  });
}
