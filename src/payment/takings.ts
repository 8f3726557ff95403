import type { Money } from '../kernel/money.ts';
import type { Order } from './order.ts';
import type { Reversal } from './reversal.ts';

/** What came in on one day (UTC), and what went back on it: by refund, and by disputes that were lost. */
export type Day = { day: string; gross: Money; refunded: Money; lost: Money };

/** How it was paid. `mpp`: by a program, with a card's token; `card`: by a person, on the hosted page. */
export type ByRail = { rail: Order['rail'] | 'mpp'; orders: number; gross: Money };

/** What the seller should look at, each counted to `troubleCountMax` at most. */
export type Trouble = {
  /** Orders whose charge nobody works on and nobody knows the end of. */
  inDoubt: number;
  /** Orders that reconciliation could not end. */
  unreconciled: number;
  declined: number;
  /** Plans whose renewal was not paid. */
  pastDue: number;
  /** Notices of the processor that could not be worked off. */
  notices: number;
  disputes: number;
  disputed: Money;
};

export const troubleCountMax = 1_000;

/** An order that is not at its end. */
export type Unfinished = { order: Order; isAtWork: boolean; reason: string | null };

/** Money that went back, or is disputed, with the order that it paid; `loss` is what of that order's credit had been spent. */
export type Returned = Reversal & {
  order: string;
  account: string | null;
  payment: string | null;
  createdMs: number;
  updatedMs: number;
  loss: Money;
};

/** A notice of the processor that is not worked off. */
export type OpenNotice = {
  id: string;
  type: string;
  receivedMs: number;
  attempts: number;
  failure: string | null;
  failedMs: number | null;
};

export type PastDue = { subscription: string; account: string; plan: string; periodEndMs: number };

/** One entry of the ledger for an order's lot. Amounts in the lot's asset. */
export type Entry = { atMs: number; kind: string; asset: 'usd' | 'unit'; amount: number };

/** The lot that an order bought, wherever it is by now; null before it is granted. */
export type OrderLot = { asset: 'usd' | 'unit'; remaining: number; owed: number; entries: Entry[] };

/** What buyers paid, over all of them. Lists are the newest first. */
export interface Takings {
  /** Every day from the one of `sinceMs` on. */
  byDay(sinceMs: number): Promise<Day[]>;
  byRail(sinceMs: number): Promise<ByRail[]>;
  trouble(sinceMs: number): Promise<Trouble>;
  unfinished(max: number): Promise<Unfinished[]>;
  declined(sinceMs: number, max: number): Promise<Order[]>;
  returned(max: number): Promise<Returned[]>;
  openNotices(max: number): Promise<OpenNotice[]>;
  pastDue(max: number): Promise<PastDue[]>;
  lotOf(order: string): Promise<OrderLot | null>;
}
