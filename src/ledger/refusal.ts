import { ofMicro } from '../kernel/money.ts';
import * as Burn from './burn.ts';
import type { HoldAnswer, HoldRequest } from './hold.ts';
import * as Lot from './lot.ts';
import type { Purse } from './purse.ts';

export type Refusal = Extract<HoldAnswer, { kind: 'exhausted' | 'in_flight' }>;

/** Why a hold that found too little is refused, once the books have been asked. */
export function of(purse: Purse, request: HoldRequest, nowMs: number): Refusal {
  const { plans, price, units } = request;
  const required = ofMicro(units * price);
  const open = Burn.worth(purse.lots, plans, price, nowMs, (lot) => lot.avail + lot.free);
  const all = Burn.worth(purse.lots, plans, price, nowMs, Lot.total);
  // What other lanes have set aside idle is not in use: who asks for no more than that gets it.
  if (all.money < required)
    return {
      kind: 'exhausted',
      required,
      available: ofMicro(all.money),
      affordableUnits: all.units,
      resetsMs: purse.resetsMs,
    };
  const available = ofMicro(open.money);
  return { kind: 'in_flight', required, available, held: ofMicro(all.money - open.money) };
}
