import type { Server } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import type { FastPathConnection } from '../fast-path/connection.ts';
import type { NodeConnections } from './node-connections.ts';

const checkMs = 50;
const quietMsMin = 100;
const quietMsMax = 1_000;
const acceptMsMax = 250;
/** Turns of the event loop without a new connection, after which the queue of the listener counts as empty. */
const emptyTurns = 3;

export type Connections = {
  server: Server;
  fastPath: ReadonlySet<FastPathConnection>;
  node: NodeConnections;
  /** Closes every connection at once. */
  closeAll(): void;
};

/**
 * Closes the listener, waits for the requests under way, and closes each connection when no request is under way and no byte has arrived
 * for a while: a client may have sent its next request before it could know. After `maxMs` all connections are closed.
 */
export async function drain(connections: Connections, lameDuckMs: number, maxMs: number): Promise<void> {
  const { server, fastPath, node } = connections;
  await acceptQueued(server);
  // Without the close of http.Server, which destroys idle connections at once.
  const closed = new Promise<void>((resolve) => {
    NetServer.prototype.close.call(server, () => resolve());
  });
  const quiet = new Quiet(Math.min(Math.max(lameDuckMs, quietMsMin), quietMsMax) / checkMs);
  const check = setInterval(() => {
    for (const connection of fastPath)
      if (connection.isIdle && quiet.has(connection.socket)) connection.end();
    for (const socket of node.idle()) if (quiet.has(socket)) socket.destroy();
  }, checkMs);
  const late = setTimeout(connections.closeAll, maxMs);
  await closed;
  clearInterval(check);
  clearTimeout(late);
}

/** Finds the idle connections on which no byte has arrived for a number of checks. */
class Quiet {
  readonly #checks: number;
  readonly #seen = new WeakMap<Socket, { bytes: number; checks: number }>();

  constructor(checks: number) {
    this.#checks = checks;
  }

  /** Call it in each check of an idle connection. */
  has(socket: Socket): boolean {
    const seen = this.#seen.get(socket);
    if (seen === undefined || seen.bytes !== socket.bytesRead) {
      this.#seen.set(socket, { bytes: socket.bytesRead, checks: 0 });
      return false;
    }
    seen.checks += 1;
    return seen.checks >= this.#checks;
  }
}

/** Accepts the connections that the system has queued: the close of the listener would reset them. */
async function acceptQueued(server: Server): Promise<void> {
  let accepted = 0;
  const count = () => {
    accepted += 1;
  };
  server.on('connection', count);
  let isLate = false;
  const late = setTimeout(() => {
    isLate = true;
  }, acceptMsMax);
  for (let empty = 0; empty < emptyTurns && !isLate; ) {
    const before = accepted;
    await turn();
    empty = accepted === before ? empty + 1 : 0;
  }
  clearTimeout(late);
  server.off('connection', count);
}
