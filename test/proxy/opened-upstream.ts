import { afterEach } from 'vitest';
import { type ClientKind, openUpstream, type UpstreamOptions } from '../../src/adapters/upstream/upstream.ts';
import type { Outbound, Upstream } from '../../src/proxy/upstream.ts';
import type { UpstreamResult, WholeResponse } from '../../src/proxy/upstream-response.ts';
import { type Received, type ScriptedUpstream, scripted } from './scripted-upstream.ts';

export const key = 'sk_operator';

/** The client that the tests of a file use: `by-undici.long.ts` runs some of them again with undici's. */
export const client = (process.env.TEST_UPSTREAM_CLIENT ?? 'built-in') as ClientKind;

const servers: ScriptedUpstream[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

/** A scripted upstream and the adapter opened on it; the server goes when the test ends. `path` is the base URL's. */
export async function against(
  script: (received: Received) => unknown,
  options: Partial<UpstreamOptions> & { path?: string } = {},
): Promise<{ server: ScriptedUpstream; upstream: Upstream }> {
  const server = await scripted(script);
  servers.push(server);
  const upstream = openUpstream({
    baseUrl: server.url + (options.path ?? ''),
    key,
    keyHeader: { header: 'x-api-key', value: '{key}' },
    timeoutMs: 5_000,
    client,
    ...options,
  });
  return { server, upstream };
}

/** A metered call as a caller sends it, credentials and all. */
export function post(body = '{}', more: Partial<Outbound> = {}): Outbound {
  return {
    method: 'POST',
    target: { path: '/v2/jobs', query: '?a=%20b&&' },
    rawHeaders: ['Content-Type', 'application/json', 'Authorization', 'Bearer caller', 'Cookie', 'a=b'],
    body: Buffer.from(body),
    metered: true,
    ...more,
  };
}

/** An unmetered call without a body. */
export function get(more: Partial<Outbound> = {}): Outbound {
  return post('', { method: 'GET', body: null, rawHeaders: [], metered: false, ...more });
}

export function whole(answer: UpstreamResult): WholeResponse {
  if (answer.kind !== 'whole') throw new Error(`not a whole response: ${JSON.stringify(answer)}`);
  return answer;
}
