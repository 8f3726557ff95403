import * as RequestTarget from '@sluice/kernel/request-target';
import * as JobRule from '../catalog/job-rule.ts';
import type { Operation } from '../catalog/operation.ts';
import type { Hold } from '../ledger/hold.ts';
import type { PricedRequest } from '../proxy/priced-request.ts';
import type { StreamedResponse, WholeResponse } from '../proxy/upstream-response.ts';
import type { PaidCall } from './call-request.ts';
import * as JobMeters from './job-meters.ts';
import type { PaidCallContext } from './paid-call-context.ts';
import * as ResourceOwnership from './resource-ownership.ts';
import type { PricedResponse } from './response-price.ts';

export type JobRefusal = { kind: 'ownership_unclear' } | { kind: 'ledger_unavailable' };

/** Returns true when a response shows that the call has started a job. */
export function isStarted({ job }: Operation, { status }: WholeResponse | StreamedResponse): boolean {
  return job !== undefined && status >= 200 && status <= 299;
}

/**
 * Records the job that a response shows, durably, and prices the call at its whole hold. A response without the id of a job is refused, and the
 * hold of its call is released.
 */
export async function start(
  shop: Pick<PaidCallContext, 'jobs' | 'writer' | 'report' | 'unpaid'>,
  { operation, account }: PaidCall,
  hold: Hold,
  response: WholeResponse | StreamedResponse,
  priced: PricedRequest | undefined,
): Promise<PricedResponse | JobRefusal> {
  const { job } = operation;
  if (job === undefined) throw new Error('the operation starts no job');
  const found = ResourceOwnership.idOf(await ResourceOwnership.jsonIn(response), job.id);
  // An id such as `..` would lead elsewhere at the upstream.
  const id = found !== null && RequestTarget.parse(JobRule.pollPath(job, found)) !== null ? found : null;
  const { callId, units } = hold;
  const prices = priced === undefined ? null : JobMeters.pricesOf(priced);
  const state =
    id === null
      ? 'unreadable'
      : await shop.jobs
          .open({ callId, account, operation: operation.id, id, hours: job.hours, prices })
          .catch(() => 'ledger_unavailable' as const);
  if (state === 'open') {
    const measured = prices === null ? {} : { measured: JobMeters.unmeasured(prices) };
    return { kind: 'priced', hold, units, isCountable: true, ...measured };
  }
  shop.writer.release(hold);
  // The job may run on, and the caller may have made its start unreadable by asking for another format.
  if (state === 'unreadable') shop.unpaid.addStarted(account);
  shop.report('job_not_started', { call: callId, operation: operation.id, reason: state });
  return { kind: state === 'ledger_unavailable' ? state : 'ownership_unclear' };
}
