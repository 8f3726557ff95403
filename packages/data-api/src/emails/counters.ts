import { type State, states } from './verification-status.ts';

/** Verification counters of this process since its start, for the metrics. */
export type EmailCounters = {
  /** Number of tested addresses by result. */
  tests: Record<State | 'later', number>;
  conversations: number;
  troubled: number;
  conversationMs: number;
  /** Number of addresses postponed because their operator had no free connection slot. */
  waits: number;
  /** Number of results discarded because another worker had claimed the address in the meantime. */
  late: number;
};

export function create(): EmailCounters {
  const tests = Object.fromEntries([...states, 'later'].map((state) => [state, 0])) as EmailCounters['tests'];
  return { tests, conversations: 0, troubled: 0, conversationMs: 0, waits: 0, late: 0 };
}
