import type { Holdings } from './ledger-store.ts';
import * as Lot from './lot.ts';

/** A writer's copy of one account. */
export type AccountLeases = {
  readonly account: string;
  /** In burn order. */
  lots: Lot.Lot[];
  plans: readonly string[];
  resetsMs: number | null;
  /** The ledger may know more than this copy: read the account again before the next hold. */
  stale: boolean;
  /** The call needs the trial, which can be used again then, because all trials together have a limit per hour; null: it is not paused. */
  pausedUntilMs: number | null;
  /** Another writer asked for the idle leases of this account. */
  recalled: boolean;
  /** Units settled since the last checkpoint. */
  settledUnits: number;
  /** Units settled in the interval before the last checkpoint. The writer leases credit ahead for this pace. */
  paceUnits: number;
  usedMs: number;
};

export function empty(account: string, nowMs: number): AccountLeases {
  return {
    account,
    lots: [],
    plans: [],
    resetsMs: null,
    stale: true,
    pausedUntilMs: null,
    recalled: false,
    settledUnits: 0,
    paceUnits: 0,
    usedMs: nowMs,
  };
}

/** Updates the copy from the ledger. Lots that are no longer listed have ended; they are kept while this writer has leases of them. */
export function refresh(accountLeases: AccountLeases, holdings: Holdings): void {
  const known = new Map(accountLeases.lots.map((lot) => [lot.id, lot]));
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
    lot.paused = false;
    lot.expiresMs = expires;
    return lot;
  });
  for (const lot of known.values()) {
    lot.avail = 0;
    lot.others = 0;
    lot.expiresMs = 0;
    if (lot.free + lot.held > 0) lots.push(lot);
  }
  accountLeases.lots = lots;
  accountLeases.plans = holdings.plans;
  accountLeases.resetsMs = holdings.resets;
  accountLeases.pausedUntilMs = null;
  accountLeases.stale = false;
}

/** Throws RangeError if the account has more of an asset than a number can represent exactly, because sums of its lots would be wrong. */
export function expectSafe({ account, lots }: AccountLeases): void {
  for (const asset of ['usd', 'unit'] as const) {
    const sum = lots.reduce((all, lot) => all + (lot.asset === asset ? Math.max(0, Lot.total(lot)) : 0), 0);
    if (!Number.isSafeInteger(sum))
      throw new RangeError(`${account} has ${sum} ${asset}: too much to be counted exactly`);
  }
}

/** Returns the balance of an asset over all writers, as of this writer's copy: `usd` is credit, without the dollars that plans include. */
export function balance(accountLeases: AccountLeases, asset: Lot.Asset, nowMs: number): number {
  let sum = 0;
  for (const lot of accountLeases.lots) {
    if (lot.asset !== asset || Lot.isIncludedUsd(lot)) continue;
    if (lot.expiresMs === null || lot.expiresMs > nowMs) sum += Lot.total(lot);
  }
  return sum;
}

/** Returns the rest of the dollars that plans include, in micro-dollars; null when the account has no such lots. */
export function includedUsd(accountLeases: AccountLeases, nowMs: number): number | null {
  let sum: number | null = null;
  for (const lot of accountLeases.lots)
    if (Lot.isIncludedUsd(lot))
      sum = (sum ?? 0) + (lot.expiresMs === null || lot.expiresMs > nowMs ? Lot.total(lot) : 0);
  return sum;
}

/** Returns true if the account may call on one of the plans. A used-up trial opens nothing. */
export function opens({ plans, lots }: AccountLeases, wanted: readonly string[]): boolean {
  return plans.some((plan) => wanted.includes(plan) && !isUsedUp(lots.filter((lot) => lot.plan === plan)));
}

function isUsedUp(lots: readonly Lot.Lot[]): boolean {
  return lots.length > 0 && lots.every((lot) => lot.kind === 'trial' && Lot.total(lot) <= 0);
}

/** Returns true if this writer has no lease of the account. */
export function isIdle(accountLeases: AccountLeases): boolean {
  return accountLeases.lots.every((lot) => lot.free === 0 && lot.held === 0);
}
