import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as Schedule from '../../src/emails/schedule.ts';
import * as VerificationStatus from '../../src/emails/verification-status.ts';
import { freshDaysMax } from '../../src/enrichment/contacts.ts';

const dayMs = 86_400_000;
const startMs = Date.UTC(2026, 4, 14, 9, 30);
const told = (state: VerificationStatus.State): VerificationStatus.Result => ({
  kind: 'conclusive',
  state,
  reason: 'x',
});
const later: VerificationStatus.Result = { kind: 'later', trouble: 'greylisted' };

describe('the schedule', () => {
  it('comes to every address between two and 26 days after its last test, and in its own place from then on', () => {
    fc.assert(
      fc.property(
        fc.emailAddress(),
        fc.integer({ min: 0, max: 4e12 }),
        fc.nat(6 * 3_600_000),
        (email, testedAtMs, lateMs) => {
          const first = Schedule.next(email, testedAtMs);
          expect(first - testedAtMs).toBeGreaterThan(2 * dayMs);
          expect(first - testedAtMs).toBeLessThanOrEqual(26 * dayMs);
          expect(Schedule.next(email, first + lateMs) - first).toBe(24 * dayMs);
        },
      ),
    );
  });

  it('brings the addresses of a domain that share a day together', () => {
    const moments = Array.from({ length: 1_000 }, (_, at) => Schedule.next(`p${at}@acme.test`, startMs));
    expect(new Set(moments).size).toBe(24);
  });

  it('leaves time for every retry before the thirty days end', () => {
    const slowest = {
      ...VerificationStatus.first('a@x.test', startMs, startMs),
      dueAtMs: startMs + 26 * dayMs,
    };
    let status: VerificationStatus.VerificationStatus = slowest;
    let nowMs = slowest.dueAtMs;
    for (let tries = 1; ; tries++) {
      expect(nowMs - startMs).toBeLessThan((freshDaysMax - 2) * dayMs);
      status = VerificationStatus.after(status, 'a@x.test', later, nowMs);
      if (status.state === 'unknown') {
        expect(tries).toBe(7);
        break;
      }
      expect(status).toMatchObject({ state: 'verified', verifiedAtMs: startMs, attempts: tries });
      nowMs = status.dueAtMs;
    }
    expect(status).toMatchObject({ reason: 'greylisted', testedAtMs: nowMs, attempts: 0 });
  });
});

describe('what is known of an address', () => {
  it('is taken from whoever brought it, unless that is still to come', () => {
    expect(VerificationStatus.first('a@x.test', startMs - dayMs, startMs)).toMatchObject({
      state: 'verified',
      verifiedAtMs: startMs - dayMs,
    });
    for (const verifiedAtMs of [null, startMs + 1])
      expect(VerificationStatus.first('a@x.test', verifiedAtMs, startMs)).toMatchObject({
        state: 'unknown',
        reason: 'untested',
        testedAtMs: null,
        verifiedAtMs: null,
        dueAtMs: startMs,
      });
  });

  it('changes with every test that comes to an end, and says since when', () => {
    const first = VerificationStatus.first('a@x.test', null, startMs);
    const verified = VerificationStatus.after(first, 'a@x.test', told('verified'), startMs + 1);
    expect(verified).toMatchObject({
      state: 'verified',
      changedAtMs: startMs + 1,
      verifiedAtMs: startMs + 1,
    });
    const again = VerificationStatus.after(verified, 'a@x.test', told('verified'), startMs + 2);
    expect(again).toMatchObject({
      changedAtMs: startMs + 1,
      testedAtMs: startMs + 2,
      verifiedAtMs: startMs + 2,
    });
    for (const state of ['invalid', 'catch_all', 'unknown'] as const)
      expect(VerificationStatus.after(again, 'a@x.test', told(state), startMs + 3)).toMatchObject({
        state,
        changedAtMs: startMs + 3,
        testedAtMs: startMs + 3,
        verifiedAtMs: startMs + 2,
      });
  });
});
