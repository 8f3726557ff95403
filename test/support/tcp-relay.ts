import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A PostgreSQL client sends its name in its first messages. */
const startupBytesMax = 2_000;

export type TcpRelay = {
  port: number;
  /** Port of the server that new connections lead to. */
  target: number;
  /** Delay of each direction in milliseconds. */
  delayMs: number;
  /**
   * Drops every byte from now on, as a network does that is cut: connections stay open, and new ones get no answer.
   * @param peer only those of the PostgreSQL client with this `application_name`
   */
  cut(peer?: string): void;
  /** Drops every byte of the connections that this client has now, which stay open. New ones pass. */
  silence(peer: string): void;
  /** Closes the connections that were cut, and passes bytes again. */
  heal(): void;
  close(): Promise<void>;
};

/** Opens a relay on a loopback port (0: a free one) to the server on port `target`. */
export async function open(target: number, listenOn = 0): Promise<TcpRelay> {
  const sockets = new Set<Socket>();
  /** The client whose bytes are dropped; `peer: null` for all clients, and null for none. */
  let cut: { peer: string | null } | null = null;
  const names = new Map<Socket, string>();
  const silent = new WeakSet<Socket>();
  const isCut = (near: Socket) =>
    silent.has(near) || (cut !== null && (cut.peer === null || cut.peer === names.get(near)));
  const server = createServer((near) => {
    const far = connect(relay.target, '127.0.0.1');
    near.on('data', (chunk) => {
      const name = /\0application_name\0([^\0]+)\0/.exec(
        chunk.subarray(0, startupBytesMax).toString('latin1'),
      )?.[1];
      if (!names.has(near) && name !== undefined) names.set(near, name);
    });
    pass(near, far, near);
    pass(far, near, near);
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.setNoDelay(true);
      socket.on('close', () => {
        sockets.delete(socket);
        names.delete(socket);
      });
    }
  });
  const pass = (from: Socket, to: Socket, near: Socket) => {
    from.on('data', (chunk) => {
      if (isCut(near)) return;
      const write = () => {
        if (!isCut(near) && !to.destroyed) to.write(chunk);
      };
      if (relay.delayMs === 0) write();
      else setTimeout(write, relay.delayMs);
    });
    from.on('error', () => undefined);
    from.on('close', () => {
      if (!isCut(near)) to.destroy();
    });
  };
  const destroyAll = () => {
    for (const socket of sockets) socket.destroy();
  };
  server.listen(listenOn, '127.0.0.1');
  await once(server, 'listening');
  const relay: TcpRelay = {
    port: (server.address() as AddressInfo).port,
    target,
    delayMs: 0,
    cut(peer) {
      cut = { peer: peer ?? null };
    },
    silence(peer) {
      for (const [near, name] of names) if (name === peer) silent.add(near);
    },
    heal() {
      destroyAll();
      cut = null;
    },
    async close() {
      server.close();
      destroyAll();
      await once(server, 'close');
    },
  };
  return relay;
}
