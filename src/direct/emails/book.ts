import type { Standing } from './standing.ts';

/** An address that is ours to test, until `untilMs`. */
export type Claimed = { email: string; domain: string; claim: string; untilMs: number; before: Standing };
/** What is to be kept of one, under its claim. */
export type Tested = { email: string; claim: string; standing: Standing };

/** All addresses of the live data and what is known of them. */
export type Book = {
  /** Takes up what another load has brought, and lets go of what it took away. Does nothing where nothing is new. */
  sync(nowMs: number): Promise<void>;
  /** At most `count` addresses that are due, those first that callers are told; nobody else gets them until `untilMs`. */
  claim(count: number, nowMs: number, untilMs: number): Promise<Claimed[]>;
  /** Keeps what was found, but for claims that have passed on to somebody else; gives how many those were. */
  keep(tested: readonly Tested[]): Promise<number>;
};
