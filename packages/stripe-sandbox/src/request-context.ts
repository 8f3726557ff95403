import type { Store } from './store.ts';

/** The store, time and cause of one operation, which an API call, a page or the clock starts. */
export type RequestContext = {
  store: Store;
  /** Whole seconds since the epoch, as in every timestamp of the API. */
  now: number;
  publicUrl: string;
  /** The name of the business on the card pages; null shows the shop's host. */
  businessName: string | null;
  /** The cause that events name; its members are null when no API request is the cause. */
  request: { id: string | null; idempotency_key: string | null };
};
