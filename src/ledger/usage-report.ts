import type { Money } from '@sluice/kernel/money';

/** The usage of one service. `charged` was paid with credit, `included` with units of a plan. */
export type ServiceUsage = {
  service: string;
  calls: number;
  units: number;
  included: number;
  charged: Money;
};

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
  byService(sinceMs: number): Promise<ServiceUsage[]>;
  /** Number of accounts that called since the start of that hour. */
  callers(sinceMs: number): Promise<number>;
  unspent(): Promise<OutstandingBalance>;
  /** Writers that are open, that still have leases, or that were open within the last day. */
  writers(): Promise<LedgerWriterState[]>;
  answers(sinceMs: number): Promise<ResponseCount[]>;
}
