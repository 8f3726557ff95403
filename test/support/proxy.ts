import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { freePort } from './free-port.ts';

/** Number of sent characters that are remembered for each connection. */
const sentCharsMax = 4_096;

/** A TCP proxy in front of a server, which a test can cut and restore. */
export type Proxy = {
  /** The server's URL through the proxy. */
  url: string;
  /** Breaks every connection and refuses new ones. */
  cut(): Promise<void>;
  restore(): Promise<void>;
  /** Stops reading from either side without closing anything; false ends that. */
  stall(isStalled: boolean): void;
  /** Breaks every connection that has sent these bytes or will send them; null ends that. */
  forbid(bytes: string | null): void;
};

export async function open(serverUrl: string): Promise<Proxy> {
  const target = new URL(serverUrl);
  const sockets = new Set<Socket>();
  const pairs = new Map<Socket, Socket>();
  const sent = new Map<Socket, string>();
  let isStalled = false;
  let forbidden: string | null = null;
  let server: Server;
  const police = (socket: Socket) => {
    if (forbidden !== null && sent.get(socket)?.includes(forbidden)) socket.destroy();
  };
  const listen = async (port: number) => {
    server = createServer((near) => {
      const far = connect(Number(target.port), target.hostname);
      for (const [from, to] of [
        [near, far],
        [far, near],
      ] as const) {
        sockets.add(from);
        from
          .on('error', () => undefined)
          .on('close', () => {
            sockets.delete(from);
            pairs.delete(from);
            to.destroy();
          });
        if (isStalled) from.pause();
        else from.pipe(to);
        pairs.set(from, to);
      }
      near
        .on('data', (chunk) => {
          sent.set(near, `${sent.get(near) ?? ''}${chunk.toString('latin1')}`.slice(-sentCharsMax));
          police(near);
        })
        .on('close', () => sent.delete(near));
    });
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    return port;
  };
  // Not one that outgoing connections may take while it is cut.
  const port = await listen(await freePort());
  const url = new URL(serverUrl);
  url.host = `127.0.0.1:${port}`;
  return {
    url: url.href,
    async cut() {
      server.close();
      for (const socket of sockets) socket.destroy();
      await once(server, 'close');
    },
    async restore() {
      await listen(port);
    },
    stall(stalled) {
      isStalled = stalled;
      for (const [from, to] of pairs) {
        if (stalled) from.unpipe(to).pause();
        else from.pipe(to);
      }
    },
    forbid(bytes) {
      forbidden = bytes;
      for (const socket of sent.keys()) police(socket);
    },
  };
}
