import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import type * as Advisor from '@sluice/advisor/advisor';
import { Hono } from 'hono';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as GoalSet from '../../packages/advisor/test/goal-set.ts';
import { path } from '../../src/discovery/paths.ts';
import { guideRoutes } from '../../src/http/api/guide.ts';
import type { Env } from '../../src/http/request-context.ts';
import { openBudgets } from '../../src/http/server/body-budget.ts';
import * as RequestLog from '../../src/http/telemetry/request-log.ts';
import * as Quote from '../../src/journeys/quote.ts';
import { english } from '../../src/text/texts.ts';

let advisor: Advisor.Advisor;
let server: Server;
let url: string;

beforeAll(async () => {
  ({ advisor } = await GoalSet.advisor(GoalSet.shipped));
  const app = new Hono<Env>();
  app.use(async (c, next) => {
    const { incoming, outgoing } = c.env;
    c.set('texts', english);
    c.set('bodies', { budgets: openBudgets(16 * 1024 * 1024), clientAddressHeader: null });
    c.set(
      'entry',
      RequestLog.startEntry(
        incoming,
        outgoing as ServerResponse,
        () => 0,
        () => {},
      ),
    );
    await next();
  });
  app.route('/', guideRoutes(Quote.asking(advisor)));
  server = createServer(getRequestListener(app.fetch, { overrideGlobalObjects: false }));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}${path.guide}`;
});

afterAll(() => {
  server.close();
  server.closeAllConnections();
});

const post = (body: string, type = 'application/json') =>
  fetch(url, { method: 'POST', headers: { 'content-type': type }, body });

describe('the guide', () => {
  test('says the same to a query and to a body, for nothing', async () => {
    const goal = 'work emails of 20 CTOs in France';
    const [got, posted] = await Promise.all([
      fetch(`${url}?${new URLSearchParams({ goal })}`),
      post(JSON.stringify({ goal })),
    ]);
    expect([got.status, posted.status]).toEqual([200, 200]);
    const body = (await got.json()) as { guideUrl: string };
    expect(body).toEqual(await posted.json());
    expect(body).toMatchObject({
      success: true,
      priceUsd: '0',
      status: 'quoted',
      guide: expect.stringContaining('CTOs'),
    });
  });

  test('is found again at its own address', async () => {
    const goal = 'jobs for nurses & doctors, 10% remote?';
    const { guideUrl } = GoalSet.ask(advisor, { goal, quantity: 30, requirements: ['in Ireland'] });
    const again = await fetch(guideUrl.replace(/^https:\/\/shop\.example[^?]*/, url));
    expect(await again.json()).toMatchObject({ guideUrl, estimate: { units_high: 30 } });
  });

  test('refuses what is no question: 422 with the field, 400, 415', async () => {
    const missing = await fetch(url);
    expect(missing.status).toBe(422);
    expect(await missing.json()).toMatchObject({ code: 'invalid_request', errors: [{ field: 'goal' }] });
    expect((await post('{')).status).toBe(400);
    expect((await post('goal=x', 'text/plain')).status).toBe(415);
  });
});
