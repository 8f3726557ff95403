import type { Money } from '../kernel/money.ts';

/** What was used of one service; `charged` is what it took from credit, `included` what units bore of it. */
export type ServiceUse = { service: string; calls: number; units: number; included: number; charged: Money };

/** What all accounts together have left: of what was paid for, and of what was given (trials, gifts). */
export type Unspent = {
  paid: { usd: Money; units: number };
  given: { usd: Money; units: number };
};

/** A process's way into the books, as the books have it. */
export type LaneState = {
  lane: string;
  epoch: number;
  isOpen: boolean;
  /** Since it last said that it lives. */
  silentMs: number;
  /** Commits that are not folded into its leases yet. */
  unfolded: number;
  /** Lots of which it has something set aside, and how much. */
  leases: number;
  leased: { usd: Money; units: number };
};

/** What the upstream answered lately, by its status. */
export type Answers = { status: number; calls: number };

/** The books as their owner sees them: over all accounts. */
export interface Turnover {
  /** Since the hour (UTC) of a moment began, less what was given back; the dearest first. */
  byService(sinceMs: number): Promise<ServiceUse[]>;
  /** How many accounts called since that hour began. */
  callers(sinceMs: number): Promise<number>;
  unspent(): Promise<Unspent>;
  /** Those that are open, that still hold something, or were open within a day. */
  lanes(): Promise<LaneState[]>;
  answers(sinceMs: number): Promise<Answers[]>;
}
