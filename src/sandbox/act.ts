import type { Store } from './store.ts';

/** One thing being done, by an API call, a person on a page or the clock: where it writes, when, and for whom. */
export type Act = {
  store: Store;
  /** Whole seconds since the epoch, as in every timestamp of the API. */
  now: number;
  publicUrl: string;
  /** What the events of this act say about their cause; nulls where no API request is the cause. */
  request: { id: string | null; idempotency_key: string | null };
};
