import * as Cursor from '../filters/cursor.ts';
import * as Allowance from '../keys/allowance.ts';
import * as Key from '../keys/key.ts';
import type { Call, DataSet, DataSets, Operation, Outcome, Prepared } from '../operation.ts';
import type { FairUsage } from '../records/fair-usage.ts';
import * as RateWindow from '../usage/rate-window.ts';
import type { Records } from '../usage/records.ts';
import * as Body from './body.ts';
import * as Reply from './reply.ts';

/** What calls are answered with. */
export type Service = {
  keys: Key.Keys;
  records: Records;
  rates: RateWindow.RateWindows;
  dataSets: DataSets;
  /** The paths that an unrestricted key may call. */
  apis: readonly string[];
  publicUrl: string;
};

/** One request on its way, filled in as more is known of it; the log tells it from here. */
export type Visit = { requestId: string; nowMs: number; keyId: string | null };
type Ready = Prepared & { kind: 'ready' };

/**
 * The way of a call: who asks, how often, may they, what do they ask, is there enough left; then set aside, run, settle.
 * Refusals are replies; what is thrown is a fault, after which nothing is charged.
 */
export async function answer(
  operation: Operation,
  request: Request,
  visit: Visit,
  service: Service,
): Promise<Reply.Reply> {
  const key = await authenticate(request.headers.get('x-api-key'), service.keys, visit.nowMs);
  if ('kind' in key) return Reply.refusal(key);
  visit.keyId = key.id;

  const rate = operation.limited
    ? RateWindow.admit(service.rates, `${key.id} ${operation.api}`, key.requestsPerSecond, visit.nowMs)
    : null;
  if (rate && !rate.admitted) return Reply.refusal({ kind: 'rate_limited' });

  const usageOf = (recordsUsed: number, balance: Allowance.Balance): FairUsage => ({
    records_used: recordsUsed,
    ...Allowance.shown(balance),
    request_id: visit.requestId,
    ...(rate && {
      rate_limit: { requests_per_second: key.requestsPerSecond, remaining_this_second: rate.remaining },
    }),
  });
  const upgradeUrl = service.publicUrl;
  const balance = Allowance.balance(key, visit.nowMs);
  if (operation.limited && !Key.mayCall(key, operation.api)) {
    const usage = usageOf(0, balance);
    return Reply.refusal({ kind: 'not_in_plan', usage, api: operation.api, upgradeUrl });
  }

  const prepared = await prepare(
    operation,
    request,
    { key, nowMs: visit.nowMs, apis: service.apis },
    service,
  );
  if (prepared.kind !== 'ready') return Reply.refusal(prepared);
  if (prepared.recordsMax === 0) {
    const { body } = await prepared.run(0);
    return Reply.answer(operation, body, usageOf(0, balance));
  }

  const wanted = { requestId: visit.requestId, key, operation: operation.id, nowMs: visit.nowMs };
  const reservation = await service.records.reserve({ ...wanted, records: prepared.recordsMax });
  if (reservation.granted === 0) {
    return Reply.refusal({ kind: 'exhausted', usage: usageOf(0, reservation), upgradeUrl });
  }
  const { body, recordsUsed } = await runOrGiveBack(prepared, reservation.granted, visit, service);
  const settled = await service.records.settle(visit.requestId, recordsUsed);
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
  caller: Omit<Call, 'data'>,
  { dataSets }: Service,
): Promise<Prepared | { kind: 'unreadable' } | { kind: 'too_large' }> {
  if (operation.request === null) return operation.prepare(undefined, { ...caller, data: dataSets.live() });
  const body = await Body.read(request, operation.request, operation);
  if (body.kind !== 'parsed') return body;
  return operation.prepare(body.value, { ...caller, data: dataSetFor(body.value, dataSets) });
}

/** Who pages goes on in the generation that the first page was of, while it is there. */
function dataSetFor(body: unknown, dataSets: DataSets): DataSet {
  const cursor = typeof body === 'object' && body !== null && 'cursor' in body ? body.cursor : null;
  const generation = typeof cursor === 'string' ? Cursor.generationOf(cursor) : null;
  return (generation === null ? null : dataSets.of(generation)) ?? dataSets.live();
}

/** Where the run fails nothing is used. Should even that fail to be written, the sweep gives the records back later. */
async function runOrGiveBack(
  prepared: Ready,
  granted: number,
  visit: Visit,
  service: Service,
): Promise<Outcome> {
  try {
    return await prepared.run(granted);
  } catch (error) {
    await service.records.settle(visit.requestId, 0).catch(() => {});
    throw error;
  }
}
