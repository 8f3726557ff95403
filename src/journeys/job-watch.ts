import { uuidv7 } from '@sluice/kernel/id';
import * as RequestTarget from '@sluice/kernel/request-target';
import * as JobRule from '../catalog/job-rule.ts';
import * as Mount from '../catalog/mount.ts';
import type { Operation } from '../catalog/operation.ts';
import * as PathTemplate from '../catalog/path-template.ts';
import type { Measured } from '../ledger/hold.ts';
import type { DueJob, JobPrices } from '../ledger/jobs.ts';
import * as Meter from '../proxy/meter.ts';
import type { WholeResponse } from '../proxy/upstream-response.ts';
import * as WorstCase from '../proxy/worst-case.ts';
import type { PaidCall } from './call-request.ts';
import * as JobMeters from './job-meters.ts';
import type { PaidCallContext } from './paid-call-context.ts';
import * as ResourceOwnership from './resource-ownership.ts';
import * as WithheldLimit from './withheld-limit.ts';

type WatchContext = Pick<
  PaidCallContext,
  'jobs' | 'upstream' | 'catalog' | 'clock' | 'report' | 'uncountable' | 'withheld'
>;

/** Maximum number of jobs that one process looks at together, and of such batches in one run. */
const jobsMax = 20;
const batchesMax = 50;

/** Looks at the jobs that are due, and settles those that have ended or have had their time. */
export async function settleDue(shop: WatchContext): Promise<void> {
  for (let batch = 0; batch < batchesMax; batch++) {
    const due = await shop.jobs.due(jobsMax);
    await Promise.all(due.map((job) => settle(shop, job, 'jobs')));
    if (due.length < jobsMax) return;
  }
}

/**
 * Settles the jobs that the path or the query of a call names, before it is made: it could remove a job whose end was not seen yet, which would
 * then cost nothing. Returns null, or why the call must not be made now.
 */
export async function settleNamed(
  shop: WatchContext,
  call: Pick<PaidCall, 'operation' | 'account' | 'target'>,
): Promise<{ kind: 'busy' } | { kind: 'ledger_unavailable' } | null> {
  const { operation, account, target } = call;
  if (operation.job !== undefined || /^(?:GET|HEAD)$/.test(operation.method)) return null;
  if (target.query === '' && !operation.path.includes('{')) return null;
  const starting = startingIn(shop.catalog.operations);
  if (starting.length === 0) return null;
  try {
    const ids = idsIn(call);
    if (ids.length === 0) return null;
    const named = await shop.jobs.named(account, starting, ids);
    // A queue of their own: polls that a buyer causes must not delay those of the jobs of other accounts.
    const states = await Promise.all(named.map((job) => settle(shop, job, `jobs of ${account}`)));
    return states.includes('unknown') ? { kind: 'busy' } : null;
  } catch {
    return { kind: 'ledger_unavailable' };
  }
}

const startingOf = new WeakMap<readonly Operation[], readonly string[]>();

/** Returns the ids of the operations that start jobs. */
function startingIn(operations: readonly Operation[]): readonly string[] {
  const known = startingOf.get(operations);
  if (known !== undefined) return known;
  const found = operations.filter(({ job }) => job !== undefined).map(({ id }) => id);
  startingOf.set(operations, found);
  return found;
}

/** Returns the values of the path's parameters, both as sent and cut off at `;`, which some upstreams ignore from there on, and those of the query. */
function idsIn({ operation, target }: Pick<PaidCall, 'operation' | 'target'>): string[] {
  const texts = target.path.split('/');
  const inPath = operation.path
    .split('/')
    .flatMap((segment, at) => PathTemplate.values(segment, texts[at] ?? ''))
    .flatMap((text) => [text, text.replace(/;.*/, '')].map(unescaped));
  return [...new Set([...inPath, ...new URLSearchParams(target.query).values()])].filter((id) => id !== '');
}

function unescaped(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

/** `unknown`: its state could not be seen, or not be recorded yet. */
type JobState = 'over' | 'running' | 'unknown';

/** @param share the queue at the upstream: not that of the account, which its calls could keep full so that the end of its jobs is not seen */
async function settle(shop: WatchContext, job: DueJob, share: string): Promise<JobState> {
  const operation = shop.catalog.operations.find(({ id }) => id === job.operation);
  const seen =
    operation?.job === undefined ? 'running' : await look(shop, job, operation, operation.job, share);
  if (typeof seen === 'object') return end(shop, job, operation, seen, 'ended');
  // A buyer could cause a single failure, or wait for one.
  if (!(seen === 'unseen' ? job.isOverdue : job.isExpired)) return seen === 'unseen' ? 'unknown' : 'running';
  const isHeld =
    operation?.job?.unended === 'held' || (seen === 'unreadable' && operation?.uncountable === 'max');
  shop.report('job_not_ended', { call: job.callId, operation: job.operation });
  return end(
    shop,
    job,
    operation,
    isHeld ? wholeCharge : seen === 'unreadable' ? uncounted : free,
    'released',
  );
}

async function end(
  shop: WatchContext,
  { callId, account, operation: startedBy }: DueJob,
  operation: Operation | undefined,
  cost: JobCost,
  state: 'ended' | 'released',
): Promise<JobState> {
  const { units, measured } = cost;
  const settled = await shop.jobs.end(callId, uuidv7(shop.clock(), callId), units, state, measured);
  if (settled === 'void') shop.report('job_void', { call: callId, operation: startedBy });
  // Several polls may see the same end, which counts once.
  else if ((settled === 'ended' || settled === 'released') && operation !== undefined)
    WithheldLimit.countJob(shop, { operation, account }, cost);
  return settled === 'waits' ? 'unknown' : 'over';
}

/** The cost of a job in units, and what it was counted by. More than was charged counts as the whole charge. */
type JobCost = { units: number; measured?: Measured; isUncounted?: true };
const free: JobCost = { units: 0 };
/** A job that the upstream has done and that costs nothing, because that cannot be counted. */
const uncounted: JobCost = { units: 0, isUncounted: true };
const wholeCharge: JobCost = { units: Number.MAX_SAFE_INTEGER };

/** `unreadable`: a success without a readable state. `unseen`: the upstream did not answer, or with an error other than that there is no such job. */
type NotEnded = 'running' | 'unreadable' | 'unseen';

/** Asks the upstream for a job. Returns its cost once it has ended. */
async function look(
  shop: WatchContext,
  { callId, account, id, prices }: DueJob,
  operation: Operation,
  rule: JobRule.JobRule,
  share: string,
): Promise<JobCost | NotEnded> {
  const response = await poll(shop, { account, share }, operation, JobRule.pollPath(rule, id));
  if (typeof response === 'string') return response;
  const body = await ResourceOwnership.jsonIn(response);
  if (body === undefined) return 'unreadable';
  const state = JobRule.stateOf(rule, body);
  if (state === 'running') return state;
  if (state === 'failed') return free;
  const counted = await count(operation, prices, response);
  if (counted.kind === 'counted') return counted;
  shop.uncountable({ call: callId, operation: operation.id, reason: counted.reason });
  const isMax = operation.uncountable === 'max' || counted.reason === 'above_units_max';
  return isMax ? wholeCharge : uncounted;
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
  { account, share }: { account: string; share: string },
  { service, units }: Operation,
  path: string,
): Promise<WholeResponse | NotEnded> {
  const target = RequestTarget.parse(path);
  if (target === null) return 'running';
  const sending = upstream.send({
    method: 'GET',
    target: Mount.atUpstream(target, catalog.upstream.mount),
    rawHeaders: [],
    body: null,
    metered: true,
    account,
    share,
    route: service.route,
    ...(units.kind === 'meters' && { countedHeaders: units.rule.headers }),
  });
  const response = await sending.response;
  if (response.kind === 'stream') sending.abandon();
  if (response.kind !== 'whole' && response.kind !== 'stream') return 'unseen';
  const { status } = response;
  if (status === 404 || status === 410) return 'running';
  if (status < 200 || status > 299) return 'unseen';
  return response.kind === 'whole' ? response : 'unreadable';
}
