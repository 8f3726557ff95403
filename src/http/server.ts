import { createServer, type RequestListener } from 'node:http';
import type { Socket } from 'node:net';
import type { Clock } from '../kernel/clock.ts';
import { FrontConnection, type Handler, type Waits } from './front/front-connection.ts';

/** How long calls under way may take to end once the process is told to. */
const drainMaxMs = 10_000;
const drainLookMs = 50;

const usualWaits: Waits = { bodyMsMax: 30_000, silenceMsMax: 65_000 };

/** What answers: any request as Node reads it, and those to what is sold as the front does. */
export type Answering = Handler & { listener: RequestListener };

/**
 * Listens. Connections begin at the front, and go on to Node's server with the first request that is not for it. What this
 * returns takes nothing new and lets what is under way end, for a bounded time; a connection that asks for nothing is not
 * under way.
 * @param answering is asked for each request: a reload puts another in its place
 */
export async function serve(
  { host, port }: { host: string; port: number },
  answering: () => Answering,
  clock: Clock,
  waits = usualWaits,
): Promise<() => Promise<void>> {
  const server = createServer(
    { keepAliveTimeout: waits.silenceMsMax, requestTimeout: 60_000 },
    (...request) => answering().listener(...request),
  );
  const front = new Set<FrontConnection>();
  let isDraining = false;
  let underWay = 0;
  server.on('request', (_, response) => {
    underWay += 1;
    response.once('close', () => {
      underWay -= 1;
    });
  });
  const nodes = server.listeners('connection');
  server.removeAllListeners('connection');
  const terms = {
    handler: answering,
    clock,
    isDraining: () => isDraining,
    waits,
    handOver(socket: Socket, next: Buffer) {
      socket.pause();
      socket.unshift(next);
      for (const take of nodes) take.call(server, socket);
      socket.resume();
    },
  };
  const whenOver = (connection: FrontConnection) => front.delete(connection);
  server.on('connection', (socket: Socket) => front.add(new FrontConnection(socket, terms, whenOver)));
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  return async () => {
    isDraining = true;
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    const closeIdle = () => {
      for (const connection of front) if (connection.isIdle) connection.socket.destroy();
      if (underWay > 0) server.closeIdleConnections();
      else server.closeAllConnections();
    };
    const closeAll = () => {
      for (const { socket } of front) socket.destroy();
      server.closeAllConnections();
    };
    const look = setInterval(closeIdle, drainLookMs);
    const late = setTimeout(closeAll, drainMaxMs);
    await closed;
    clearInterval(look);
    clearTimeout(late);
  };
}
