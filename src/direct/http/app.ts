import { Hono } from 'hono';
import type { Clock } from '../../kernel/clock.ts';
import { id } from '../../kernel/id.ts';
import * as Admin from './admin.ts';
import * as Call from './call.ts';
import { describe } from './description.ts';
import { operations } from './operations.ts';
import * as Reply from './reply.ts';

/** What a request came to, for the log. It bears the id of a key and never the key. */
type Entry = {
  request_id: string;
  operation: string | null;
  key_id: string | null;
  status: number;
  records_used: number;
  ms: number;
};

export type Edge = {
  clock: Clock;
  service: Call.Service;
  /** The routes for those who run the interface; null for none. */
  admin: Admin.Admin | null;
  /** Whether requests are to be sent here: the database answers, and the process is not on its way out. */
  isReady(): Promise<boolean>;
  /** Whether an error is an outage that passes, rather than a fault of ours. */
  isOutage(error: unknown): boolean;
  log(entry: Entry, error: unknown): void;
};

/** The interface as an HTTP application. */
export function create(edge: Edge): Hono {
  const app = new Hono();
  const description = JSON.stringify(describe(edge.service.publicUrl));
  app.get('/healthz', (c) => c.json({ status: 'ok' }));
  app.get('/readyz', async (c) =>
    (await edge.isReady()) ? c.json({ status: 'ready' }) : c.json({ status: 'not ready' }, 503),
  );
  app.get('/openapi.json', (c) => c.body(description, 200, { 'content-type': 'application/json' }));
  for (const operation of operations) {
    app.on(operation.method, operation.path, (c) =>
      visit(edge, operation.id, (current) => Call.answer(operation, c.req.raw, current, edge.service)),
    );
  }
  if (edge.admin) mount(app, edge, edge.admin);
  app.notFound(() => visit(edge, null, async () => Reply.refusal({ kind: 'not_found' })));
  return app;
}

function mount(app: Hono, edge: Edge, admin: Admin.Admin): void {
  for (const route of Admin.routes) {
    app.on(route.method, route.path, (c) =>
      visit(edge, route.name, (current) =>
        Admin.answer(admin, route, c.req.param('id') ?? '', c.req.raw, current),
      ),
    );
  }
}

async function visit(
  edge: Edge,
  operation: string | null,
  answer: (current: Call.Visit) => Promise<Reply.Reply>,
): Promise<Response> {
  const current: Call.Visit = { requestId: id('req'), nowMs: edge.clock(), keyId: null };
  let problem: unknown = null;
  let reply: Reply.Reply;
  try {
    reply = await answer(current);
  } catch (error) {
    problem = error;
    reply = Reply.refusal({ kind: edge.isOutage(error) ? 'unavailable' : 'fault' });
  }
  const entry = {
    request_id: current.requestId,
    operation,
    key_id: current.keyId,
    status: reply.status,
    records_used: reply.usage?.records_used ?? 0,
    ms: edge.clock() - current.nowMs,
  };
  edge.log(entry, problem);
  return respond(reply, current.requestId);
}

function respond({ status, body, usage, retryAfterSeconds }: Reply.Reply, requestId: string): Response {
  const isText = typeof body === 'string';
  const headers: Record<string, string> = {
    'content-type': isText ? 'text/plain; version=0.0.4; charset=utf-8' : 'application/json',
    'x-request-id': requestId,
  };
  if (usage) {
    headers['x-records-used'] = String(usage.records_used);
    headers['x-records-remaining'] = String(usage.records_remaining);
  }
  if (retryAfterSeconds) headers['retry-after'] = String(retryAfterSeconds);
  return new Response(isText ? body : JSON.stringify(body), { status, headers });
}
