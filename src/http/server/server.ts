import { createServer, type RequestListener, type Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '@sluice/kernel/clock';
import { FastPathConnection, type Handler, type Waits } from '../fast-path/connection.ts';
import type { Upgrade } from '../socket/upgrade.ts';
import * as ClientError from './client-error.ts';
import * as Draining from './draining.ts';
import { NodeConnections } from './node-connections.ts';
import * as RequestDeadline from './request-deadline.ts';

const drainMaxMsDefault = 10_000;

const usualWaits: Waits = { firstByteMsMax: 10_000, bodyMsMax: 30_000, silenceMsMax: 65_000 };

/** The handlers of requests: `listener` serves any request of Node's server, the others serve sold operations on the fast path. */
export type Answering = Handler & {
  listener: RequestListener;
  /** Explains a request that could not be read; without it, only its status is sent. */
  explain?: ClientError.Explain;
  /** Serves a request for a WebSocket. */
  upgrade?(upgrade: Upgrade): void;
};

export type ServerOptions = {
  host: string;
  port: number;
  /** True to start connections on the fast path; false to let Node's server read every request. */
  httpFastPath?: boolean;
  /** Maximum number of open connections; further ones are closed immediately. No limit by default. */
  connectionsMax?: number;
  /** Time from SIGTERM to the close of the listener, in which new requests are still served; 0 by default. */
  drainMs?: number;
  /** Maximum time for running calls and streams to finish after the close of the listener, in milliseconds. */
  drainMaxMs?: number;
};

/** Stops a server in two steps. */
export type Stopper = {
  /** Serves on, but makes each response the last of its connection, for `drainMs`: balancers and clients turn to other processes. */
  lameDuck(): Promise<void>;
  /** Closes the listener, and each connection when its requests are answered and nothing more arrives; after `drainMaxMs` all of them. */
  drain(): Promise<void>;
};

/**
 * Listens. Connections start on the fast path and move to Node's server with the first request that the fast path does not handle.
 * A client that closes its side of a connection still gets its response.
 * @param answering is read for each request, because a reload replaces it
 */
export async function serve(
  options: ServerOptions,
  answering: () => Answering,
  clock: Clock,
  waits = usualWaits,
): Promise<Stopper> {
  const { host, port, httpFastPath = true, drainMs = 0, drainMaxMs = drainMaxMsDefault } = options;
  const node = new NodeConnections();
  const server = createNodeServer(node, answering, waits);
  if (options.connectionsMax !== undefined) server.maxConnections = options.connectionsMax;
  const upgraded = handleUpgrades(server, node, answering);
  const fastPath = new Set<FastPathConnection>();
  let isEnding = false;
  server.prependListener('connection', (socket: Socket) => node.add(socket));
  const nodeListeners = server.listeners('connection');
  const context = {
    handler: answering,
    clock,
    isEnding: () => isEnding,
    waits,
    handOver(socket: Socket, next: Buffer) {
      socket.pause();
      socket.unshift(next);
      for (const listener of nodeListeners) listener.call(server, socket);
      socket.resume();
    },
  };
  const whenOver = (connection: FastPathConnection) => fastPath.delete(connection);
  if (httpFastPath) {
    server.removeAllListeners('connection');
    server.on('connection', (socket: Socket) =>
      fastPath.add(new FastPathConnection(socket, context, whenOver)),
    );
  } else boundFirstByte(server, waits.firstByteMsMax);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  const endConnections = () => {
    isEnding = true;
    node.end();
  };
  const closeAll = () => {
    for (const { socket } of fastPath) socket.destroy();
    for (const socket of upgraded) socket.destroy();
    server.closeAllConnections();
  };
  return {
    async lameDuck() {
      endConnections();
      await sleep(drainMs);
    },
    drain() {
      endConnections();
      return Draining.drain({ server, fastPath, node, closeAll }, drainMs, drainMaxMs);
    },
  };
}

/** Creates Node's server, which bounds requests and counts those of each connection. */
function createNodeServer(node: NodeConnections, answering: () => Answering, waits: Waits): Server {
  const server = createServer(
    {
      keepAliveTimeout: waits.silenceMsMax,
      headersTimeout: 60_000,
      requestTimeout: 0,
      // Checked below, where the refusal can be explained.
      requireHostHeader: false,
      // Other upgrades, such as h2c, are ignored (RFC 9110, 7.8): the request is served as it is.
      shouldUpgradeCallback: ({ headers }) => /^websocket$/i.test(headers.upgrade ?? ''),
    },
    (incoming, outgoing) => {
      if (!node.register(incoming, outgoing)) return;
      const { explain, listener } = answering();
      // RFC 9112, 3.2: every request of HTTP/1.1 has a `Host`.
      if (incoming.headers.host === undefined && incoming.httpVersion === '1.1')
        ClientError.refuse(400, incoming, outgoing, explain);
      else listener(incoming, outgoing);
    },
  );
  // Not typed in @types/node: lets Node send pending responses after the client has closed its side of the connection.
  Object.assign(server, { httpAllowHalfOpen: true });
  server.on('checkContinue', (incoming, outgoing) => {
    RequestDeadline.continueWhenRead(incoming, outgoing);
    server.emit('request', incoming, outgoing);
  });
  server.on('checkExpectation', (incoming, outgoing) => {
    node.register(incoming, outgoing);
    ClientError.refuse(417, incoming, outgoing, answering().explain);
  });
  ClientError.handleClientErrors(server, () => answering().explain);
  RequestDeadline.boundRequests(server);
  return server;
}

/** Serves requests for WebSockets. Returns their connections. */
function handleUpgrades(server: Server, node: NodeConnections, answering: () => Answering): Set<Duplex> {
  const upgraded = new Set<Duplex>();
  server.on('upgrade', (incoming, socket, head) => {
    node.remove(socket);
    upgraded.add(socket);
    socket.once('close', () => upgraded.delete(socket));
    socket.on('error', () => {});
    const { upgrade } = answering();
    if (upgrade === undefined) socket.destroy();
    else upgrade({ incoming, socket, head });
  });
  return upgraded;
}

/** Closes connections that send nothing, as the fast path does; Node's server would allow them the time of a whole header section. */
function boundFirstByte(server: Server, firstByteMsMax: number): void {
  server.on('connection', (socket: Socket) => {
    const late = setTimeout(() => {
      if (socket.bytesRead === 0) socket.destroy();
    }, firstByteMsMax);
    socket.once('close', () => clearTimeout(late));
  });
}
