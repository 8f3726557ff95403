import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export type TcpRelay = {
  port: number;
  /** Delay of each direction in milliseconds. */
  delayMs: number;
  /** Drops every byte from now on, as a network does that is cut: connections stay open, and new ones get no answer. */
  cut(): void;
  /** Closes the connections that were cut, and passes bytes again. */
  heal(): void;
  close(): Promise<void>;
};

/** Opens a relay on a loopback port (0: a free one) to the server on `target`. */
export async function open(target: number, listenOn = 0): Promise<TcpRelay> {
  const sockets = new Set<Socket>();
  let isCut = false;
  const server = createServer((near) => {
    const far = connect(target, '127.0.0.1');
    pass(near, far);
    pass(far, near);
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.setNoDelay(true);
      socket.on('close', () => sockets.delete(socket));
    }
  });
  const pass = (from: Socket, to: Socket) => {
    from.on('data', (chunk) => {
      if (isCut) return;
      const write = () => {
        if (!isCut && !to.destroyed) to.write(chunk);
      };
      if (relay.delayMs === 0) write();
      else setTimeout(write, relay.delayMs);
    });
    from.on('error', () => undefined);
    from.on('close', () => {
      if (!isCut) to.destroy();
    });
  };
  const destroyAll = () => {
    for (const socket of sockets) socket.destroy();
  };
  server.listen(listenOn, '127.0.0.1');
  await once(server, 'listening');
  const relay: TcpRelay = {
    port: (server.address() as AddressInfo).port,
    delayMs: 0,
    cut() {
      isCut = true;
    },
    heal() {
      destroyAll();
      isCut = false;
    },
    async close() {
      server.close();
      destroyAll();
      await once(server, 'close');
    },
  };
  return relay;
}
