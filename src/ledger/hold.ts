import type { Money } from '../kernel/money.ts';
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
};

/** Credit set aside for one call under way. It keeps the price that it started with. */
export type Hold = HoldRequest & { epoch: number; draws: readonly Draw[] };

export type HoldAnswer =
  | { kind: 'held'; hold: Hold }
  | { kind: 'no_plan' }
  /** There is not enough, whatever becomes of calls under way. */
  | { kind: 'exhausted'; required: Money; available: Money; affordableUnits: number; resetsMs: number | null }
  /** There is enough, but calls under way hold it. */
  | { kind: 'in_flight'; required: Money; available: Money; held: Money }
  /** The books are out of reach. */
  | { kind: 'unavailable' };

/** What became of a held call: `units` as counted, at most what was held for. */
export type Outcome = { units: number; status: number; service: string; operation: string };

export type Settlement =
  /** On the books: its answer may be released, and then `delivered` be called with `seq`. */
  | {
      kind: 'settled';
      seq: number;
      charges: readonly Charge[];
      /** What it took from money; included units cost nothing. */
      cost: Money;
      balance: Money;
      includedRemaining: number;
    }
  /** Not charged; its answer must not be released. */
  | { kind: 'refused' };
