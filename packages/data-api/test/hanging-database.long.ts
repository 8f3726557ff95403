import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import * as PausableCluster from '../../../test/support/pausable-cluster.ts';
import * as Program from '../../../test/support/program.ts';
import * as App from '../src/http/app.ts';
import type * as Call from '../src/http/call.ts';
import { operations } from '../src/http/operations.ts';
import * as Key from '../src/keys/key.ts';

const boundMs = 5_000;
const adminToken = 'operator-0123456789-0123456789-0123456789';
const key = Key.draw();
let cluster: PausableCluster.PausableCluster;
let program: Program.Program;
let url: string;

beforeAll(async () => {
  cluster = await PausableCluster.open();
  const port = await Program.freePort();
  url = `http://127.0.0.1:${port}`;
  program = await Program.start('packages/data-api/src/main.ts', {
    DATABASE_URL: cluster.url,
    DIRECT_PORT: String(port),
    DIRECT_API_KEY: key,
    DIRECT_ADMIN_TOKEN: adminToken,
    DIRECT_SAMPLE_SCALE: '0.01',
  });
});
afterEach(() => cluster.resume());
afterAll(async () => {
  await program?.stop();
  await cluster?.close();
});

type Answer = { status: number; ms: number; body: string };

async function send(method: string, path: string, body?: unknown, cookie = ''): Promise<Answer> {
  const startMs = performance.now();
  const isForm = body instanceof URLSearchParams;
  const headers = {
    cookie,
    origin: url,
    'x-api-key': key,
    authorization: `Bearer ${adminToken}`,
    'content-type': isForm ? 'application/x-www-form-urlencoded' : 'application/json',
  };
  const text = isForm ? String(body) : JSON.stringify(body);
  const content = body === undefined || method === 'GET' ? {} : { body: text };
  const response = await fetch(url + path, { method, headers, ...content });
  return { body: await response.text(), status: response.status, ms: performance.now() - startMs };
}

const ready = () => expect.poll(async () => (await send('GET', '/readyz')).status).toBe(200);
const remaining = async () => JSON.parse((await send('GET', '/v2/account/key-info')).body).records_remaining;

/** All routes of the program, as its router has them. */
function routeTable(): { method: string; path: string }[] {
  const service = { publicUrl: url } as Call.Service;
  const app = App.create({ service, admin: {}, dashboard: {} } as unknown as App.AppContext);
  return app.routes.filter(({ method }) => method !== 'ALL');
}

/** Documents, redirects, and forms of visitors who are not signed in as their senders must be. */
const needsNoDatabase =
  /^GET \/(?:healthz|openapi\.json|dashboard\/(?:sign-in|sign-out|rotate|keys)?)$|^POST \/dashboard\/(?:sign-in|sign-out|rotate)$/;
/** Fields with which each form of the dashboard gets as far as it can. */
const form = { form: '0123456789abcdef01234567', scope: 'all', plan: 'Start', overlap: '0', sure: 'yes' };

async function signedIn(): Promise<string> {
  const body = new URLSearchParams({ credential: adminToken });
  const headers = { origin: url };
  const init = { method: 'POST', redirect: 'manual', headers, body } as const;
  const response = await fetch(`${url}/dashboard/sign-in`, init);
  return response.headers.get('set-cookie')?.split(';')[0] ?? '';
}

test('while the database hangs, every route that needs it answers 503 within five seconds, and works again afterwards', async () => {
  await ready();
  const cookie = await signedIn();
  const bodies = new Map(operations.map(({ path, example }) => [path, example.request]));
  const routes = routeTable().filter(({ method, path }) => !needsNoDatabase.test(`${method} ${path}`));
  expect(routes.length).toBeGreaterThan(operations.length + 12);
  await cluster.pause();
  const answers = await Promise.all(
    routes.map(async ({ method, path }) => {
      const isPage = path.startsWith('/dashboard');
      const json = path === '/admin/keys' ? { plan: { name: 'Start' } } : (bodies.get(path) ?? {});
      const body = isPage ? new URLSearchParams(form) : json;
      const answer = await send(method, path.replace(':id', 'key_1'), body, isPage ? cookie : '');
      return { route: `${method} ${path}`, ...answer };
    }),
  );
  expect(answers.filter(({ status, ms }) => status !== 503 || ms > boundMs)).toEqual([]);
  expect((await send('GET', '/healthz')).status).toBe(200);
  expect((await send('GET', '/openapi.json')).status).toBe(200);
  await cluster.resume();
  await ready();
  expect((await send('POST', '/v2/utils/current-date', {})).status).toBe(200);
});

test('a call that was abandoned while the database hung uses no record, at whichever statement it was', async () => {
  await ready();
  const jobs = {
    company_network_url: 'https://www.network.example/company/northwind-analytics',
    max_results: 5,
  };
  const before = await remaining();
  // Calls of which each one is at another statement when the database stops.
  const calls: Promise<Answer>[] = [];
  const started = performance.now();
  let pausedMs = 0;
  const pauseAfter = (answer: Answer) => {
    if (pausedMs > 0 || answer.status !== 200 || performance.now() < started + 300) return answer;
    pausedMs = performance.now();
    void cluster.pause();
    return answer;
  };
  while (pausedMs === 0 || performance.now() < pausedMs + 300) {
    calls.push(send('POST', '/v2/jobs/company', jobs).then(pauseAfter));
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  const answers = await Promise.all(calls);
  const answered = answers.filter(({ status }) => status === 200);
  expect(answers.filter(({ status, ms }) => (status !== 200 && status !== 503) || ms > boundMs)).toEqual([]);
  expect(answered.length).toBeGreaterThan(0);
  expect(answered.length).toBeLessThan(answers.length);
  await cluster.resume();
  await ready();
  const used = answered.reduce((total, { body }) => total + JSON.parse(body).fair_usage.records_used, 0);
  await expect.poll(remaining).toBe(before - used);
});
