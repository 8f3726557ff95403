import { afterEach } from 'vitest';
import {
  type CredentialedOptions,
  openCredentialed,
} from '../../src/adapters/upstream/credentialed-upstream.ts';
import { SecretSet } from '../../src/proxy/secret-set.ts';
import type { Upstream } from '../../src/proxy/upstream.ts';
import { client } from '../proxy/opened-upstream.ts';
import { type Received, type ScriptedUpstream, scripted } from '../proxy/scripted-upstream.ts';

export type Reported = { event: string; detail: Readonly<Record<string, unknown>> };

const opened: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const one of opened.splice(0)) await one.close();
});

/** Closes `one` when the test ends. */
export function closing<T extends { close(): Promise<void> }>(one: T): T {
  opened.push(one);
  return one;
}

/** A scripted upstream and a client of it with these credentials; both are closed when the test ends. */
export async function against(
  script: (received: Received) => unknown,
  options: Partial<CredentialedOptions> & { url?: string } = {},
): Promise<{ server: ScriptedUpstream; upstream: Upstream; reported: Reported[] }> {
  const server = closing(await scripted(script));
  const reported: Reported[] = [];
  const upstream = openCredentialed({
    name: 'main',
    baseUrl: options.url ?? server.url,
    key: { kind: 'header', header: 'x-api-key', value: '{key}' },
    keys: ['sk_first_operator'],
    rotatesKeys: false,
    oauth: null,
    headers: [],
    forward: [],
    caller: null,
    client,
    timeoutMs: 5_000,
    secrets: new SecretSet(),
    report: (event, detail) => reported.push({ event, detail }),
    ...options,
  });
  return { server, upstream, reported };
}

/** The values of a header in a request as received. */
export function header({ head }: Received, name: string): string[] {
  return head
    .split('\r\n')
    .slice(1)
    .filter((line) => line.toLowerCase().startsWith(`${name}:`))
    .map((line) => line.slice(name.length + 1).trim());
}
