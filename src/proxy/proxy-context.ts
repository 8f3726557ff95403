import type { BufferBudget } from './buffer-budget.ts';
import type { DistributedRateLimit } from './distributed-rate-limit.ts';
import type { ResourceOwners } from './resource-owners.ts';
import type { RunningCalls } from './running-calls.ts';
import type { UncountableResponse } from './uncountable.ts';
import type { UnpaidCalls } from './unpaid-calls.ts';
import type { Upstream } from './upstream.ts';
import type { WithheldCalls } from './withheld-calls.ts';

/** The upstream, and the limits of calls to it. */
export type ProxyContext = {
  readonly upstream: Upstream;
  /** Limits the memory that responses use in this process. */
  readonly held: BufferBudget;
  /** Limits how often an account can call an operation. */
  readonly callLimit: DistributedRateLimit;
  /** Counts calls that the upstream served but were not paid for. */
  readonly unpaid: UnpaidCalls;
  /** Counts responses that were withheld because their cost or owner was not determined. */
  readonly withheld: WithheldCalls;
  /** The calls that a message on another connection can cancel. */
  readonly runningCalls: RunningCalls;
  /** The accounts that the resources at the upstream belong to. */
  readonly resourceOwners: ResourceOwners;
  /** Records a successful response that could not be counted, by operation, for the seller. */
  readonly uncountable: (found: UncountableResponse) => void;
  /** Reports an event to the operator, by a stable name. */
  readonly report: (event: string, detail: Readonly<Record<string, unknown>>) => void;
};
