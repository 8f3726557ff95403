import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { sha256Hex } from '@sluice/kernel/digest';
import * as Template from '../../src/import/template.ts';
import * as LiveSettings from '../../src/live/settings.ts';
import type * as Program from '../../src/program.ts';
import type * as SampleService from './sample-service.ts';

const realTime = '/api/search/waterfall-icp-real-time';
const adminToken = 'operator-0123456789-0123456789-0123456789';
const opened: (() => Promise<unknown> | unknown)[] = [];

export function onClose(close: () => Promise<unknown> | unknown): void {
  opened.push(close);
}

/** Closes everything that this module has started. */
export async function closeAll(): Promise<void> {
  for (const close of opened.splice(0).reverse()) await close();
}

/** A person as a live source returns them: the example of the import template with another title. */
export function profile(slug: string, title: string, more: object = {}) {
  const person = JSON.parse(Template.jsonl('people'));
  person.network_url = `https://www.network.example/in/${slug}`;
  person.experiences[0].job_title = title;
  return { ...person, headline: `${title} at Northwind`, ...more };
}

export type Reply = { status?: number; body?: unknown; headers?: Record<string, string> };
type Received = { headers: Record<string, unknown>; body: SampleService.Body };

/** Starts a live source that answers each search with `reply`, and a data API that uses it. */
export async function withSource(
  service: SampleService.SampleService,
  reply: (search: SampleService.Body) => Reply | Promise<Reply>,
  settings: Partial<LiveSettings.Settings> = {},
) {
  const received: Received[] = [];
  const answer = async (text: string, headers: Record<string, unknown>, response: ServerResponse) => {
    const body = JSON.parse(text);
    received.push({ headers, body });
    const { status = 200, body: sent, headers: more = {} } = await reply(body);
    response.writeHead(status, { 'content-type': 'application/json', ...more });
    response.end(typeof sent === 'string' ? sent : JSON.stringify(sent));
  };
  const server = createServer(async (request, response) => {
    let text = '';
    for await (const chunk of request) text += chunk;
    await answer(text, request.headers, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  opened.push(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { received, port, ...(await withUrl(service, `http://127.0.0.1:${port}/live`, settings)) };
}

export async function withUrl(
  service: SampleService.SampleService,
  url: string,
  settings: Partial<LiveSettings.Settings>,
) {
  const live = { ...LiveSettings.limits, url, key: 'source-key', ...settings };
  const program: Program.Program = await service.startAnother({
    live,
    adminTokenDigest: sha256Hex(adminToken),
  });
  opened.push(() => program.stop());
  return {
    async ask(body: object, as = service.key): Promise<SampleService.Answer> {
      const headers = { 'x-api-key': as, 'content-type': 'application/json' };
      const response = await fetch(program.url + realTime, {
        method: 'POST',
        headers,
        body: JSON.stringify(body),
      });
      return { status: response.status, headers: response.headers, body: await response.json() };
    },
    async metric(name: string): Promise<number> {
      const headers = { authorization: `Bearer ${adminToken}` };
      const text = await (await fetch(`${program.url}/metrics`, { headers })).text();
      const line = text.split('\n').find((each) => each.startsWith(`sluice_live_${name} `));
      return Number(line?.split(' ').at(-1));
    },
  };
}
