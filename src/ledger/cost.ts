import { ofMicro } from '@sluice/kernel/money';
import type { Cost } from './hold.ts';
import { isIncludedUsd } from './lot.ts';

/** Returns the figures of a cost that is not booked yet as they are once it is. */
export function after(cost: Cost): Cost {
  let { balance, includedRemaining, includedUsd } = cost;
  for (const { lot, amount } of cost.charges) {
    if (lot.asset === 'unit') includedRemaining -= amount;
    else if (isIncludedUsd(lot)) includedUsd = includedUsd === null ? null : ofMicro(includedUsd - amount);
    else balance = ofMicro(balance - amount);
  }
  return { ...cost, balance, includedRemaining, includedUsd };
}
