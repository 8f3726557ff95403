import type { Holdings } from './books.ts';
import * as Lot from './lot.ts';

/** What a lane knows of one account. */
export type Purse = {
  readonly account: string;
  /** In burn order. */
  lots: Lot.Lot[];
  plans: readonly string[];
  resetsMs: number | null;
  /** The books may know of something that this purse does not: look there before the next hold. */
  stale: boolean;
  /** Another lane asked for what is idle here. */
  recalled: boolean;
  /** Units settled since the last checkpoint, and in the interval before it: the pace for which credit is kept at hand. */
  settledUnits: number;
  paceUnits: number;
  usedMs: number;
};

export function empty(account: string, nowMs: number): Purse {
  return {
    account,
    lots: [],
    plans: [],
    resetsMs: null,
    stale: true,
    recalled: false,
    settledUnits: 0,
    paceUnits: 0,
    usedMs: nowMs,
  };
}

/** Takes over what the books say. Lots that they name no more have ended; they stay while this lane has something of them. */
export function refresh(purse: Purse, holdings: Holdings): void {
  const known = new Map(purse.lots.map((lot) => [lot.id, lot]));
  const lots = holdings.lots.map(({ id, asset, kind, plan, avail, others, expires }) => {
    const lot = known.get(id) ?? {
      id,
      asset,
      kind,
      plan,
      expiresMs: expires,
      avail,
      others,
      free: 0,
      held: 0,
    };
    known.delete(id);
    lot.avail = avail;
    lot.others = others;
    lot.expiresMs = expires;
    return lot;
  });
  for (const lot of known.values()) {
    lot.avail = 0;
    lot.others = 0;
    lot.expiresMs = 0;
    if (lot.free + lot.held > 0) lots.push(lot);
  }
  purse.lots = lots;
  purse.plans = holdings.plans;
  purse.resetsMs = holdings.resets;
  purse.stale = false;
}

/** What is left of an asset over all lanes, as far as this lane knows. */
export function balance(purse: Purse, asset: Lot.Asset, nowMs: number): number {
  let sum = 0;
  for (const lot of purse.lots) {
    if (lot.asset === asset && (lot.expiresMs === null || lot.expiresMs > nowMs)) sum += Lot.total(lot);
  }
  return sum;
}

/** Whether the account may call on one of `plans`. A trial of which nothing is left opens nothing. */
export function opens({ plans, lots }: Purse, wanted: readonly string[]): boolean {
  return plans.some((plan) => wanted.includes(plan) && !isUsedUp(lots.filter((lot) => lot.plan === plan)));
}

function isUsedUp(lots: readonly Lot.Lot[]): boolean {
  return lots.length > 0 && lots.every((lot) => lot.kind === 'trial' && Lot.total(lot) <= 0);
}

/** Whether nothing of the account is in this lane's hands. */
export function isIdle(purse: Purse): boolean {
  return purse.lots.every((lot) => lot.free === 0 && lot.held === 0);
}
