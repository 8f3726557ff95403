import { describe, expect, test } from 'vitest';
import { type UnpaidCallLimits, UnpaidCalls } from '../../src/proxy/unpaid-calls.ts';
import type { Sending } from '../../src/proxy/upstream.ts';

const limits: UnpaidCallLimits = { callsMax: 2, windowMs: 10_000, readsMax: 1, readMsMax: 60_000 };

function open(changed: Partial<UnpaidCallLimits> = {}) {
  const time = { nowMs: 1_000_000 };
  return { time, calls: new UnpaidCalls(() => time.nowMs, { ...limits, ...changed }) };
}

/** A call under way; `abandoned` counts how often it was aborted. */
function sending(): Sending & { abandoned: number } {
  const call = {
    abandoned: 0,
    response: new Promise<never>(() => {}),
    abandon() {
      call.abandoned += 1;
    },
  };
  return call;
}

/** Makes a call of `account` that is abandoned at once. */
function leave(calls: UnpaidCalls, account: string, isFree = false) {
  const call = sending();
  const watched = calls.watch(account, call, isFree);
  watched.abandon();
  return { call, watched };
}

describe('calls that are left', () => {
  test('are free as often as the window allows, and for each account by itself', () => {
    const { calls, time } = open();
    for (const account of ['ann', 'bob']) {
      for (let times = 0; times < 2; times++) {
        const { call, watched } = leave(calls, account);
        expect([watched.left, call.abandoned]).toEqual(['free', 1]);
        time.nowMs += 4_000;
      }
    }
    const { call, watched } = leave(calls, 'bob');
    expect([watched.left, call.abandoned, calls.reading]).toEqual(['charged', 0, 1]);
    watched.end();
    expect(calls.reading).toBe(0);
    // Ann's first call is more than a window ago now.
    expect([calls.isOver('ann'), calls.isOver('bob')]).toEqual([false, true]);
  });

  test('are charged from the first one on where none is free', () => {
    const { calls } = open({ callsMax: 0 });
    expect(calls.isOver('ann')).toBe(false);
    expect(leave(calls, 'ann').watched.left).toBe('charged');
    // A charged call is not unpaid.
    expect(calls.isOver('ann')).toBe(false);
  });

  test('count nothing where they cost nothing', () => {
    const { calls } = open();
    for (let times = 0; times < 5; times++) expect(leave(calls, 'ann', true).watched.left).toBe('free');
    expect(calls.isOver('ann')).toBe(false);
  });

  test('are left once, and not at all once they are over', () => {
    const { calls } = open();
    const { call, watched } = leave(calls, 'ann');
    watched.abandon();
    expect(call.abandoned).toBe(1);
    const over = sending();
    const ended = calls.watch('ann', over, false);
    ended.end();
    ended.abandon();
    expect([ended.left, over.abandoned, calls.isOver('ann')]).toEqual(['no', 1, false]);
  });

  test('bar the account for the rest of the window where no more can be read, and not in the next one', () => {
    const { calls, time } = open();
    for (let times = 0; times < 2; times++) {
      leave(calls, 'ann');
      leave(calls, 'bob');
    }
    const { watched } = leave(calls, 'ann');
    time.nowMs += 1_000;
    expect([leave(calls, 'bob').watched.left, calls.barredSeconds('bob')]).toEqual(['free', 9]);
    expect(calls.barredSeconds('ann')).toBe(0);
    watched.end();
    time.nowMs += 10_000;
    expect(calls.barredSeconds('bob')).toBe(0);
    for (let times = 0; times < 2; times++) leave(calls, 'bob');
    expect([calls.isOver('bob'), calls.barredSeconds('bob')]).toEqual([true, 0]);
  });

  test('are free while the process ends, which waits for those that it reads and then gives them up', async () => {
    const { calls } = open({ callsMax: 0 });
    const { call, watched } = leave(calls, 'ann');
    const drained = calls.drain(1);
    expect(leave(calls, 'bob').watched.left).toBe('free');
    expect(calls.isCharged('bob')).toBe(false);
    await expect.poll(() => call.abandoned).toBe(1);
    watched.end();
    await drained;
    await calls.drain(1);
  });
});
