import { type Context, Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { z } from 'zod';
import type { Env } from './api.ts';
import { events } from './objects/event.ts';
import * as WebhookEndpoint from './objects/webhook-endpoint.ts';
import * as Fault from './protocol/fault.ts';
import type { Route } from './protocol/route.ts';
import { begin, type Sandbox } from './sandbox.ts';
import * as Store from './store.ts';

const bodyBytesMax = 16_384;
const copiesMax = 10;
const deliveriesShownMax = 500;

/**
 * What a test or a demonstration does to the sandbox: `POST` with a JSON body. Only JSON is taken, so that no page
 * that a browser has open can send it from another site.
 */
export function control(sandbox: Sandbox, routes: readonly Route[]): Hono<Env> {
  const { store, courier, faults } = sandbox;
  const app = new Hono<Env>();
  app.use(bodyLimit({ maxSize: bodyBytesMax }));
  app.use(async (c, next) => {
    const isJson = c.req.header('content-type')?.startsWith('application/json') ?? false;
    if (c.req.method !== 'GET' && !isJson) return c.json({ message: 'The body is application/json.' }, 415);
    return next();
  });

  const faultOrder = Fault.orderSchema(routes.map(({ method, path }) => `${method} ${path}`));
  app.get('/faults', (c) => c.json({ faults }));
  app.post('/faults', async (c) => {
    const fault = await read(c, faultOrder);
    if ('message' in fault) return c.json(fault, 400);
    Fault.order(faults, fault.body);
    return c.json({ faults });
  });
  app.delete('/faults', (c) => {
    faults.length = 0;
    return c.json({ faults });
  });

  app.get('/webhooks/deliveries', (c) => {
    const rows = [
      ...Store.all(store, WebhookEndpoint.delivered),
      ...Store.all(store, WebhookEndpoint.outbox),
    ];
    return c.json({ deliveries: rows.slice(-deliveriesShownMax).map(described) });
  });
  app.post('/webhooks/pause', (c) => {
    courier.pause();
    return c.json({ paused: true });
  });
  app.post('/webhooks/resume', async (c) => {
    await courier.resume();
    return c.json({ paused: false });
  });
  app.post('/webhooks/deliver-in-reverse', async (c) => {
    const done = await courier.deliverInReverse();
    return c.json({ deliveries: done.map(described) });
  });
  app.post('/webhooks/redeliver', async (c) => {
    const wanted = await read(c, z.strictObject({ event: z.string() }));
    if ('message' in wanted) return c.json(wanted, 400);
    const event = Store.get(store, events, wanted.body.event);
    if (event === undefined) return c.json({ message: `No such event: ${wanted.body.event}` }, 404);
    const act = begin(sandbox);
    const again = WebhookEndpoint.interestedIn(act, event.type).map((endpoint) =>
      WebhookEndpoint.notify(act, endpoint, event.id),
    );
    Store.commit(store);
    return c.json({ deliveries: (await courier.deliver(again)).map(described) });
  });
  app.post('/webhooks/duplicate', async (c) => {
    const wanted = await read(c, z.strictObject({ copies: z.int().min(0).max(copiesMax) }));
    if ('message' in wanted) return c.json(wanted, 400);
    courier.duplicate(wanted.body.copies);
    return c.json(wanted.body);
  });
  return app;

  function described(delivery: WebhookEndpoint.Delivery): object {
    return { ...delivery, type: Store.get(store, events, delivery.event)?.type ?? null };
  }
}

async function read<S extends z.ZodType>(
  c: Context<Env>,
  schema: S,
): Promise<{ body: z.infer<S> } | { message: string }> {
  const sent: unknown = await c.req.json().catch(() => undefined);
  const parsed = schema.safeParse(sent);
  return parsed.success ? { body: parsed.data } : { message: z.prettifyError(parsed.error) };
}
