import { Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { z } from 'zod';
import type { Env } from '../api.ts';
import * as Fault from '../protocol/fault.ts';
import type { Route } from '../protocol/route.ts';
import { begin, catchUp, finish, type Sandbox } from '../sandbox.ts';
import * as Time from '../time.ts';
import { moneyOrders } from './money.ts';
import { obeying } from './order.ts';
import { webhookOrders } from './webhooks.ts';

const bodyBytesMax = 16_384;

/** Time only moves on, and by ten years at most in one go. */
const clockOrder = z.strictObject({
  advance_seconds: z
    .int()
    .min(0)
    .max(10 * 366 * 86_400),
});

/**
 * Routes by which a test or a demonstration controls the sandbox: `POST` with a JSON body. Only JSON is accepted, so that a page of
 * another site cannot send a request from an open browser.
 */
export function control(sandbox: Sandbox, routes: readonly Route[]): Hono<Env> {
  const { store, faults } = sandbox;
  const app = new Hono<Env>();
  app.use(bodyLimit({ maxSize: bodyBytesMax }));
  app.use(async (c, next) => {
    const isJson = c.req.header('content-type')?.startsWith('application/json') ?? false;
    if (c.req.method !== 'GET' && !isJson) return c.json({ message: 'The body is application/json.' }, 415);
    return next();
  });
  const obey = obeying(app);

  app.get('/faults', (c) => c.json({ faults }));
  obey('/faults', Fault.orderSchema(routes.map(({ method, path }) => `${method} ${path}`)), (fault) => {
    Fault.order(faults, fault);
    return { faults };
  });
  app.delete('/faults', (c) => {
    faults.length = 0;
    return c.json({ faults });
  });

  app.get('/clock', (c) => c.json(clockShown()));
  obey('/clock', clockOrder, ({ advance_seconds }) => {
    Time.advance(store, advance_seconds);
    catchUp(sandbox);
    finish(sandbox);
    return clockShown();
  });

  moneyOrders(obey, sandbox);
  webhookOrders(app, obey, sandbox);
  return app;

  function clockShown(): object {
    return { now: begin(sandbox).now, ahead_seconds: Time.lead(store) };
  }
}
