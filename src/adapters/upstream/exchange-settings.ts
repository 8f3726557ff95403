import type { BufferBudget } from '../../proxy/buffer-budget.ts';
import type { Guard } from '../../proxy/headers.ts';
import type { KeySearch } from '../../proxy/key-search.ts';

/** Settings that all exchanges with one upstream share. */
export type ExchangeSettings = {
  /** The time limit for a whole response; for a streamed one, until its header section. */
  timeoutMs: number;
  /** The time limit between any two steps of a streamed body. */
  idleMs: number;
  responseBytesMax: number;
  /** The budget that all buffered responses share. */
  held: BufferBudget;
  /** Unmetered responses up to this length are buffered too, so that they are sent in one write with their header section. */
  oneWriteBytesMax: number;
  /** True when a connection may carry several requests, one after another. */
  reuses: boolean;
  guard: Guard;
  /** Null when there is no key. */
  keySearch: KeySearch | null;
  /** Takes an event of the log. */
  report: (event: string, detail: Readonly<Record<string, unknown>>) => void;
};
