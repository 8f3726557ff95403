import * as SearchCost from '../filters/search-cost.ts';
import type { FieldError } from '../schema/wording.ts';

/** Limits of searches with many terms, and the data set that answers them on connections of their own. */
export type LargeSearches<D> = {
  data: D;
  /** Searches with more terms are refused. */
  termsMax: number;
  slots: Slots;
  /** Returns true if PostgreSQL ended a statement because it took too long. */
  isTimeLimit(error: unknown): boolean;
};

/** Searches below this number of terms are not limited. */
const largeFrom = 40;
/** Number of large searches that run at the same time. The others wait, so that they leave the database to small searches. */
const runningMax = 2;
const waitingMax = 8;
const waitMsMax = 400;

/** A large search is refused while it runs. No records are used. */
export class SearchRefused extends Error {
  readonly reason: { kind: 'invalid'; faults: readonly FieldError[] } | { kind: 'busy' };

  constructor(reason: SearchRefused['reason']) {
    super(`search refused: ${reason.kind}`);
    this.reason = reason;
  }
}

/** Returns true if the limits apply to a search of this cost. */
export function isLarge({ terms }: SearchCost.SearchCost): boolean {
  return terms >= largeFrom;
}

/** Runs a large search in a slot. Throws `SearchRefused` if no slot becomes free in time, or if it takes too long. */
export async function run<T>(
  { slots, isTimeLimit }: LargeSearches<unknown>,
  cost: SearchCost.SearchCost,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await inSlot(slots, work);
  } catch (error) {
    if (!isTimeLimit(error)) throw error;
    throw new SearchRefused({ kind: 'invalid', faults: [SearchCost.tooSlow(cost)] });
  }
}

/** Slots of one process. */
export type Slots = { running: number; waiting: (() => void)[] };

export function createSlots(): Slots {
  return { running: 0, waiting: [] };
}

/** Runs `work` in a slot. Throws `SearchRefused` if none becomes free in time. */
export async function inSlot<T>(slots: Slots, work: () => Promise<T>): Promise<T> {
  if (slots.running < runningMax) slots.running++;
  else await freed(slots);
  try {
    return await work();
  } finally {
    // The next search takes over the slot.
    const next = slots.waiting.shift();
    if (next) next();
    else slots.running--;
  }
}

function freed(slots: Slots): Promise<void> {
  if (slots.waiting.length >= waitingMax) return Promise.reject(new SearchRefused({ kind: 'busy' }));
  return new Promise((resolve, reject) => {
    const next = () => {
      clearTimeout(timer);
      resolve();
    };
    const timer = setTimeout(() => {
      slots.waiting.splice(slots.waiting.indexOf(next), 1);
      reject(new SearchRefused({ kind: 'busy' }));
    }, waitMsMax);
    slots.waiting.push(next);
  });
}
