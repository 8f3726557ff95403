import * as Schedule from './schedule.ts';
import type { Outcome } from './smtp-session.ts';

/** Verification state of an address. */
export type State = 'verified' | 'invalid' | 'catch_all' | 'unknown';
export const states: readonly State[] = ['verified', 'invalid', 'catch_all', 'unknown'];

export type VerificationStatus = {
  state: State;
  reason: string;
  /** Time of the last change of state. */
  changedAtMs: number;
  /** Time of the last conclusive test; null before the first. */
  testedAtMs: number | null;
  verifiedAtMs: number | null;
  /** Inconclusive attempts since then, and the reason of the last one. */
  attempts: number;
  trouble: string | null;
  dueAtMs: number;
};

/** Result of one test: a state, or the reason why another attempt is needed. */
export type Result =
  | { kind: 'conclusive'; state: State; reason: string }
  | { kind: 'later'; trouble: string };

/** Status of a newly imported address: verified if the data say when, otherwise unknown and due at once. */
export function first(email: string, verifiedAtMs: number | null, nowMs: number): VerificationStatus {
  const isKnown = verifiedAtMs !== null && verifiedAtMs <= nowMs;
  return {
    state: isKnown ? 'verified' : 'unknown',
    reason: isKnown ? 'imported' : 'untested',
    changedAtMs: isKnown ? verifiedAtMs : nowMs,
    testedAtMs: isKnown ? verifiedAtMs : null,
    verifiedAtMs: isKnown ? verifiedAtMs : null,
    attempts: 0,
    trouble: null,
    dueAtMs: isKnown ? Math.max(nowMs, Schedule.next(email, verifiedAtMs)) : nowMs,
  };
}

/**
 * Status after a test. An inconclusive test keeps the state while attempts are left: a server that is down for a day
 * does not invalidate its addresses. After the last attempt the state is `unknown`.
 */
export function after(
  before: VerificationStatus,
  email: string,
  result: Result,
  nowMs: number,
): VerificationStatus {
  if (result.kind === 'later') {
    const { trouble } = result;
    const attempts = before.attempts + 1;
    const dueAtMs = Schedule.retry(attempts, nowMs);
    if (dueAtMs !== null) return { ...before, attempts, trouble, dueAtMs };
    return after(before, email, { kind: 'conclusive', state: 'unknown', reason: trouble }, nowMs);
  }
  const { state, reason } = result;
  return {
    state,
    reason,
    changedAtMs: state === before.state ? before.changedAtMs : nowMs,
    testedAtMs: nowMs,
    verifiedAtMs: state === 'verified' ? nowMs : before.verifiedAtMs,
    attempts: 0,
    trouble: null,
    dueAtMs: Schedule.next(email, nowMs),
  };
}

/** Interprets a session for one address. Acceptance counts only if the same server rejected the decoy address. */
export function resultOf(email: string, { meanings, decoy, trouble }: Outcome): Result {
  const meaning = meanings.get(email);
  switch (meaning?.kind) {
    case undefined:
      return { kind: 'later', trouble: trouble ?? 'closed' };
    case 'inconclusive':
      return { kind: 'later', trouble: meaning.reason };
    case 'refused':
      return { kind: 'conclusive', state: 'invalid', reason: meaning.reason };
    case 'accepted':
      break;
  }
  switch (decoy?.kind) {
    case 'refused':
      return { kind: 'conclusive', state: 'verified', reason: 'accepted' };
    case 'accepted':
      return { kind: 'conclusive', state: 'catch_all', reason: 'accepts_everybody' };
    case 'inconclusive':
      return { kind: 'later', trouble: decoy.reason };
    case undefined:
      return { kind: 'later', trouble: trouble ?? 'closed' };
  }
}
