import type { Money } from '@sluice/kernel/money';
import type { Span } from '@sluice/kernel/tracing';
import type { Charge, Draw } from './draw-down.ts';

/** The worst case of a call, requested before it is forwarded. */
export type HoldRequest = {
  callId: string;
  account: string;
  /** Plans that open the operation's service. */
  plans: readonly string[];
  price: Money;
  /** The most units that the call can cost. */
  units: number;
  /** True for a call that is priced in money, by its meters: units of results never pay for it. */
  moneyOnly?: boolean;
  /** The account's own key that the call is made with. A capped key has a budget: a lot of its own, in which the call holds too. */
  key?: { id: string; capped: boolean } | null;
  /** The call in its trace. */
  span?: Span | null;
};

/** The plan of a budget's lot. No plan of a catalogue can have this id. */
export const budgetPlan = '#budget';

/** Credit held for one running call. The call keeps the price that it started with. */
export type Hold = HoldRequest & {
  epoch: number;
  draws: readonly Draw[];
  /** The hold in its key's budget: the worth of the call at its price, even if included units pay for it. */
  cap?: Hold;
};

export type HoldResult =
  | { kind: 'held'; hold: Hold }
  | { kind: 'no_plan' }
  /** The rest of the key's budget is not enough. */
  | { kind: 'budget_exhausted'; required: Money; affordableUnits: number }
  /** The balance is not enough, even if all running calls release their holds. */
  | { kind: 'exhausted'; required: Money; available: Money; affordableUnits: number; resetsMs: number | null }
  /** The balance is enough, but running calls hold it. */
  | { kind: 'in_flight'; required: Money; available: Money; held: Money }
  /** The call needs the trial, and the trials of all accounts together have used up their hour. */
  | { kind: 'trial_paused'; retryAfterSeconds: number }
  /** The ledger cannot be reached. */
  | { kind: 'unavailable' };

/** The outcome of a held call. `units` is the counted number, at most the number that was held. */
export type MeteredCall = { units: number; status: number; service: string; operation: string } & Measured;

/**
 * The measurements of a call, beside its cost. A call with `quantities` is charged in micro-dollars: its hold has the price 1, or 0 if the
 * call is free by its prices, and its `units` are micro-dollars.
 */
export type Measured = {
  /** The quantity of each meter. */
  quantities?: Readonly<Record<string, number>>;
  /** The entry of the price table that the call is charged by, such as the model. */
  priceKey?: string;
  /** The upstream's price of the call, where known. Only the seller sees it. */
  upstreamCost?: Money;
};

/** The cost of a call, and the balance after it as of this writer's copy. */
export type Cost = {
  charges: readonly Charge[];
  /** The cost in money, in included dollars and in credit. Included units cost nothing. */
  cost: Money;
  /** Credit, without included dollars. */
  balance: Money;
  includedRemaining: number;
  /** The rest of the dollars that plans include; null when the account has none of these plans. */
  includedUsd: Money | null;
  /** Time at which included units are renewed, as far as the writer knows. */
  resetsMs: number | null;
};

export type Settlement =
  /** The charge is booked: send the response, and then call `delivered` with `seq`. */
  | ({ kind: 'settled'; seq: number } & Cost)
  /**
   * The response must not be sent. The call was not charged; if that is in doubt, a charge is credited back, or the response is stored
   * under the caller's idempotency key.
   */
  | { kind: 'refused'; inDoubt: boolean };
