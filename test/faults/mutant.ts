import type { Aim } from './faults.ts';

/** A safeguard that is removed, from a database function or from a file under src. */
export type Mutant = {
  what: string;
  in: { function: string } | { file: string };
  from: string;
  to: string;
  /** The faults that it protected against. */
  aims: readonly Aim[];
  /** The share of streams among the calls of its run, when not the usual one. */
  streamShare?: number;
  /** The share of jobs among the other calls, when not the usual one. */
  jobShare?: number;
};
