import type { Measured } from './hold.ts';

/** The prices of a job that is counted by meters, as they were when it was started. Numbers that may be large are decimal text. */
export type JobPrices = {
  /** The value that chose the prices; null for a service with only one price. */
  key: string | null;
  meters: readonly string[];
  rates: readonly string[];
  max: readonly number[];
  /** The quantities that its request determined; -1 for all others. */
  counted: readonly number[];
  /** In micro-dollars. */
  worst: number;
};

/** A job of the upstream that was started by a call. */
export type StartedJob = {
  callId: string;
  account: string;
  /** Id of the operation that started it. */
  operation: string;
  /** Its id at the upstream. */
  id: string;
  /** Time after which it is settled even if it has not ended. */
  hours: number;
  /** Null when it is counted by one pointer. */
  prices: JobPrices | null;
};

/** A job whose end is to be looked for. `isOverdue`: its time ended a day ago. */
export type DueJob = Omit<StartedJob, 'hours'> & { isExpired: boolean; isOverdue: boolean };

/**
 * `ended`, `released`: it is settled now. `repeated`: that was done before. `void`: the call that started it was never charged or never delivered, so nothing is due. `waits`: that
 * call is not yet known to be delivered.
 */
export type JobSettlement = 'ended' | 'released' | 'repeated' | 'void' | 'waits';

/** The jobs that are not settled. Every method rejects when the database is unavailable. */
export interface Jobs {
  /** Records a job durably, before the call that started it is charged. `taken`: another open job has its id. */
  open(job: StartedJob): Promise<'open' | 'taken'>;
  /** Returns jobs that are due, and postpones them: each to one process only. */
  due(max: number): Promise<DueJob[]>;
  /** Returns the open jobs of an account with one of these ids. @param operations the ids of all operations that start jobs */
  named(account: string, operations: readonly string[], ids: readonly string[]): Promise<DueJob[]>;
  /**
   * Settles a job once: returns the charge of its call, and books `units` as the call `endCallId`. Safe to repeat.
   * @param units the cost of the job, at most what was charged
   * @param measured what its end was counted by, if it has meters
   */
  end(
    callId: string,
    endCallId: string,
    units: number,
    state: 'ended' | 'released',
    measured?: Measured,
  ): Promise<JobSettlement>;
}
