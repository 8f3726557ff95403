import * as Money from '../kernel/money.ts';
import * as Usage from '../ledger/usage.ts';
import type { Shop } from './shop.ts';

const dayMs = 24 * 60 * 60 * 1000;
/** The longest time that is looked through, and what is where nothing is said. */
const daysMax = 92;
const daysDefault = 30;
const pageMax = 50;
const callId = /^call_([\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-[\da-f]{4}-[\da-f]{12})$/;

export type Fault = { field: string; message: string };
type Read<T> = { kind: 'read'; value: T } | { kind: 'faults'; faults: Fault[] };

export type Span = { fromMs: number; toMs: number };

/** Reads `from` and `to`: moments (RFC 3339) or days (UTC; a `to` that is a day is in it). Up to now, and thirty days long, where nothing is said. */
export function readSpan(from: string | undefined, to: string | undefined, nowMs: number): Read<Span> {
  const faults: Fault[] = [];
  const read = (field: string, text: string | undefined, atDay: number): number | null => {
    if (text === undefined) return null;
    const isDay = /^\d{4}-\d\d-\d\d$/.test(text);
    const isTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)$/i.test(text);
    const ms = isDay || isTime ? Date.parse(text) + (isDay ? atDay : 0) : Number.NaN;
    if (ms >= 0) return ms;
    faults.push({ field, message: 'Must be a day or a moment, such as 2030-01-31 or 2030-01-31T12:00:00Z' });
    return null;
  };
  const toMs = read('to', to, dayMs) ?? nowMs + 1;
  const fromMs = read('from', from, 0) ?? toMs - daysDefault * dayMs;
  if (faults.length === 0 && fromMs >= toMs) faults.push({ field: 'from', message: 'Must be before `to`' });
  if (faults.length === 0 && toMs - fromMs > daysMax * dayMs)
    faults.push({ field: 'from', message: `Must be at most ${daysMax} days before \`to\`` });
  return faults.length > 0 ? { kind: 'faults', faults } : { kind: 'read', value: { fromMs, toMs } };
}

export function readGroup(group: string | undefined): Read<Usage.Group> {
  const value = Usage.groups.find((one) => one === (group ?? 'service'));
  if (value !== undefined) return { kind: 'read', value };
  return {
    kind: 'faults',
    faults: [{ field: 'group', message: `Must be one of ${Usage.groups.join(', ')}` }],
  };
}

/** What an account used, in sums, exactly as it is on the books. */
export async function sums(
  shop: Shop,
  account: string,
  { fromMs, toMs }: Span,
  group: Usage.Group,
): Promise<Record<string, unknown>> {
  const found = await shop.usage.sums(account, fromMs, toMs, group);
  return {
    success: true,
    from: new Date(fromMs).toISOString(),
    to: new Date(toMs).toISOString(),
    group,
    usage: found.map(({ name, calls, units, included, cost }) => ({
      [group]: name,
      calls,
      units,
      included_units: included,
      cost_usd: Money.formatExact(cost),
    })),
  };
}

/** The last call of the page before, as it was given. */
export function readCursor(cursor: string | undefined): Read<string | null> {
  if (cursor === undefined) return { kind: 'read', value: null };
  const value = callId.exec(cursor)?.[1];
  if (value !== undefined) return { kind: 'read', value };
  return {
    kind: 'faults',
    faults: [{ field: 'cursor', message: 'Must be the `cursor` of the page before' }],
  };
}

/** The calls of an account, the newest first, a page at a time. */
export async function calls(
  shop: Shop,
  account: string,
  { fromMs, toMs }: Span,
  before: string | null,
): Promise<Record<string, unknown>> {
  const found = await shop.usage.calls(account, fromMs, toMs, before, pageMax + 1);
  const page = found.slice(0, pageMax).map((call) => ({
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
  }));
  return { success: true, calls: page, cursor: found.length > pageMax ? page.at(-1)?.call : null };
}
