import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';

type NodeConnection = {
  /** Requests whose responses have not been sent. */
  underWay: number;
  newest: ServerResponse | null;
  /** The response that ends the connection, once it is chosen. */
  last: ServerResponse | null;
};

/** The connections of Node's server. When the process stops, the newest response of each becomes its last one. */
export class NodeConnections {
  readonly #connections = new Map<Duplex, NodeConnection>();
  #isEnding = false;

  add(socket: Socket): void {
    this.#connections.set(socket, { underWay: 0, newest: null, last: null });
    socket.once('close', () => this.#connections.delete(socket));
  }

  /** Forgets a connection that became a WebSocket. */
  remove(socket: Duplex): void {
    this.#connections.delete(socket);
  }

  /** Returns the connections on which no response is due. */
  *idle(): Generator<Socket> {
    for (const [socket, { underWay }] of this.#connections) if (underWay === 0) yield socket as Socket;
  }

  /** From now on, the newest response of a connection says `connection: close`. */
  end(): void {
    this.#isEnding = true;
    for (const connection of this.#connections.values())
      if (connection.newest !== null && connection.underWay > 0) choose(connection, connection.newest);
  }

  /** Registers a request. Returns false when it must be ignored, because an earlier response said that it was the last. */
  register({ socket }: IncomingMessage, response: ServerResponse): boolean {
    const connection = this.#connections.get(socket);
    if (connection === undefined) return true;
    const { last } = connection;
    if (last?.headersSent) return false;
    // A pipelined request arrived before the response that was to be the last.
    if (last !== null) last.shouldKeepAlive = true;
    connection.last = null;
    connection.newest = response;
    connection.underWay += 1;
    response.once('close', () => {
      connection.underWay -= 1;
    });
    if (this.#isEnding) choose(connection, response);
    return true;
  }
}

function choose(connection: NodeConnection, response: ServerResponse): void {
  // The connection ends after it anyway, or its header section has left already.
  if (!response.shouldKeepAlive || response.headersSent) return;
  response.shouldKeepAlive = false;
  connection.last = response;
}
