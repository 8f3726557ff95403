import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { systemClock } from '@sluice/kernel/clock';
import * as Target from '@sluice/kernel/request-target';
import { type ClientKind, openUpstream } from '../../src/adapters/upstream/upstream.ts';
import * as Body from '../../src/http/server/body.ts';
import { openBudgets } from '../../src/http/server/body-budget.ts';
import type { Incoming, Outgoing } from '../../src/http/server/outgoing.ts';
import * as Server from '../../src/http/server/server.ts';
import * as Program from '../support/program.ts';

/** A request as one reader understood it. */
export type Understood = { method: string; url: string; body: string };

export type Combination = { httpFastPath: boolean; client: ClientKind };

/** Server, client and an upstream that uses Node's own parser: the storefront's behaviour on the wire, without a shop. */
export type Gateway = {
  /** Sends `raw` on a connection and ends it. Returns all bytes received, and the requests that were read on the way. */
  send(raw: string): Promise<{ said: string; understood: Understood[]; arrived: Understood[] }>;
  close(): Promise<void>;
};

const bodyMemoryBytes = 64 * 1024 * 1024;
const forwarded = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']);

export async function openGateway({ httpFastPath, client }: Combination): Promise<Gateway> {
  /** In the order of the requests; the body is null when it did not arrive completely. */
  let understood: (Omit<Understood, 'body'> & { body: string | null })[] = [];
  const arrived: Understood[] = [];
  const upstreamServer = createServer(async (incoming, outgoing) => {
    const body = (await buffer(incoming).catch(() => Buffer.alloc(0))).toString('latin1');
    const { method = '', url = '' } = incoming;
    arrived.push({ method, url, body });
    outgoing.end(Buffer.from(`${method} ${url} ${body}`, 'latin1'));
  });
  upstreamServer.listen(0, '127.0.0.1');
  await once(upstreamServer, 'listening');
  const upstream = openUpstream({
    baseUrl: `http://127.0.0.1:${(upstreamServer.address() as AddressInfo).port}`,
    key: '',
    keyHeader: { header: 'x-api-key', value: '{key}' },
    timeoutMs: 5_000,
    client,
  });

  const refuse = (outgoing: Outgoing, status: number) => {
    outgoing.writeHead(status, ['content-length', '0']);
    outgoing.end();
  };
  const sell = async (incoming: Incoming, outgoing: Outgoing, reading: Body.Body | Promise<Body.Body>) => {
    const { method = '', url = '', rawHeaders } = incoming;
    const one: (typeof understood)[number] = { method, url, body: null };
    understood.push(one);
    const body = await reading;
    if (body.kind !== 'body') return outgoing.destroy();
    one.body = body.bytes.toString('latin1');
    const target = Target.parse(url);
    if (target === null) return refuse(outgoing, 404);
    if (!forwarded.has(method)) return refuse(outgoing, 405);
    if (body.bytes.length > 0 && (method === 'GET' || method === 'HEAD')) return refuse(outgoing, 400);
    const answer = await upstream.send({ method, target, rawHeaders, body: body.bytes, metered: true })
      .response;
    if (answer.kind !== 'whole') return refuse(outgoing, 502);
    outgoing.writeHead(answer.status, [...answer.headers]);
    outgoing.end(answer.body);
  };
  const answering: Server.Answering = {
    takes: (method) => forwarded.has(method),
    sell: (incoming, outgoing, body) => void sell(incoming, outgoing, body),
    listener(incoming: IncomingMessage, outgoing) {
      const reservation = budgets.known.open('caller').freeWith(outgoing);
      void sell(incoming, outgoing, Body.readBody(incoming, { bytesMax: Body.bodyBytesMax, reservation }));
    },
  };
  const budgets = openBudgets(bodyMemoryBytes);
  const port = await Program.freePort();
  const { drain: stop } = await Server.serve(
    { host: '127.0.0.1', port, httpFastPath },
    () => answering,
    systemClock,
  );
  return {
    async send(raw) {
      understood = [];
      arrived.length = 0;
      const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
      const pieces: Buffer[] = [];
      socket.on('error', () => undefined);
      socket.on('data', (piece) => pieces.push(piece));
      socket.on('end', () => socket.destroy());
      socket.end(Buffer.from(raw, 'latin1'));
      await once(socket, 'close');
      return {
        said: Buffer.concat(pieces).toString('latin1'),
        understood: understood.filter((one): one is Understood => one.body !== null),
        arrived: [...arrived],
      };
    },
    async close() {
      await stop();
      await upstream.close();
      upstreamServer.closeAllConnections();
      upstreamServer.close();
    },
  };
}

/** Parses responses as a client that knows the methods of its requests. Returns null when the bytes are not a sequence of responses. */
export function responsesIn(
  said: string,
  methods: readonly string[],
): { status: number; body: string }[] | null {
  const list: { status: number; body: string }[] = [];
  let at = 0;
  while (at < said.length) {
    const headEnd = said.indexOf('\r\n\r\n', at);
    const status = Number(/^HTTP\/1\.1 (\d{3}) [^\r\n]*\r\n/.exec(said.slice(at, at + 200))?.[1] ?? 0);
    if (headEnd < 0 || status === 0) return null;
    const head = said.slice(at, headEnd + 2);
    at = headEnd + 4;
    if (status === 100) continue;
    const length = /\r\ncontent-length: (\d+)\r\n/i.exec(head)?.[1];
    const hasBody = methods[list.length] !== 'HEAD' && status !== 204 && status !== 304;
    const end = !hasBody ? at : length === undefined ? said.length : at + Number(length);
    if (end > said.length) return null;
    list.push({ status, body: said.slice(at, end) });
    at = end;
  }
  return list;
}
