import { beforeEach, expect, test } from 'vitest';
import { WithheldCalls } from '../../src/proxy/withheld-calls.ts';

const max = 3;
let nowMs: number;
let calls: WithheldCalls;
beforeEach(() => {
  nowMs = 1_000_000;
  calls = new WithheldCalls(() => nowMs, max);
});

const withhold = (times: number) => {
  for (let at = 0; at < times; at++) {
    expect(calls.take('ada', 'GET /a')).toBe(0);
    calls.add('ada', 'GET /a');
  }
};

test('an account whose responses are withheld waits a minute after each one above the limit', () => {
  withhold(max);
  expect(calls.take('ada', 'GET /a')).toBe(60);
  nowMs += 59_001;
  expect(calls.take('ada', 'GET /a')).toBe(1);
  nowMs += 999;
  withhold(1);
  expect(calls.take('ada', 'GET /a')).toBe(60);
});

test('other accounts and operations do not wait', () => {
  withhold(max);
  expect([calls.take('bob', 'GET /a'), calls.take('ada', 'GET /b')]).toEqual([0, 0]);
});

test('one call at a time is let through, whatever number is sent at once', () => {
  withhold(max);
  nowMs += 60_000;
  const waits = Array.from({ length: 10 }, () => calls.take('ada', 'GET /a'));
  expect(waits).toEqual([0, ...Array(9).fill(60)]);
});

test('a buyer whose upstream works again calls without a pause', () => {
  withhold(max);
  // More of them were under way.
  for (let at = 0; at < 100; at++) calls.add('ada', 'GET /a');
  nowMs += 60_000;
  for (let at = 0; at < 2 * max; at++) {
    expect(calls.take('ada', 'GET /a')).toBe(0);
    calls.pay('ada', 'GET /a');
  }
  withhold(max);
});

test('above the limit, an account gets no more withheld responses than paid ones', () => {
  let withheld = 0;
  let paid = 0;
  for (let at = 0; at < 100; at++) {
    if (calls.take('ada', 'GET /a') > 0) continue;
    calls.add('ada', 'GET /a');
    withheld += 1;
    if (at % 10 === 0) {
      calls.pay('ada', 'GET /a');
      paid += 1;
    }
  }
  expect(withheld).toBeLessThanOrEqual(max + paid);
});

test('withheld responses are forgotten an hour after the last one', () => {
  withhold(max);
  nowMs += 60 * 60_000;
  withhold(max);
  expect(calls.take('ada', 'GET /a')).toBe(60);
});
