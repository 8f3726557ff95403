/** Usage of a key on a day (UTC). */
export type UsageDay = { dayMs: number; calls: number; records: number };

/** Reports the usage of keys. */
export type UsageReport = {
  /** The days from `fromMs` on that have calls, in order. */
  days(keyId: string, fromMs: number): Promise<UsageDay[]>;
};

const dayMs = 86_400_000;

/** The last `count` days up to `nowMs`, in order, those without calls included. */
export function filled(found: readonly UsageDay[], count: number, nowMs: number): UsageDay[] {
  const today = nowMs - (nowMs % dayMs);
  return Array.from({ length: count }, (_, at) => {
    const day = today - (count - 1 - at) * dayMs;
    return found.find((each) => each.dayMs === day) ?? { dayMs: day, calls: 0, records: 0 };
  });
}
