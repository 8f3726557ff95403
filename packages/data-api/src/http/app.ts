import type { Clock } from '@sluice/kernel/clock';
import { id } from '@sluice/kernel/id';
import { Hono } from 'hono';
import { Unavailable } from '../live/source.ts';
import { SearchRefused } from '../usage/large-searches.ts';
import * as Admin from './admin.ts';
import * as Call from './call.ts';
import * as Dashboard from './dashboard/dashboard.ts';
import * as DashboardFrame from './dashboard/frame.ts';
import { describe } from './description.ts';
import { apis, operations } from './operations.ts';
import * as Reply from './reply.ts';

/** Log entry of a request. It contains the id of the key, never a secret. */
type LogEntry = {
  request_id: string;
  operation: string | null;
  key_id: string | null;
  status: number;
  records_used: number;
  ms: number;
};

export type AppContext = {
  clock: Clock;
  service: Call.Service;
  /** The admin API; null to disable it. */
  admin: Admin.Admin | null;
  /** Dependencies of the dashboard beside `service` and `admin`. */
  dashboard: Pick<Dashboard.DashboardContext, 'sessionSecret' | 'keyStore' | 'usage' | 'clientAddressHeader'>;
  /** Returns true if the process can serve requests: the database is available and no shutdown has begun. */
  isReady(): Promise<boolean>;
  /** Returns true if the error is a temporary outage (503) rather than a bug (500). */
  isOutage(error: unknown): boolean;
  /** Runs `work`, which waits at most `budgetMs` for the database in total. */
  withinBudget<T>(budgetMs: number, work: () => Promise<T>): Promise<T>;
  log(entry: LogEntry, error: unknown): void;
};

/** A request waits at most this long for the database: every response comes within five seconds, or an operation's own time. */
const databaseWaitMsMax = 4_250;
/** Health checks of load balancers often give up after two seconds. */
const readyWaitMsMax = 1_500;

/** Creates the HTTP application of the data API. */
export function create(services: AppContext): Hono {
  const app = new Hono();
  const { publicUrl, dataSets, liveSource } = services.service;
  const [description, storedDescription] = [true, false].map((hasLiveSource) =>
    JSON.stringify(describe(publicUrl, hasLiveSource)),
  ) as [string, string];
  app.get('/healthz', (c) => c.json({ status: 'ok' }));
  app.get('/readyz', async (c) =>
    (await services.withinBudget(readyWaitMsMax, () => services.isReady()))
      ? c.json({ status: 'ready' })
      : c.json({ status: 'not ready' }, 503),
  );
  app.get('/openapi.json', (c) => {
    const hasLiveSource = liveSource(dataSets.live()) !== null;
    return c.body(hasLiveSource ? description : storedDescription, 200, {
      'content-type': 'application/json',
    });
  });
  for (const operation of operations) {
    app.on(operation.method, operation.path, (c) =>
      handle(services, operation.id, (context) =>
        Call.respond(operation, c.req.raw, context, services.service),
      ),
    );
  }
  if (services.admin) mount(app, services, services.admin);
  mountDashboard(app, services);
  app.notFound(() => handle(services, null, async () => Reply.refusal({ kind: 'not_found' })));
  return app;
}

function mount(app: Hono, services: AppContext, admin: Admin.Admin): void {
  for (const route of Admin.routes) {
    app.on(route.method, route.path, (c) =>
      handle(services, route.name, (context) =>
        Admin.respond(admin, route, c.req.param('id') ?? '', c.req.raw, context),
      ),
    );
  }
}

function mountDashboard(app: Hono, services: AppContext): void {
  const { service, admin, dashboard } = services;
  const { keys, publicUrl } = service;
  const context = { ...dashboard, keys, apis, publicUrl, tokenDigest: admin?.tokenDigest ?? null };
  const failed = (reply: Reply.Reply, requestId: string) => {
    const text = `${(reply.body as { message: string }).message} (${requestId})`;
    return DashboardFrame.respond(DashboardFrame.problem(reply.status, 'Something went wrong', text), true);
  };
  Dashboard.mount(context, (method, path, name, show) =>
    app.on(method, path, (c) =>
      logged(
        services,
        name,
        async (request) => {
          const shown = await show(c, request);
          return shown instanceof Response ? shown : DashboardFrame.respond(shown.page, shown.isSignedIn);
        },
        failed,
      ),
    ),
  );
}

function handle(
  services: AppContext,
  operation: string | null,
  respond: (context: Call.RequestContext) => Promise<Reply.Reply>,
): Promise<Response> {
  let used = 0;
  return logged(
    services,
    operation,
    async (context) => {
      const reply = await respond(context);
      used = reply.usage?.records_used ?? 0;
      return toResponse(reply, context.requestId);
    },
    toResponse,
    () => used,
  );
}

/** Responds within the time that a request may wait for the database, and logs the request. `failed` responds after an error. */
async function logged(
  services: AppContext,
  operation: string | null,
  respond: (context: Call.RequestContext) => Promise<Response>,
  failed: (reply: Reply.Reply, requestId: string) => Response,
  recordsUsed: () => number = () => 0,
): Promise<Response> {
  const context: Call.RequestContext = { requestId: id('req'), nowMs: services.clock(), keyId: null };
  let problem: unknown = null;
  let response: Response;
  try {
    response = await services.withinBudget(databaseWaitMsMax, () => respond(context));
  } catch (error) {
    const refused = error instanceof SearchRefused ? error.reason : null;
    problem = refused === null ? error : null;
    response = failed(Reply.refusal(refused ?? reasonOf(error, services)), context.requestId);
  }
  const entry = {
    request_id: context.requestId,
    operation,
    key_id: context.keyId,
    status: response.status,
    records_used: recordsUsed(),
    ms: services.clock() - context.nowMs,
  };
  services.log(entry, problem);
  return response;
}

function reasonOf(error: unknown, { isOutage }: AppContext): Reply.Refusal {
  if (error instanceof Unavailable) return { kind: 'live_unavailable', reason: error.reason };
  return { kind: isOutage(error) ? 'unavailable' : 'fault' };
}

function toResponse({ status, body, usage, retryAfterSeconds }: Reply.Reply, requestId: string): Response {
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
