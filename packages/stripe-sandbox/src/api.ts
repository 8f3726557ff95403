import { once } from 'node:events';
import { setImmediate, setTimeout } from 'node:timers/promises';
import type { HttpBindings } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { id } from '@sluice/kernel/id';
import { type Context, Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import * as GrantedToken from './objects/granted-token.ts';
import { refuseKey } from './protocol/authentication.ts';
import * as Expand from './protocol/expand.ts';
import * as Fault from './protocol/fault.ts';
import * as Form from './protocol/form.ts';
import * as Idempotency from './protocol/idempotency.ts';
import { type ApiError, invalid, isRefusal, type Refusal, refuse } from './protocol/refusal.ts';
import type { Route } from './protocol/route.ts';
import { begin, finish, type Sandbox } from './sandbox.ts';

export type Env = { Bindings: HttpBindings };

/** A response; `original` is the id of the first request when it is replayed for another. */
type Answer = { status: ContentfulStatusCode; body: string; original?: string };

const bodyBytesMax = 1_048_576;
const hangMsMax = 300_000;

/** Serves the routes of the API with shared authentication, parsing and responses. */
export function api(sandbox: Sandbox, routes: readonly Route[]): Hono<Env> {
  const app = new Hono<Env>();
  const tooLarge = refuse(413, { type: 'invalid_request_error', message: `At most ${bodyBytesMax} bytes.` });
  app.use(bodyLimit({ maxSize: bodyBytesMax, onError: (c) => send(c, id('req'), failed(tooLarge)) }));
  for (const route of routes) {
    app.on(route.method, route.path, (c) => serve(sandbox, route, c));
  }
  app.onError((fault, c) => {
    process.stderr.write(`card sandbox: ${fault.stack}\n`);
    return send(
      c,
      id('req'),
      failed(refuse(500, { type: 'api_error', message: 'The sandbox itself failed.' })),
    );
  });
  app.all('*', (c) => {
    const message = `Unrecognized request URL (${c.req.method}: ${c.req.path}).`;
    return send(c, id('req'), failed(refuse(404, { type: 'invalid_request_error', message })));
  });
  return app;
}

async function serve(sandbox: Sandbox, route: Route, c: Context<Env>): Promise<Response> {
  const requestId = id('req');
  const call = await read(route, c);
  if (isRefusal(call)) return send(c, requestId, failed(call));
  const name = `${route.method} ${route.path}`;
  if (Fault.strike(sandbox.faults, name, '500_before')) return send(c, requestId, failed(outOfOrder));
  if (Fault.strike(sandbox.faults, name, 'lock_timeout')) return send(c, requestId, failed(lockTimeout));
  const refused = Fault.strike(sandbox.faults, name, 'refuse')?.error;
  if (refused) {
    const { status, ...error } = refused;
    return send(c, requestId, failed(refuse(status as ContentfulStatusCode, error as ApiError)));
  }

  const key = (route.method === 'POST' && c.req.header('idempotency-key')) || null;
  const answer = await answerOnce(sandbox, route, call, {
    requestId,
    key,
    at: `${c.req.method} ${c.req.path}`,
  });

  if (Fault.strike(sandbox.faults, name, 'timeout_after')) {
    const { outgoing } = c.env;
    if (!outgoing.destroyed)
      await Promise.race([once(outgoing, 'close'), setTimeout(hangMsMax, null, { ref: false })]);
    outgoing.destroy();
    return RESPONSE_ALREADY_SENT;
  }
  if (Fault.strike(sandbox.faults, name, 'cut_after')) {
    c.env.outgoing.destroy();
    return RESPONSE_ALREADY_SENT;
  }
  if (key !== null) c.header('idempotency-key', key);
  return send(c, requestId, answer);
}

type Call = {
  run: Exclude<ReturnType<Route['prepare']>, Refusal>;
  object: string;
  expand: string[];
  paramsDigest: string;
};

/** Parses and validates a request before it is executed. */
async function read(route: Route, c: Context<Env>): Promise<Call | Refusal> {
  const unauthorized = refuseKey(c.req.header('authorization'));
  if (unauthorized !== null) return unauthorized;
  const version = c.req.header('stripe-version');
  if (version !== undefined && !/^\d{4}-\d\d-\d\d(\.[a-z]+)?$/.test(version)) {
    return invalid(`Invalid Stripe API version: ${version.slice(0, 50)}`);
  }
  const type = c.req.header('content-type') ?? '';
  const text = route.method === 'POST' ? await c.req.text() : new URL(c.req.url).search.slice(1);
  if (route.method === 'POST' && text !== '' && !type.startsWith('application/x-www-form-urlencoded')) {
    return invalid('The body of a request is application/x-www-form-urlencoded.');
  }
  const form = Form.parse(text);
  if (isRefusal(form)) return form;
  const { expand, ...params } = form;
  const refusal = GrantedToken.refuseVersion(params, version);
  if (refusal !== null) return refusal;
  if (typeof expand === 'string')
    return invalid('Invalid array: expand takes a list, expand[].', { param: 'expand' });
  const paths = Object.values(expand ?? {}).map(String);
  const run = route.prepare(params);
  if (isRefusal(run)) return run;
  const unexpandable = Expand.refusePaths(route.gives, route.isList, paths);
  return (
    unexpandable ?? {
      run,
      object: c.req.param('id') ?? '',
      expand: paths,
      paramsDigest: Idempotency.digest(text),
    }
  );
}

type Origin = { requestId: string; key: string | null; at: string };

/** Executes the call, unless its idempotency key shows that it has been executed or is running. */
async function answerOnce(sandbox: Sandbox, route: Route, call: Call, origin: Origin): Promise<Answer> {
  const { key, at } = origin;
  if (key === null) return execute(sandbox, route, call, origin);
  const verdict = Idempotency.judge(begin(sandbox), sandbox.running, key, at, call.paramsDigest);
  if (verdict !== null && isRefusal(verdict)) return failed(verdict);
  if (verdict !== null) {
    const { status, body, requestId } = verdict.replay;
    return { status, body, original: requestId };
  }
  sandbox.running.add(key);
  try {
    return await execute(sandbox, route, call, origin);
  } finally {
    sandbox.running.delete(key);
  }
}

async function execute(sandbox: Sandbox, route: Route, call: Call, origin: Origin): Promise<Answer> {
  const name = `${route.method} ${route.path}`;
  const delay = Fault.strike(sandbox.faults, name, 'delay_before');
  // Yield first, so that simultaneous requests overlap as they do at Stripe.
  await (delay === null ? setImmediate() : setTimeout(delay.delay_ms));
  const { requestId, key, at } = origin;
  const ctx = begin(sandbox, { id: requestId, idempotency_key: key });
  const result = call.run(ctx, call.object);
  const isBroken = Fault.strike(sandbox.faults, name, '500_after') !== null;
  const answer = isBroken ? failed(outOfOrder) : isRefusal(result) ? failed(result) : succeeded(result);
  if (key !== null) {
    const { status, body } = answer;
    Idempotency.save(ctx, { id: key, call: at, paramsDigest: call.paramsDigest, status, body, requestId });
  }
  finish(sandbox);
  return answer;

  function succeeded(object: object): Answer {
    return { status: 200, body: json(Expand.show(sandbox.store, object, call.expand)) };
  }
}

const outOfOrder = refuse(500, {
  type: 'api_error',
  message: 'A fault that was ordered struck this request.',
});

const lockTimeout = refuse(429, {
  type: 'invalid_request_error',
  code: 'lock_timeout',
  message:
    'This object cannot be accessed right now because another API request or Stripe process is currently accessing it.',
});

function failed({ status, error }: Refusal): Answer {
  return { status, body: json({ error }) };
}

function json(value: object): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

function send(c: Context<Env>, requestId: string, { status, body, original }: Answer): Response {
  if (original !== undefined) {
    c.header('idempotent-replayed', 'true');
    c.header('original-request', original);
  }
  const version = c.req.header('stripe-version');
  if (version !== undefined) c.header('stripe-version', version);
  return c.body(body, status, { 'content-type': 'application/json', 'request-id': requestId });
}
