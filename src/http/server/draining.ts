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
  const quietMs = Math.min(Math.max(lameDuckMs, quietMsMin), quietMsMax);
  const quiet = new Quiet(quietMs);
  const check = setInterval(() => {
    const nowMs = performance.now();
    for (const connection of fastPath)
      if (connection.isIdle && quiet.has(connection.socket, nowMs)) connection.end();
    for (const socket of node.idle()) if (quiet.has(socket, nowMs)) socket.destroy();
  }, checkMs);
  const late = setTimeout(connections.closeAll, maxMs);
  await closed;
  clearInterval(check);
  clearTimeout(late);
}

/** Finds the idle connections on which no byte has arrived for a time. */
class Quiet {
  readonly #ms: number;
  readonly #seen = new WeakMap<Socket, { bytes: number; sinceMs: number }>();

  constructor(ms: number) {
    this.#ms = ms;
  }

  /** Returns true for a connection that received nothing since an earlier check, at least the time ago. */
  has(socket: Socket, nowMs: number): boolean {
    const seen = this.#seen.get(socket);
    if (seen === undefined || seen.bytes !== socket.bytesRead) {
      this.#seen.set(socket, { bytes: socket.bytesRead, sinceMs: nowMs });
      return false;
    }
    return nowMs - seen.sinceMs >= this.#ms;
  }
}

/** Accepts the connections that the system has queued: the close of the listener would reset them. */
async function acceptQueued(server: Server): Promise<void> {
  let accepted = 0;
  const count = () => {
    accepted += 1;
  };
  server.on('connection', count);
  const endMs = performance.now() + acceptMsMax;
  for (let empty = 0; empty < emptyTurns && performance.now() < endMs; ) {
    const before = accepted;
    await turn();
    empty = accepted === before ? empty + 1 : 0;
  }
  server.off('connection', count);
}
