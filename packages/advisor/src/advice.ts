import * as Money from '@sluice/kernel/money';
import type * as Estimate from './estimate.ts';
import type * as Request from './request.ts';

export type Status =
  | 'quoted'
  | 'ready'
  | 'needs_input'
  | 'blocked'
  | 'unknown'
  | 'unsupported'
  | 'unavailable';
export type Cost = { units_low: number; units_high: number; cost_usd_low: string; cost_usd_high: string };

/** One operation of the chain. `takes` names the values of `request` that are to be put in, and where they come from. */
export type Advised = {
  operation: string;
  method: string;
  path: string;
  service: string;
  summary: string;
  calls: number;
  /** The number of pages for one question; each further page continues the previous one. */
  pages: number;
  request: Request.Request;
  takes: readonly { field: string; from: { operation: number; pointer: string } | null; example: unknown }[];
  /** The prices of its meters in words, for an operation that counts several. It has no units. */
  prices?: string;
  estimate: Cost;
};

/**
 * A step on the way. Its request is complete, but for what an earlier step gives: `{access_token}`, and of a call what
 * `takes` names.
 */
export type Step = {
  do: 'register' | 'buy' | 'call' | 'review';
  note: string;
  request: Request.Request | null;
  /** The places in the response whose values replace `{name}` in later steps, as JSON Pointers (RFC 6901). */
  gives?: Readonly<Record<string, string>>;
  /** Which of `operations` it calls, from 1. */
  operation?: number;
};

export type Advice = {
  status: Status;
  priceUsd: '0';
  guide: string;
  guideUrl: string;
  operations: readonly Advised[];
  estimate: Cost;
  plan: { id: string; amount_usd: string; why: string } | null;
  steps: readonly Step[];
  questions: readonly string[];
  notes: readonly string[];
};

/** Returns the total cost of several steps. */
export function cost(steps: readonly Estimate.Step[]): Cost {
  const total = (of: (step: Estimate.Step) => number) => steps.reduce((sum, step) => sum + of(step), 0);
  return {
    units_low: total(({ units }) => units.low),
    units_high: total(({ units }) => units.high),
    cost_usd_low: Money.format(Money.ofMicro(total((step) => step.cost.low))),
    cost_usd_high: Money.format(Money.ofMicro(total((step) => step.cost.high))),
  };
}
