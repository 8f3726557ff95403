import { describe, expect, it } from 'vitest';
import * as Period from '../src/objects/period.ts';

const second = (...parts: [number, number, number, number?]) => Date.UTC(...parts) / 1_000;

describe('a period', () => {
  it.each([1, 28, 29, 30, 31])(
    'of a month ends on day %i, or on the last day there is, and none is left out',
    (day) => {
      const anchor = second(2027, 0, day, 17);
      const recurring = { interval: 'month', interval_count: 1 } as const;
      let start = anchor;
      for (let month = 1; month <= 60; month += 1) {
        const { end } = Period.beginningAt(start, anchor, recurring);
        const last = new Date(Date.UTC(2027, month + 1, 0)).getUTCDate();
        expect(end).toBe(second(2027, month, Math.min(day, last), 17));
        start = end;
      }
    },
  );

  it.each([
    ['day', 3, second(2027, 0, 4)],
    ['week', 2, second(2027, 0, 15)],
    ['month', 3, second(2027, 3, 1)],
    ['year', 1, second(2028, 0, 1)],
  ] as const)('of %s has its length times %i', (interval, interval_count, end) => {
    const start = second(2027, 0, 1);
    expect(Period.beginningAt(start, start, { interval, interval_count })).toEqual({ start, end });
  });

  it('of a year from a leap day ends on the last of February', () => {
    const anchor = second(2028, 1, 29);
    const { end } = Period.beginningAt(anchor, anchor, { interval: 'year', interval_count: 1 });
    expect(end).toBe(second(2029, 1, 28));
  });

  it('that is half over is worth half, to the second', () => {
    const whole = { start: 0, end: 1_000 };
    expect([0, 250, 999, 1_000, 2_000].map((now) => Period.remainder(10_000, whole, now))).toEqual([
      10_000, 7_500, 10, 0, 0,
    ]);
  });
});
