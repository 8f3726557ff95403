import { createServer, type RequestListener, type Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Clock } from '@sluice/kernel/clock';
import { FastPathConnection, type Handler, type Waits } from '../fast-path/connection.ts';
import type { Upgrade } from '../socket/upgrade.ts';
import * as ClientError from './client-error.ts';
import * as RequestDeadline from './request-deadline.ts';

const drainMaxMsDefault = 10_000;
const drainCheckMs = 50;

const usualWaits: Waits = { firstByteMsMax: 10_000, bodyMsMax: 30_000, silenceMsMax: 65_000 };

/** The handlers of requests: `listener` serves any request of Node's server, the others serve sold operations on the fast path. */
export type Answering = Handler & {
  listener: RequestListener;
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
  /** Maximum time for running calls and streams to finish when the process stops, in milliseconds. */
  drainMaxMs?: number;
};

/**
 * Listens. Connections start on the fast path and move to Node's server with the first request that the fast path does not handle.
 * The returned function stops listening, closes idle connections, and waits a bounded time for running requests. A client that closes its
 * side of a connection still gets its response.
 * @param answering is read for each request, because a reload replaces it
 */
export async function serve(
  { host, port, httpFastPath = true, connectionsMax, drainMaxMs = drainMaxMsDefault }: ServerOptions,
  answering: () => Answering,
  clock: Clock,
  waits = usualWaits,
): Promise<() => Promise<void>> {
  const server = createServer(
    {
      keepAliveTimeout: waits.silenceMsMax,
      headersTimeout: 60_000,
      requestTimeout: 0,
      // Other upgrades, such as h2c, are ignored (RFC 9110, 7.8): the request is served as it is.
      shouldUpgradeCallback: ({ headers }) => /^websocket$/i.test(headers.upgrade ?? ''),
    },
    (...request) => answering().listener(...request),
  );
  // Not typed in @types/node: lets Node send pending responses after the client has closed its side of the connection.
  Object.assign(server, { httpAllowHalfOpen: true });
  if (connectionsMax !== undefined) server.maxConnections = connectionsMax;
  server.on('checkContinue', (incoming, outgoing) => {
    RequestDeadline.continueWhenRead(incoming, outgoing);
    server.emit('request', incoming, outgoing);
  });
  ClientError.handleClientErrors(server);
  RequestDeadline.boundRequests(server);
  const upgraded = new Set<Duplex>();
  server.on('upgrade', (incoming, socket, head) => {
    upgraded.add(socket);
    socket.once('close', () => upgraded.delete(socket));
    socket.on('error', () => {});
    const { upgrade } = answering();
    if (upgrade === undefined) socket.destroy();
    else upgrade({ incoming, socket, head });
  });
  const fastPath = new Set<FastPathConnection>();
  let isDraining = false;
  let underWay = 0;
  server.on('request', (_, response) => {
    underWay += 1;
    response.once('close', () => {
      underWay -= 1;
    });
  });
  const nodeListeners = server.listeners('connection');
  const context = {
    handler: answering,
    clock,
    isDraining: () => isDraining,
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
  return async () => {
    isDraining = true;
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    const closeIdle = () => {
      for (const connection of fastPath) if (connection.isIdle) connection.socket.destroy();
      if (underWay > 0) server.closeIdleConnections();
      else server.closeAllConnections();
    };
    const closeAll = () => {
      for (const { socket } of fastPath) socket.destroy();
      for (const socket of upgraded) socket.destroy();
      server.closeAllConnections();
    };
    const check = setInterval(closeIdle, drainCheckMs);
    const late = setTimeout(closeAll, drainMaxMs);
    await closed;
    clearInterval(check);
    clearTimeout(late);
  };
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
