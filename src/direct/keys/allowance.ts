/** What is left of a key's records, and until when; both null where they are unlimited. */
export type Balance = { recordsRemaining: number | null; nextResetAtMs: number | null };

type Renewable = Balance & { recordsAllowance: number | null; startedAtMs: number };

/**
 * The first monthly return of `startedAtMs` after `nowMs`, in UTC and at the same time of day. A month that is too
 * short for the day takes its last one, and the next long month the day itself again.
 */
export function nextReset(startedAtMs: number, nowMs: number): number {
  const [from, to] = [new Date(startedAtMs), new Date(nowMs)];
  const months = (to.getUTCFullYear() - from.getUTCFullYear()) * 12 + to.getUTCMonth() - from.getUTCMonth();
  const candidate = monthsAfter(from, Math.max(months, 1));
  return candidate > nowMs ? candidate : monthsAfter(from, months + 1);
}

/** The balance as it stands at `nowMs`: whole again once its period is over, even if nobody has written that yet. */
export function balance(key: Renewable, nowMs: number): Balance {
  if (key.nextResetAtMs === null || nowMs < key.nextResetAtMs) return key;
  return { recordsRemaining: key.recordsAllowance, nextResetAtMs: nextReset(key.startedAtMs, nowMs) };
}

/** The balance as answers tell it. */
export function shown({ recordsRemaining, nextResetAtMs }: Balance) {
  return {
    records_remaining: recordsRemaining ?? ('unlimited' as const),
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
