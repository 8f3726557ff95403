/**
 * `records_remaining` of a key without a limit: the largest integer that every JSON parser reads exactly. It never decreases,
 * so callers who compare it with the size of a run need no special case.
 */
export const unlimitedRecords = Number.MAX_SAFE_INTEGER;
export const unlimitedNote = `Remaining records; a very large number (${unlimitedRecords}) if they are unlimited.`;

/** Remaining records of a key and the time of their renewal; both null if unlimited. */
export type Balance = { recordsRemaining: number | null; nextResetAtMs: number | null };

type Renewable = Balance & { recordsAllowance: number | null; startedAtMs: number };

/**
 * Time of the first monthly renewal after `nowMs`: the day and time of `startedAtMs`, in UTC. Months without that day
 * use their last day; later months use the original day again.
 */
export function nextReset(startedAtMs: number, nowMs: number): number {
  const [from, to] = [new Date(startedAtMs), new Date(nowMs)];
  const months = (to.getUTCFullYear() - from.getUTCFullYear()) * 12 + to.getUTCMonth() - from.getUTCMonth();
  const candidate = monthsAfter(from, Math.max(months, 1));
  return candidate > nowMs ? candidate : monthsAfter(from, months + 1);
}

/** Balance at `nowMs`: the full allowance after the end of the period, even if the renewal is not stored yet. */
export function balance(key: Renewable, nowMs: number): Balance {
  if (key.nextResetAtMs === null || nowMs < key.nextResetAtMs) return key;
  return { recordsRemaining: key.recordsAllowance, nextResetAtMs: nextReset(key.startedAtMs, nowMs) };
}

/** Formats a balance for responses. */
export function shown({ recordsRemaining, nextResetAtMs }: Balance) {
  return {
    records_remaining: recordsRemaining ?? unlimitedRecords,
    next_reset_at: nextResetAtMs === null ? null : new Date(nextResetAtMs).toISOString(),
  };
}

function monthsAfter(from: Date, months: number): number {
  const [year, month] = [from.getUTCFullYear(), from.getUTCMonth() + months];
  const lastDay = new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
  const date = new Date(from);
  date.setUTCFullYear(year, month, Math.min(from.getUTCDate(), lastDay));
  return date.getTime();
}
