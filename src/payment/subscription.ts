import type { Money } from '../kernel/money.ts';
import type { Terms } from './period.ts';

/** A plan that is paid by the period: renewed by the processor, or one prepaid period. */
export type Subscription = {
  id: string;
  account: string;
  plan: string;
  /** `past_due`: the renewal has not been paid yet; its units live on for the days of grace. */
  status: Status;
  renews: boolean;
  startMs: number;
  endMs: number;
  /** It ends with its period. */
  cancelAtPeriodEnd: boolean;
  /** The plan of the next period, where it is another one. */
  nextPlan: string | null;
};
export type Status = 'active' | 'past_due' | 'canceled' | 'expired';

/** A paid invoice of a subscription: one period. */
export type Invoice = {
  id: string;
  /** The order that began the subscription. */
  order: string;
  /** Whether it is that order's own period. */
  isFirst: boolean;
  subscription: string;
  /** What the payment is called; the invoice itself where there was nothing left to pay. */
  payment: string;
  paid: Money;
  plan: string;
  units: number;
  terms: Terms;
  startMs: number;
  endMs: number;
};

/** How a subscription stands at the processor. */
export type Standing = {
  id: string;
  status: Status;
  cancelAtPeriodEnd: boolean;
  /** The plan that it is set to. */
  plan: string;
  endedMs: number | null;
};

/** A change of plan that is asked of the processor: at once for a credit, or with the next period where there is none. */
export type Change = { number: number; plan: string; credit: Money | null };

/** Subscriptions, as the books have them. Every method may be repeated. */
export interface Subscriptions {
  /** Those of an account that have not ended long ago, the latest period first. */
  of(account: string): Promise<Subscription[]>;
  /** Books a paid invoice: a period begins, and its units are there. Returns the account; null where the order is unknown. */
  book(invoice: Invoice): Promise<string | null>;
  /** Numbers a look, before the processor is asked. Null where nothing of it has been paid. */
  look(id: string): Promise<number | null>;
  /** Writes what a look found; false where a later one has been written. */
  write(look: number, standing: Standing): Promise<boolean>;
  /** Writes a change down before it is asked for; the one that is open already, where there is one. */
  beginChange(id: string, plan: string, credit: Money | null): Promise<Change>;
  /** The outcome of that change is known. */
  endChange(id: string, number: number): Promise<void>;
  /** Those that should have been renewed before `ms`, and of which nothing was heard. */
  overdue(ms: number): Promise<string[]>;
}
