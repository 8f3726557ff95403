import * as Question from '@sluice/advisor/question';
import { type Context, Hono } from 'hono';
import { path } from '../../discovery/paths.ts';
import type * as Quote from '../../journeys/quote.ts';
import { json, type Reply } from '../reply.ts';
import { bytes, type Env, parseJson, send, unprocessable } from '../request-context.ts';

/** The advisor without a wallet, with a query or a body. Free and without side effects. @param ask the advisor */
export function guideRoutes(ask: Quote.Ask): Hono<Env> {
  const app = new Hono<Env>();
  for (const at of [path.guide, path.requiredGuide]) {
    app.get(at, async (c) =>
      send(c, await answer(c, ask, Question.ofQuery(new URL(c.req.url).searchParams))),
    );
    app.post(at, async (c) => {
      const body = await bytes(c);
      if (!Buffer.isBuffer(body)) return send(c, body);
      const parsed = parseJson(c, body);
      return send(c, 'value' in parsed ? await answer(c, ask, parsed.value) : parsed);
    });
  }
  return app;
}

async function answer(c: Context<Env>, ask: Quote.Ask, body: unknown): Promise<Reply> {
  const asked = ask(body);
  return asked.kind === 'fault'
    ? unprocessable(c, asked.faults)
    : json(200, { success: true, ...(await asked.advise()) });
}
