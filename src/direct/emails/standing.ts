import type { Outcome } from './conversation.ts';
import * as Schedule from './schedule.ts';

/** What is known of an address. */
export type State = 'verified' | 'invalid' | 'catch_all' | 'unknown';
export const states: readonly State[] = ['verified', 'invalid', 'catch_all', 'unknown'];

export type Standing = {
  state: State;
  reason: string;
  /** Since when it has been in this state. */
  changedAtMs: number;
  /** The last test that came to an end; null before the first. */
  testedAtMs: number | null;
  verifiedAtMs: number | null;
  /** Tries since then that came to nothing, and what the last of them came to. */
  attempts: number;
  trouble: string | null;
  dueAtMs: number;
};

/** What one test of an address came to: a state, or nothing yet. */
export type Result = { kind: 'told'; state: State; reason: string } | { kind: 'later'; trouble: string };

/** An address that nobody has tested, or that `verifiedAtMs` is said of by whoever brought it. */
export function first(email: string, verifiedAtMs: number | null, nowMs: number): Standing {
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
 * What is known after a test. One that came to nothing leaves the state as it is while there are tries left, since a
 * server that is away for a day takes nothing back; after the last one nothing is known any more.
 */
export function after(before: Standing, email: string, result: Result, nowMs: number): Standing {
  if (result.kind === 'later') {
    const { trouble } = result;
    const attempts = before.attempts + 1;
    const dueAtMs = Schedule.retry(attempts, nowMs);
    if (dueAtMs !== null) return { ...before, attempts, trouble, dueAtMs };
    return after(before, email, { kind: 'told', state: 'unknown', reason: trouble }, nowMs);
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

/** What a conversation says of an address. Accepted counts only where the same server refused one that nobody has. */
export function resultOf(email: string, { meanings, decoy, trouble }: Outcome): Result {
  const meaning = meanings.get(email);
  switch (meaning?.kind) {
    case undefined:
      return { kind: 'later', trouble: trouble ?? 'closed' };
    case 'untold':
      return { kind: 'later', trouble: meaning.reason };
    case 'refused':
      return { kind: 'told', state: 'invalid', reason: meaning.reason };
    case 'accepted':
      break;
  }
  switch (decoy?.kind) {
    case 'refused':
      return { kind: 'told', state: 'verified', reason: 'accepted' };
    case 'accepted':
      return { kind: 'told', state: 'catch_all', reason: 'accepts_everybody' };
    case 'untold':
      return { kind: 'later', trouble: decoy.reason };
    case undefined:
      return { kind: 'later', trouble: trouble ?? 'closed' };
  }
}
