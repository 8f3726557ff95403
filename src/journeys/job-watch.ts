import { uuidv7 } from '@sluice/kernel/id';
import * as RequestTarget from '@sluice/kernel/request-target';
import * as JobRule from '../catalog/job-rule.ts';
import * as Mount from '../catalog/mount.ts';
import type { Operation } from '../catalog/operation.ts';
import type { Measured } from '../ledger/hold.ts';
import type { DueJob, JobPrices } from '../ledger/jobs.ts';
import * as Meter from '../proxy/meter.ts';
import type { WholeResponse } from '../proxy/upstream-response.ts';
import * as WorstCase from '../proxy/worst-case.ts';
import * as JobMeters from './job-meters.ts';
import type { PaidCallContext } from './paid-call-context.ts';
import * as ResourceOwnership from './resource-ownership.ts';

type WatchContext = Pick<
  PaidCallContext,
  'jobs' | 'upstream' | 'catalog' | 'clock' | 'report' | 'uncountable'
>;

/** Maximum number of jobs that one process looks at together, and of such batches in one run. */
const jobsMax = 20;
const batchesMax = 50;

/** Looks at the jobs that are due, and settles those that have ended or have had their time. */
export async function settleDue(shop: WatchContext): Promise<void> {
  for (let batch = 0; batch < batchesMax; batch++) {
    const due = await shop.jobs.due(jobsMax);
    await Promise.all(due.map((job) => settle(shop, job)));
    if (due.length < jobsMax) return;
  }
}

async function settle(shop: WatchContext, job: DueJob): Promise<void> {
  const operation = shop.catalog.operations.find(({ id }) => id === job.operation);
  const cost = operation?.job === undefined ? null : await costOf(shop, job, operation, operation.job);
  if (cost !== null) return end(shop, job, cost, 'ended');
  if (!job.isExpired) return;
  const isHeld = operation?.job?.unended === 'held';
  shop.report('job_not_ended', { call: job.callId, operation: job.operation });
  await end(shop, job, isHeld ? wholeCharge : free, 'released');
}

async function end(
  shop: WatchContext,
  { callId, operation }: DueJob,
  { units, measured }: JobCost,
  state: 'ended' | 'released',
): Promise<void> {
  const settled = await shop.jobs.end(callId, uuidv7(shop.clock(), callId), units, state, measured);
  if (settled === 'void') shop.report('job_void', { call: callId, operation });
}

/** The cost of a job in units, and what it was counted by. More than was charged counts as the whole charge. */
type JobCost = { units: number; measured?: Measured };
const free: JobCost = { units: 0 };
const wholeCharge: JobCost = { units: Number.MAX_SAFE_INTEGER };

/** Asks the upstream for a job. Returns its cost; null while it runs or its state is not known. */
async function costOf(
  shop: WatchContext,
  { callId, account, id, prices }: DueJob,
  operation: Operation,
  rule: JobRule.JobRule,
): Promise<JobCost | null> {
  const response = await poll(shop, account, operation, JobRule.pollPath(rule, id));
  if (response === null) return null;
  const state = JobRule.stateOf(rule, await ResourceOwnership.jsonIn(response));
  if (state === 'running') return null;
  if (state === 'failed') return free;
  const counted = await count(operation, prices, response);
  if (counted.kind === 'counted') return counted;
  shop.uncountable({ call: callId, operation: operation.id, reason: counted.reason });
  const isMax = operation.uncountable === 'max' || counted.reason === 'above_units_max';
  return isMax ? wholeCharge : free;
}

async function count(
  { units, unitsMax }: Operation,
  prices: JobPrices | null,
  response: WholeResponse,
): Promise<({ kind: 'counted' } & JobCost) | { kind: 'uncountable'; reason: Meter.UncountableReason }> {
  if ((units.kind === 'meters') !== (prices !== null))
    return { kind: 'uncountable', reason: 'meters_changed' };
  if (units.kind === 'meters' && prices !== null) return JobMeters.count(units.rule, prices, response);
  if (units.kind === 'meters') throw new Error('a job with meters has prices');
  const counted = await Meter.count(units, response);
  if (counted.kind === 'uncountable') return counted;
  return { kind: 'counted', units: Math.min(counted.units, WorstCase.ceiling(unitsMax)) };
}

async function poll(
  { upstream, catalog }: Pick<WatchContext, 'upstream' | 'catalog'>,
  account: string,
  { service, units }: Operation,
  path: string,
): Promise<WholeResponse | null> {
  const target = RequestTarget.parse(path);
  if (target === null) return null;
  const sending = upstream.send({
    method: 'GET',
    target: Mount.atUpstream(target, catalog.upstream.mount),
    rawHeaders: [],
    body: null,
    metered: true,
    account,
    route: service.route,
    ...(units.kind === 'meters' && { countedHeaders: units.rule.headers }),
  });
  const response = await sending.response;
  if (response.kind === 'whole' && response.status >= 200 && response.status <= 299) return response;
  if (response.kind === 'stream') sending.abandon();
  return null;
}
