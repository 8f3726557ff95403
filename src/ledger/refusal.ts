import { ofMicro } from '@sluice/kernel/money';
import type { AccountLeases } from './account-leases.ts';
import * as DrawDown from './draw-down.ts';
import type { Hold, HoldRequest, HoldResult } from './hold.ts';
import * as Lot from './lot.ts';

export type CreditRefusal = Extract<HoldResult, { kind: 'exhausted' | 'in_flight' }>;

/**
 * Returns why a hold is refused after the ledger was asked. If the call already has a hold (`own`), the request is for the missing part,
 * and the refusal reports the whole call.
 */
export function refusalOf(
  accountLeases: AccountLeases,
  request: HoldRequest,
  nowMs: number,
  own: Hold | null,
): CreditRefusal {
  const { price, units } = request;
  const ownUnits = own?.units ?? 0;
  const ownMoney = ownUnits * price;
  const ownAmounts = new Map(own?.draws.map(({ lot, amount }) => [lot, amount]));
  const lacking = units * price;
  const required = ofMicro(lacking + ownMoney);
  const open = DrawDown.worth(accountLeases.lots, request, nowMs, (lot) => lot.avail + lot.free);
  const all = DrawDown.worth(
    accountLeases.lots,
    request,
    nowMs,
    (lot) => Lot.total(lot) - (ownAmounts.get(lot) ?? 0),
  );
  // Idle leases of other writers count as available, because they can be recalled.
  if (all.money < lacking)
    return {
      kind: 'exhausted',
      required,
      available: ofMicro(all.money + ownMoney),
      affordableUnits: all.units + ownUnits,
      resetsMs: accountLeases.resetsMs,
    };
  const available = ofMicro(open.money + ownMoney);
  return { kind: 'in_flight', required, available, held: ofMicro(all.money - open.money) };
}
