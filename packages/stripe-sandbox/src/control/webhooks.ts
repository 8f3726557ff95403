import type { Hono } from 'hono';
import { z } from 'zod';
import type { Env } from '../api.ts';
import { events } from '../objects/event.ts';
import * as WebhookEndpoint from '../objects/webhook-endpoint.ts';
import { missing } from '../protocol/refusal.ts';
import { begin, type Sandbox } from '../sandbox.ts';
import * as Store from '../store.ts';
import { deliveryOrder } from '../webhooks/delivery-order.ts';
import { nothing, type Obey } from './order.ts';

type Delivery = WebhookEndpoint.Delivery;

const copiesMax = 10;
const deliveriesShownMax = 500;
const eventsMax = 200;

/** Routes that control when, in which order and how often events are delivered. */
export function webhookOrders(app: Hono<Env>, obey: Obey, sandbox: Sandbox): void {
  const { store, dispatcher } = sandbox;
  const waiting = (): Delivery[] => Store.all(store, WebhookEndpoint.outbox);
  const of = (event: string): Delivery[] => waiting().filter((delivery) => delivery.event === event);

  app.get('/webhooks/deliveries', (c) => {
    const rows = [...Store.all(store, WebhookEndpoint.delivered), ...waiting()];
    return c.json(listed(rows.slice(-deliveriesShownMax)));
  });
  obey('/webhooks/pause', nothing, () => {
    dispatcher.pause();
    return { paused: true };
  });
  obey('/webhooks/resume', nothing, async () => {
    await dispatcher.resume();
    return { paused: false };
  });
  obey('/webhooks/deliver-in-reverse', nothing, async () =>
    listed(await dispatcher.deliverInOrder(waiting().reverse())),
  );
  obey('/webhooks/deliver-shuffled', z.strictObject({ seed: z.int() }), async ({ seed }) =>
    listed(await dispatcher.deliverInOrder(deliveryOrder(waiting(), seed))),
  );
  const order = z.strictObject({ events: z.array(z.string()).min(1).max(eventsMax) });
  obey('/webhooks/deliver', order, async ({ events: wanted }) => {
    const absent = wanted.find((event) => of(event).length === 0);
    if (absent !== undefined) return missing('waiting event', absent);
    return listed(await dispatcher.deliverInOrder(wanted.flatMap(of)));
  });
  obey('/webhooks/drop', z.strictObject({ event: z.string() }), ({ event }) => {
    const dropped = dispatcher.drop(of(event));
    return dropped.length === 0 ? missing('waiting event', event) : listed(dropped);
  });
  obey('/webhooks/redeliver', z.strictObject({ event: z.string() }), async ({ event: eventId }) => {
    const event = Store.get(store, events, eventId);
    if (event === undefined) return missing('event', eventId);
    const ctx = begin(sandbox);
    const again = WebhookEndpoint.interestedIn(ctx, event.type).map((endpoint) =>
      WebhookEndpoint.notify(ctx, endpoint, event.id),
    );
    Store.commit(store);
    return listed(await dispatcher.deliver(again));
  });
  obey('/webhooks/duplicate', z.strictObject({ copies: z.int().min(0).max(copiesMax) }), ({ copies }) => {
    dispatcher.duplicate(copies);
    return { copies };
  });

  function listed(deliveries: readonly Delivery[]): object {
    return {
      deliveries: deliveries.map((delivery) => ({
        ...delivery,
        type: Store.get(store, events, delivery.event)?.type ?? null,
      })),
    };
  }
}
