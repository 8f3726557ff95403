import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** One request to the processor and its response. */
export type Exchange = {
  method: string;
  path: string;
  /** The API version in the request. */
  version: string;
  params: Record<string, unknown>;
  status: number;
  response: unknown;
};

/** An HTTP proxy in front of the card sandbox that records everything. */
export type Recorder = {
  url: string;
  exchanges: Exchange[];
  /** Sets the URL to forward to, once it is known. */
  forwardTo(url: string): void;
  close(): Promise<void>;
};

export async function open(): Promise<Recorder> {
  const exchanges: Exchange[] = [];
  let target = '';
  const server = createServer(async (request, response) => {
    const url = new URL(request.url ?? '/', target);
    const body = await text(request);
    const { host: _, connection: __, 'content-length': ___, ...headers } = request.headers;
    const answer = await fetch(url, {
      method: request.method ?? 'GET',
      headers: headers as Record<string, string>,
      ...(body !== '' && { body }),
    });
    const answered = await answer.text();
    exchanges.push({
      method: request.method ?? '',
      path: url.pathname,
      version: String(headers['stripe-version'] ?? ''),
      params: parse(body === '' ? url.search.slice(1) : body),
      status: answer.status,
      response: JSON.parse(answered),
    });
    const kept = ['content-type', 'request-id', 'idempotent-replayed', 'original-request'];
    for (const name of kept) {
      const value = answer.headers.get(name);
      if (value !== null) response.setHeader(name, value);
    }
    response.writeHead(answer.status).end(answered);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    exchanges,
    forwardTo: (url) => {
      target = url;
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

type Node = { [name: string]: Node | string };

/** Parses a form as the client writes it, `a[b][0]=c`, into nested members and lists. */
export function parse(form: string): Record<string, unknown> {
  const root: Node = {};
  for (const [name, value] of new URLSearchParams(form)) {
    const keys = [...name.matchAll(/[^[\]]+|\[\]/g)].map(([key]) => key);
    let node = root;
    for (const key of keys.slice(0, -1)) {
      node[key] ??= {};
      node = node[key] as Node;
    }
    const last = keys.at(-1) ?? '';
    node[last === '[]' ? String(Object.keys(node).length) : last] = value;
  }
  return listed(root) as Record<string, unknown>;
}

function listed(node: Node | string): unknown {
  if (typeof node === 'string') return node;
  const keys = Object.keys(node);
  const values = keys.map((key) => listed(node[key] ?? ''));
  const isList = keys.length > 0 && keys.every((key, place) => key === String(place));
  return isList ? values : Object.fromEntries(keys.map((key, place) => [key, values[place]]));
}
