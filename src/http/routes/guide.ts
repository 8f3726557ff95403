import { type Context, Hono } from 'hono';
import * as Question from '../../advisor/question.ts';
import { path } from '../../discovery/directory.ts';
import type * as Quote from '../../journeys/quote.ts';
import { bytes, type Env, parseJson, send, unprocessable } from '../edge.ts';
import { json, type Reply } from '../reply.ts';

/** The advisor without a wallet, by a query or a body. Free, and of no effect. @param ask the advisor */
export function routes(ask: Quote.Ask): Hono<Env> {
  const app = new Hono<Env>();
  app.get(path.guide, (c) => send(c, answer(c, ask, Question.ofQuery(new URL(c.req.url).searchParams))));
  app.post(path.guide, async (c) => {
    const body = await bytes(c);
    if (!Buffer.isBuffer(body)) return send(c, body);
    const parsed = parseJson(c, body);
    return send(c, 'value' in parsed ? answer(c, ask, parsed.value) : parsed);
  });
  return app;
}

function answer(c: Context<Env>, ask: Quote.Ask, body: unknown): Reply {
  const asked = ask(body);
  return asked.kind === 'fault'
    ? unprocessable(c, asked.faults)
    : json(200, { success: true, ...asked.advise() });
}
