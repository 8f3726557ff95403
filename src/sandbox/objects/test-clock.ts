import type { Stripe } from 'stripe';
import { id } from '../../kernel/id.ts';
import type { Act } from '../act.ts';
import * as Store from '../store.ts';
import * as Event from './event.ts';
import type { Stored } from './stored.ts';

/** A time of their own for some customers' subscriptions and invoices; it stands still until it is advanced. */
export type TestClock = Stored<Stripe.TestHelpers.TestClock>;

export const testClocks = Store.table<TestClock>('test_clocks');

const lifeSeconds = 30 * 86_400;

export function create(act: Act, draft: { frozen_time: number; name?: string | undefined }): TestClock {
  const clock = Store.put(act.store, testClocks, {
    id: id('clock'),
    object: 'test_helpers.test_clock',
    created: act.now,
    deletes_after: act.now + lifeSeconds,
    frozen_time: draft.frozen_time,
    livemode: false,
    name: draft.name ?? null,
    status: 'ready',
    status_details: {},
  });
  Event.record(act, 'test_helpers.test_clock.created', clock);
  return clock;
}

/** The act as it is at the time of this clock; null is the sandbox's own time. */
export function at(act: Act, clockId: string | null): Act {
  const clock = clockId === null ? undefined : Store.get(act.store, testClocks, clockId);
  return clock === undefined ? act : { ...act, now: clock.frozen_time };
}
