import { type Clock, seconds } from '@sluice/kernel/clock';
import * as Store from './store.ts';

/** The lead of the sandbox's clock over real time; it never decreases and survives a restart. */
type Lead = { id: 'lead'; seconds: number };

const leads = Store.table<Lead>('time');

/** Returns the time in the sandbox, in whole seconds since the epoch. */
export function now(store: Store.Store, clock: Clock): number {
  return seconds(clock()) + lead(store);
}

/** Moves the sandbox's time on. */
export function advance(store: Store.Store, bySeconds: number): void {
  Store.put(store, leads, { id: 'lead', seconds: lead(store) + bySeconds });
}

export function lead(store: Store.Store): number {
  return Store.get(store, leads, 'lead')?.seconds ?? 0;
}
