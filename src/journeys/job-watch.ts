import { uuidv7 } from '@sluice/kernel/id';
import * as RequestTarget from '@sluice/kernel/request-target';
import * as JobRule from '../catalog/job-rule.ts';
import * as Mount from '../catalog/mount.ts';
import type { Operation } from '../catalog/operation.ts';
import type { DueJob } from '../ledger/jobs.ts';
import * as Meter from '../proxy/meter.ts';
import type { WholeResponse } from '../proxy/upstream-response.ts';
import * as WorstCase from '../proxy/worst-case.ts';
import type { PaidCallContext } from './paid-call-context.ts';
import * as ResourceOwnership from './resource-ownership.ts';

type WatchContext = Pick<
  PaidCallContext,
  'jobs' | 'upstream' | 'catalog' | 'clock' | 'report' | 'uncountable'
>;

/** Maximum number of jobs that one process looks at together. */
const jobsMax = 20;

/** Looks at the jobs that are due, and settles those that have ended or have had their time. */
export async function settleDue(shop: WatchContext): Promise<void> {
  await Promise.all((await shop.jobs.due(jobsMax)).map((job) => settle(shop, job)));
}

async function settle(shop: WatchContext, job: DueJob): Promise<void> {
  const operation = shop.catalog.operations.find(({ id }) => id === job.operation);
  const units = operation?.job === undefined ? null : await unitsOf(shop, job, operation, operation.job);
  if (units !== null) return end(shop, job, units, 'ended');
  if (!job.isExpired) return;
  const isHeld = operation?.job?.unended === 'held';
  shop.report('job_not_ended', { call: job.callId, operation: job.operation });
  await end(shop, job, isHeld ? Number.MAX_SAFE_INTEGER : 0, 'released');
}

async function end(
  shop: WatchContext,
  { callId, operation }: DueJob,
  units: number,
  state: 'ended' | 'released',
): Promise<void> {
  const settled = await shop.jobs.end(callId, uuidv7(shop.clock()), units, state);
  if (settled === 'void') shop.report('job_void', { call: callId, operation });
}

/** Asks the upstream for a job. Returns its cost in units; null while it runs or its state is not known. */
async function unitsOf(
  shop: WatchContext,
  { callId, account, id }: DueJob,
  operation: Operation,
  rule: JobRule.JobRule,
): Promise<number | null> {
  const response = await poll(shop, account, operation, JobRule.pollPath(rule, id));
  if (response === null) return null;
  const state = JobRule.stateOf(rule, await ResourceOwnership.jsonIn(response));
  if (state === 'running') return null;
  if (state === 'failed') return 0;
  if (operation.units.kind === 'meters') throw new Error('a job is not counted by meters');
  const counted = await Meter.count(operation.units, response);
  if (counted.kind === 'counted') return Math.min(counted.units, WorstCase.ceiling(operation.unitsMax));
  shop.uncountable({ call: callId, operation: operation.id, reason: counted.reason });
  return operation.uncountable === 'max' ? Number.MAX_SAFE_INTEGER : 0;
}

async function poll(
  { upstream, catalog }: Pick<WatchContext, 'upstream' | 'catalog'>,
  account: string,
  { service }: Operation,
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
  });
  const response = await sending.response;
  if (response.kind === 'whole' && response.status >= 200 && response.status <= 299) return response;
  if (response.kind === 'stream') sending.abandon();
  return null;
}
