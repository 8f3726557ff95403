import type { Step } from '../filters/cascade.ts';
import type { PersonRecord } from '../records/person.ts';

/** A search of the live source: people who work at a company now and match one step of a cascade. */
export type Question = {
  /** Canonical network URL of the company. */
  companyUrl: string;
  step: Step;
  /** Maximum number of profiles. */
  limit: number;
};

/** Context of a call of the data API. `signal` is aborted at its deadline. */
export type Context = { requestId: string; signal: AbortSignal };

/**
 * A source of profiles as they are now. It may know people and companies that the data set lacks. Throws `Unavailable`.
 * Profiles that do not match the question are possible; the caller checks them.
 */
export type LiveSource = {
  /** Maximum time of all questions of one call. */
  deadlineMs: number;
  find(question: Question, context: Context): Promise<readonly PersonRecord[]>;
};

/**
 * `slow`: no response before the deadline. `busy`: too many searches wait for a connection. `failed`: no usable response.
 * `refused`: the source rejected our key. `invalid`: none of the profiles is valid.
 */
export type Reason = 'slow' | 'busy' | 'failed' | 'refused' | 'invalid';

/** The source could not answer. Nothing is known about the people asked for. */
export class Unavailable extends Error {
  readonly reason: Reason;
  constructor(reason: Reason, message: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }
}

/** Rejects with `Unavailable` when the signal is aborted before `work` is settled. */
export function beforeDeadline<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const late = () => reject(new Unavailable('slow', 'no response from the live source before the deadline'));
  if (signal.aborted) late();
  signal.addEventListener('abort', late, { once: true });
  return Promise.race([work, promise]).finally(() => signal.removeEventListener('abort', late));
}
