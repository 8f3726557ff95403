import type { Money } from '../kernel/money.ts';
import type { Span } from '../kernel/tracing.ts';
import type { Charge, Draw } from './burn.ts';

/** What a call asks for before it is forwarded: the worst case. */
export type HoldRequest = {
  callId: string;
  account: string;
  /** Plans that open the operation's service. */
  plans: readonly string[];
  price: Money;
  /** The most units that the call can cost. */
  units: number;
  /** The account's own key that it is made with. A capped one has a budget: a lot of its own, in which the call holds as well. */
  key?: { id: string; capped: boolean } | null;
  /** The call in its trace. */
  span?: Span | null;
};

/** The plan of a budget's lot; no plan of a catalogue is called so. */
export const budgetPlan = '#budget';

/** Credit set aside for one call under way. It keeps the price that it started with. */
export type Hold = HoldRequest & {
  epoch: number;
  draws: readonly Draw[];
  /** What it holds of its key's budget: its worth at the price, whatever bears it. */
  cap?: Hold;
};

export type HoldAnswer =
  | { kind: 'held'; hold: Hold }
  | { kind: 'no_plan' }
  /** There is not enough left of the key's budget. */
  | { kind: 'budget_exhausted'; required: Money }
  /** There is not enough, whatever becomes of calls under way. */
  | { kind: 'exhausted'; required: Money; available: Money; affordableUnits: number; resetsMs: number | null }
  /** There is enough, but calls under way hold it. */
  | { kind: 'in_flight'; required: Money; available: Money; held: Money }
  /** The books are out of reach. */
  | { kind: 'unavailable' };

/** What became of a held call: `units` as counted, at most what was held for. */
export type Outcome = { units: number; status: number; service: string; operation: string };

/** What a call costs, and what is left then as far as the lane knows. */
export type Cost = {
  charges: readonly Charge[];
  /** What it takes from money; included units cost nothing. */
  cost: Money;
  balance: Money;
  includedRemaining: number;
};

export type Settlement =
  /** On the books: its answer may be released, and then `delivered` be called with `seq`. */
  | ({ kind: 'settled'; seq: number } & Cost)
  /**
   * Its answer must not be released. Not charged; where that is in doubt, a charge is given back, or its answer is kept
   * under the caller's key.
   */
  | { kind: 'refused'; inDoubt: boolean };
