import * as Money from '@sluice/kernel/money';
import type { LedgerContext } from '../ledger/ledger-context.ts';
import * as Usage from '../ledger/usage.ts';

const dayMs = 24 * 60 * 60 * 1000;
/** The maximum and the default length of the reported period. */
export const daysMax = 92;
const daysDefault = 30;
const pageMax = 50;
const exportPageCalls = 500;
/** An export ends at the page of calls that reaches this number. */
const exportCallsMax = 50_000;
const callIdPattern = /^call_([\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-[\da-f]{4}-[\da-f]{12})$/;

/** Reads the id of a call, `call_...`; null for any other text. */
export function readCallId(text: string): string | null {
  return callIdPattern.exec(text)?.[1] ?? null;
}

export type UsageFault = { field: string; message: string };
type Read<T> = { kind: 'read'; value: T } | { kind: 'faults'; faults: UsageFault[] };

/** The value of a filter for calls without a key or model. */
export const noneValue = '(none)';
const filterCharsMax = 200;
const filterNames = ['service', 'key', 'model'] as const;

/** Reads the filters of usage: a service, a key and a model, each optional; `(none)` for calls without one. */
export function readSelection(
  said: Readonly<Partial<Record<(typeof filterNames)[number], string | undefined>>>,
): Read<Usage.UsageSelection> {
  const faults = filterNames
    .filter((field) => (said[field]?.length ?? 0) > filterCharsMax)
    .map((field) => ({ field, message: `Must have at most ${filterCharsMax} characters` }));
  if (faults.length > 0) return { kind: 'faults', faults };
  const chosen = (value = '') => (value === '' ? null : value === noneValue ? '' : value);
  const value = { service: chosen(said.service), key: chosen(said.key), model: chosen(said.model) };
  return { kind: 'read', value };
}

export type UsagePeriod = { fromMs: number; toMs: number };

/** Reads `from` and `to`: timestamps (RFC 3339) or days (UTC; the day of `to` is included). The default is the last thirty days. */
export function readSpan(from: string | undefined, to: string | undefined, nowMs: number): Read<UsagePeriod> {
  const faults: UsageFault[] = [];
  const read = (field: string, text: string | undefined, atDay: number): number | null => {
    if (text === undefined) return null;
    const isDay = /^\d{4}-\d\d-\d\d$/.test(text);
    const isTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)$/i.test(text);
    const ms = isDay || isTime ? Date.parse(text) + (isDay ? atDay : 0) : Number.NaN;
    if (ms >= 0) return ms;
    faults.push({
      field,
      message: 'Must be a day or a timestamp, such as 2030-01-31 or 2030-01-31T12:00:00Z',
    });
    return null;
  };
  const toMs = read('to', to, dayMs) ?? nowMs + 1;
  const fromMs = read('from', from, 0) ?? toMs - daysDefault * dayMs;
  if (faults.length === 0 && fromMs >= toMs) faults.push({ field: 'from', message: 'Must be before `to`' });
  if (faults.length === 0 && toMs - fromMs > daysMax * dayMs)
    faults.push({ field: 'from', message: `Must be at most ${daysMax} days before \`to\`` });
  return faults.length > 0 ? { kind: 'faults', faults } : { kind: 'read', value: { fromMs, toMs } };
}

/** The last days (UTC) up to and including today, the oldest first (`2030-01-31`). */
export function lastDays(count: number, nowMs: number): UsagePeriod & { days: string[] } {
  const toMs = (Math.floor(nowMs / dayMs) + 1) * dayMs;
  return { fromMs: toMs - count * dayMs, toMs, days: daysOf({ fromMs: toMs - count * dayMs, toMs }) };
}

/** The days (UTC) of a period, the oldest first (`2030-01-31`). */
export function daysOf({ fromMs, toMs }: UsagePeriod): string[] {
  const first = Math.floor(fromMs / dayMs);
  return Array.from({ length: Math.ceil(toMs / dayMs) - first }, (_, at) =>
    new Date((first + at) * dayMs).toISOString().slice(0, 10),
  );
}

export function readGroup(group: string | undefined): Read<Usage.UsageGroup> {
  const value = Usage.groups.find((one) => one === (group ?? 'service'));
  if (value !== undefined) return { kind: 'read', value };
  return {
    kind: 'faults',
    faults: [{ field: 'group', message: `Must be one of ${Usage.groups.join(', ')}` }],
  };
}

/** Returns the sums of an account's usage, exactly as recorded in the ledger. */
export async function sums(
  shop: Pick<LedgerContext, 'usage'>,
  account: string,
  { fromMs, toMs }: UsagePeriod,
  group: Usage.UsageGroup,
  selection: Usage.UsageSelection = Usage.allCalls,
): Promise<Record<string, unknown>> {
  const found = await shop.usage.sums(account, fromMs, toMs, group, selection);
  return {
    success: true,
    from: new Date(fromMs).toISOString(),
    to: new Date(toMs).toISOString(),
    group,
    usage: found.map(({ name, calls, units, included, cost, quantities }) => ({
      [group]: name,
      calls,
      units,
      included_units: included,
      cost_usd: Money.formatExact(cost),
      ...(quantities && { quantities }),
    })),
  };
}

/** Reads the `cursor` of the previous page: its last call. */
export function readCursor(cursor: string | undefined): Read<string | null> {
  if (cursor === undefined) return { kind: 'read', value: null };
  const value = callIdPattern.exec(cursor)?.[1];
  if (value !== undefined) return { kind: 'read', value };
  return {
    kind: 'faults',
    faults: [{ field: 'cursor', message: 'Must be the `cursor` of the previous page' }],
  };
}

/** Lists the calls of an account, the newest first, one page at a time. */
export async function calls(
  shop: Pick<LedgerContext, 'usage'>,
  account: string,
  { fromMs, toMs }: UsagePeriod,
  before: string | null,
  selection: Usage.UsageSelection = Usage.allCalls,
): Promise<Record<string, unknown>> {
  const found = await shop.usage.calls(account, fromMs, toMs, before, pageMax + 1, selection);
  const page = found.slice(0, pageMax).map(asCall);
  return { success: true, calls: page, cursor: found.length > pageMax ? page.at(-1)?.call : null };
}

/** Returns one call of an account; null if it has no such call. A call is recorded when it is charged. */
export async function call(
  shop: Pick<LedgerContext, 'usage'>,
  account: string,
  id: string,
): Promise<Record<string, unknown> | null> {
  const callId = callIdPattern.exec(id)?.[1];
  const found = callId === undefined ? null : await shop.usage.call(account, callId);
  return found && { success: true, ...asCall(found) };
}

/** A metered call has a model and quantities, and no units. */
function asCall(call: Usage.RecordedCall) {
  return {
    call: `call_${call.callId}`,
    at: new Date(call.atMs).toISOString(),
    service: call.service,
    operation: call.operation,
    status: call.status,
    plans: call.plans,
    key: call.key,
    units: call.units,
    included_units: call.included,
    cost_usd: Money.formatExact(call.cost),
    given_back: call.isReturned,
    ...(call.model !== null && { model: call.model }),
    ...(call.quantities && { quantities: call.quantities }),
  };
}

/** Reads the calls of an account in a period for an export, the newest first, up to the page that reaches `exportCallsMax`. */
export async function recentCalls(
  { usage }: Pick<LedgerContext, 'usage'>,
  account: string,
  { fromMs, toMs }: UsagePeriod,
  selection: Usage.UsageSelection = Usage.allCalls,
): Promise<Usage.RecordedCall[]> {
  const calls: Usage.RecordedCall[] = [];
  while (calls.length < exportCallsMax) {
    const before = calls.at(-1)?.callId ?? null;
    const found = await usage.calls(account, fromMs, toMs, before, exportPageCalls, selection);
    calls.push(...found);
    if (found.length < exportPageCalls) break;
  }
  return calls;
}
