import { type Money, ofMicro } from '@sluice/kernel/money';
import type { Quantities } from './metered.ts';

/**
 * The usage of one service by one price key (`model`, null for services without a price table). `charged` was paid with credit and
 * included dollars, `included` with units of a plan. Metered calls have quantities and no units.
 */
export type ModelUsage = Usage & { service: string; model: string | null };
/** The usage of one service, by all price keys. */
export type ServiceUsage = Usage & { service: string };
type Usage = {
  calls: number;
  units: number;
  included: number;
  charged: Money;
  /** The sum of each meter; empty if no call was metered. */
  quantities: Quantities;
  margin: Margin;
};

/**
 * The margin of calls whose upstream cost is known and that were not paid with what a subscription includes. `revenue` was paid for them: credit that was
 * granted is no revenue. `unknownCalls` have no known margin, and are in none of the other figures.
 */
export type Margin = { calls: number; unknownCalls: number; revenue: Money; upstreamCost: Money };

/** Returns revenue less upstream cost, perhaps negative; null if it is known of no call. */
export function marginOf({ calls, revenue, upstreamCost }: Margin): Money | null {
  return calls === 0 ? null : ofMicro(revenue - upstreamCost);
}

/** Returns the margin as a percentage of the revenue, to one decimal; null if it is unknown or there was no revenue. */
export function marginPercent(margin: Margin): number | null {
  const value = marginOf(margin);
  return value === null || margin.revenue === 0 ? null : Math.round((value / margin.revenue) * 1_000) / 10;
}

/** Adds up the models of each service, by charge, highest first. */
export function byService(models: readonly ModelUsage[]): ServiceUsage[] {
  const sums = new Map<string, ServiceUsage>();
  for (const { model: _, ...usage } of models) {
    const before = sums.get(usage.service);
    sums.set(
      usage.service,
      before === undefined ? usage : { service: usage.service, ...added(before, usage) },
    );
  }
  return [...sums.values()].sort((a, b) => b.charged - a.charged || b.units - a.units);
}

function added(a: Usage, b: Usage): Usage {
  const quantities: Record<string, number> = { ...a.quantities };
  for (const [meter, value] of Object.entries(b.quantities))
    quantities[meter] = (quantities[meter] ?? 0) + value;
  return {
    calls: a.calls + b.calls,
    units: a.units + b.units,
    included: a.included + b.included,
    charged: ofMicro(a.charged + b.charged),
    quantities,
    margin: {
      calls: a.margin.calls + b.margin.calls,
      unknownCalls: a.margin.unknownCalls + b.margin.unknownCalls,
      revenue: ofMicro(a.margin.revenue + b.margin.revenue),
      upstreamCost: ofMicro(a.margin.upstreamCost + b.margin.upstreamCost),
    },
  };
}

/** The balance of all accounts: paid, and granted (trials, promotions, grants of the seller). */
export type OutstandingBalance = {
  paid: { usd: Money; units: number };
  given: { usd: Money; units: number };
};

/** The ledger writer of a process. */
export type LedgerWriterState = {
  writer: string;
  epoch: number;
  isOpen: boolean;
  /** Time since its last heartbeat. */
  silentMs: number;
  /** Commits that are not checkpointed into its leases yet. */
  uncheckpointed: number;
  /** Number of lots that it has leases of, and their amounts. */
  leases: number;
  leased: { usd: Money; units: number };
};

/** The other processes consider a writer dead when it sends no heartbeat for longer than this. */
const silenceMsMax = 5_000;

/** The condition of a writer. `holds_credit`: it has ended, and its leases are not released yet. */
export type LedgerWriterCondition = 'running' | 'silent' | 'holds_credit' | 'ended';

/** Returns the condition of a writer. */
export function conditionOf({ isOpen, silentMs, leases }: LedgerWriterState): LedgerWriterCondition {
  if (isOpen) return silentMs > silenceMsMax ? 'silent' : 'running';
  return leases > 0 ? 'holds_credit' : 'ended';
}

/** Recent responses of the upstream by status. */
export type ResponseCount = { status: number; calls: number };

/** The usage of all accounts, for the seller. */
export interface UsageReport {
  /** Since the start of an hour (UTC), less what was credited back. Sorted by cost, highest first. */
  byModel(sinceMs: number): Promise<ModelUsage[]>;
  /** Number of accounts that called since the start of that hour. */
  callers(sinceMs: number): Promise<number>;
  unspent(): Promise<OutstandingBalance>;
  /** Writers that are open, that still have leases, or that were open within the last day. */
  writers(): Promise<LedgerWriterState[]>;
  answers(sinceMs: number): Promise<ResponseCount[]>;
}
