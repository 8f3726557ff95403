import * as Cursor from '../filters/cursor.ts';
import * as Allowance from '../keys/allowance.ts';
import * as Key from '../keys/key.ts';
import type { LiveSource } from '../live/source.ts';
import type { Call, DataSet, DataSets, Operation, Outcome, Prepared } from '../operation.ts';
import type { FairUsage } from '../records/fair-usage.ts';
import type { Cancellations } from '../usage/cancellations.ts';
import * as RateWindow from '../usage/rate-window.ts';
import type { Records, UnknownUsage } from '../usage/records.ts';
import * as Body from './body.ts';
import { offeredApis } from './operations.ts';
import * as Reply from './reply.ts';

/** Page on which the holder of a key sees its plan. */
const dashboardPath = '/dashboard';

/** Dependencies of calls. */
export type Service = {
  keys: Key.Keys;
  records: Records;
  /** For calls whose usage is unknown after an error of the database. */
  cancellations: Cancellations;
  /** Returns true if the error shows that the failed statement cannot run later. */
  wasNotSent(error: unknown): boolean;
  rates: RateWindow.RateWindows;
  dataSets: DataSets;
  /** Source of live profiles for this data set; null if there is none. */
  liveSource(data: DataSet): LiveSource | null;
  publicUrl: string;
};

/** Context of one request, for the log. `keyId` is set once the key is known. */
export type RequestContext = { requestId: string; nowMs: number; keyId: string | null };
type Ready = Prepared & { kind: 'ready' };

/**
 * Runs a call: authenticates the key, checks its rate limit and plan, validates the body, reserves records, runs the
 * operation and settles. Refusals are returned as replies. Exceptions are bugs or outages, and nothing is charged.
 */
export async function respond(
  operation: Operation,
  request: Request,
  context: RequestContext,
  service: Service,
): Promise<Reply.Reply> {
  const key = await authenticate(request.headers.get('x-api-key'), service.keys, context.nowMs);
  if ('kind' in key) return Reply.refusal(key);
  context.keyId = key.id;

  const rate = operation.limited
    ? RateWindow.admit(service.rates, `${key.id} ${operation.path}`, key.requestsPerSecond, context.nowMs)
    : null;
  if (rate && !rate.admitted) return Reply.refusal({ kind: 'rate_limited' });

  const usageOf = (recordsUsed: number, balance: Allowance.Balance): FairUsage => ({
    records_used: recordsUsed,
    ...Allowance.shown(balance),
    request_id: context.requestId,
    ...(rate && {
      rate_limit: { requests_per_second: key.requestsPerSecond, remaining_this_second: rate.remaining },
    }),
  });
  const upgradeUrl = service.publicUrl + dashboardPath;
  const balance = Allowance.balance(key, context.nowMs);
  if (operation.limited && key.planStatus !== 'active') {
    const usage = usageOf(0, balance);
    return Reply.refusal({
      kind: 'plan_inactive',
      usage,
      plan: key.plan,
      status: key.planStatus,
      upgradeUrl,
    });
  }
  if (operation.limited && !Key.mayCall(key, operation.path)) {
    const usage = usageOf(0, balance);
    return Reply.refusal({ kind: 'not_in_plan', usage, api: operation.path, upgradeUrl });
  }

  const caller = { requestId: context.requestId, key, nowMs: context.nowMs };
  const prepared = await prepare(operation, request, caller, service);
  if (prepared.kind !== 'ready') return Reply.refusal(prepared);
  if (prepared.recordsMax === 0) {
    const { body } = await prepared.run(0);
    return Reply.answer(operation, body, usageOf(0, balance));
  }

  const { requestId, nowMs } = context;
  const accounted = { requestId, keyId: key.id, operation: operation.id, nowMs };
  const wanted = { requestId, key, operation: operation.id, nowMs, records: prepared.recordsMax };
  const reservation = await service.records.reserve(wanted).catch(async (error: unknown) => {
    if (!service.wasNotSent(error)) await cancel(accounted, service);
    throw error;
  });
  if (reservation.granted === 0) {
    return Reply.refusal({ kind: 'exhausted', usage: usageOf(0, reservation), upgradeUrl });
  }
  const { outcome, settled } = await runAndSettle(prepared, reservation.granted, accounted, service);
  const { body, recordsUsed } = outcome;
  return Reply.answer(operation, body, usageOf(recordsUsed, settled));
}

async function authenticate(
  header: string | null,
  keys: Key.Keys,
  nowMs: number,
): Promise<Key.Key | Reply.Refusal> {
  if (!header) return { kind: 'key_missing' };
  if (!Key.isWellFormed(header)) return { kind: 'key_invalid' };
  const key = await keys.byDigest(Key.digest(header));
  if (key === null) return { kind: 'not_found' };
  return Key.isOpen(key, nowMs) ? key : { kind: 'key_invalid' };
}

async function prepare(
  operation: Operation,
  request: Request,
  caller: Pick<Call, 'requestId' | 'key' | 'nowMs'>,
  { dataSets, liveSource }: Service,
): Promise<Prepared | Body.Unread> {
  const callOn = (data: DataSet): Call => {
    const live = liveSource(data);
    return { ...caller, data, live, apis: offeredApis(live !== null) };
  };
  if (operation.request === null) return operation.prepare(undefined, callOn(dataSets.live()));
  const body = await Body.read(request, operation.request, operation);
  if (body.kind !== 'parsed') return body;
  return operation.prepare(body.value, callOn(dataSetFor(body.value, dataSets)));
}

/** Data set for the request: the version of its cursor if that still exists, otherwise the live one. */
function dataSetFor(body: unknown, dataSets: DataSets): DataSet {
  const cursor = typeof body === 'object' && body !== null && 'cursor' in body ? body.cursor : null;
  const version = typeof cursor === 'string' ? Cursor.versionOf(cursor) : null;
  return (version === null ? null : dataSets.byVersion(version)) ?? dataSets.live();
}

/** Runs the call and charges its records. A call that fails uses no record, even if its settlement takes effect later. */
async function runAndSettle(
  prepared: Ready,
  granted: number,
  accounted: UnknownUsage,
  service: Service,
): Promise<{ outcome: Outcome; settled: Allowance.Balance }> {
  try {
    const outcome = await prepared.run(granted);
    return { outcome, settled: await service.records.settle(accounted.requestId, outcome.recordsUsed) };
  } catch (error) {
    await cancel(accounted, service);
    throw error;
  }
}

/** Cancels the usage of a call now, or in the background if the database does not respond within the time of this request. */
async function cancel(usage: UnknownUsage, { records, cancellations }: Service): Promise<void> {
  const isDone = await records.cancel(usage).catch(() => false);
  if (!isDone) cancellations.add(usage);
}
