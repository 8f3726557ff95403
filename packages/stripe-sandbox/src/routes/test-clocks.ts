import type { Stripe } from 'stripe';
import { z } from 'zod';
import { customers } from '../objects/customer.ts';
import * as Event from '../objects/event.ts';
import { subscriptions } from '../objects/subscription.ts';
import * as TestClock from '../objects/test-clock.ts';
import { type Known, text, timestamp } from '../protocol/params.ts';
import { listing, retrieval } from '../protocol/reading.ts';
import { invalid, missing, type Refusal } from '../protocol/refusal.ts';
import { type Route, route } from '../protocol/route.ts';
import type { RequestContext } from '../request-context.ts';
import * as ScheduledEvent from '../scheduled-event.ts';
import * as Store from '../store.ts';

const path = '/v1/test_helpers/test_clocks';
const gives = 'test_helpers.test_clock';

/** In one call, no more than this. */
const advanceSecondsMax = 2 * 366 * 86_400;

/** Moves the clock on, and lets happen, before the answer goes out, what falls due on the way. */
function advance(
  ctx: RequestContext,
  clock: TestClock.TestClock,
  frozen_time: number,
): TestClock.TestClock | Refusal {
  const param = 'frozen_time';
  if (frozen_time <= clock.frozen_time) return invalid('A test clock only moves forward.', { param });
  if (frozen_time > clock.frozen_time + advanceSecondsMax) {
    return invalid('A test clock moves two years at most in one step.', { param });
  }
  const advancing = { target_frozen_time: frozen_time };
  Event.record(ctx, 'test_helpers.test_clock.advancing', {
    ...clock,
    status: 'advancing',
    status_details: { advancing },
  });
  ScheduledEvent.happen(ctx, frozen_time, clock.id);
  const there = Store.put(ctx.store, TestClock.testClocks, { ...clock, frozen_time });
  Event.record(ctx, 'test_helpers.test_clock.ready', there);
  return there;
}

/** Takes the clock away, and the customers and subscriptions that live by it. */
function remove(ctx: RequestContext, clock: TestClock.TestClock): void {
  for (const { id, test_clock } of Store.all(ctx.store, customers)) {
    if (test_clock === clock.id) Store.remove(ctx.store, customers, id);
  }
  for (const { id, test_clock } of Store.all(ctx.store, subscriptions)) {
    if (test_clock === clock.id) Store.remove(ctx.store, subscriptions, id);
  }
  Store.remove(ctx.store, TestClock.testClocks, clock.id);
  Event.record(ctx, 'test_helpers.test_clock.deleted', clock);
}

export const testClocks: readonly Route[] = [
  route({
    method: 'POST',
    path,
    gives,
    params: z.strictObject({
      frozen_time: timestamp,
      name: text(300).optional(),
    } satisfies Known<Stripe.TestHelpers.TestClockCreateParams>),
    run: (ctx, params) => TestClock.create(ctx, params),
  }),
  listing({ path, gives, table: TestClock.testClocks, params: {} }),
  retrieval(path, gives, TestClock.testClocks),
  route({
    method: 'POST',
    path: `${path}/:id/advance`,
    gives,
    params: z.strictObject({
      frozen_time: timestamp,
    } satisfies Known<Stripe.TestHelpers.TestClockAdvanceParams>),
    run: (ctx, { frozen_time }, id) => {
      const clock = Store.get(ctx.store, TestClock.testClocks, id);
      return clock === undefined ? missing(gives, id) : advance(ctx, clock, frozen_time);
    },
  }),
  route({
    method: 'DELETE',
    path: `${path}/:id`,
    gives,
    params: z.strictObject({}),
    run: (ctx, _params, id) => {
      const clock = Store.get(ctx.store, TestClock.testClocks, id);
      if (clock === undefined) return missing(gives, id);
      remove(ctx, clock);
      return { id, object: gives, deleted: true };
    },
  }),
];
