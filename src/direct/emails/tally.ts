import { type State, states } from './standing.ts';

/** What this process has done since its start, for its metrics. */
export type Tally = {
  /** Tests of addresses, by what they came to. */
  tests: Record<State | 'later', number>;
  conversations: number;
  troubled: number;
  conversationMs: number;
  /** Times that an address had to wait, as its servers had all the connections that they may have. */
  waits: number;
  /** Results that came after somebody else had taken the address over. */
  late: number;
};

export function create(): Tally {
  const tests = Object.fromEntries([...states, 'later'].map((state) => [state, 0])) as Tally['tests'];
  return { tests, conversations: 0, troubled: 0, conversationMs: 0, waits: 0, late: 0 };
}
