import { id } from '@sluice/kernel/id';
import type { Stripe } from 'stripe';
import type { RequestContext } from '../request-context.ts';
import * as Store from '../store.ts';
import * as Event from './event.ts';
import type { Stored } from './stored.ts';

/** A separate clock for the subscriptions and invoices of some customers; it advances on request only. */
export type TestClock = Stored<Stripe.TestHelpers.TestClock>;

export const testClocks = Store.table<TestClock>('test_clocks');

const lifeSeconds = 30 * 86_400;

export function create(
  ctx: RequestContext,
  draft: { frozen_time: number; name?: string | undefined },
): TestClock {
  const clock = Store.put(ctx.store, testClocks, {
    id: id('clock'),
    object: 'test_helpers.test_clock',
    created: ctx.now,
    deletes_after: ctx.now + lifeSeconds,
    frozen_time: draft.frozen_time,
    livemode: false,
    name: draft.name ?? null,
    status: 'ready',
    status_details: {},
  });
  Event.record(ctx, 'test_helpers.test_clock.created', clock);
  return clock;
}

/** Returns the context at the time of this clock; null is the sandbox's own clock. */
export function at(ctx: RequestContext, clockId: string | null): RequestContext {
  const clock = clockId === null ? undefined : Store.get(ctx.store, testClocks, clockId);
  return clock === undefined ? ctx : { ...ctx, now: clock.frozen_time };
}
