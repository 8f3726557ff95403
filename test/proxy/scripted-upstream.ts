import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import * as tls from 'node:tls';

/** A request as received: header section and body, byte for byte (latin1). */
export type Received = { head: string; body: string; socket: Socket };

export type ScriptedUpstream = {
  url: string;
  received: Received[];
  /** Returns the number of connections accepted so far. */
  connections(): number;
  close(): Promise<void>;
};

/**
 * A TCP server that reads each request by its content-length and then lets `script` write anything, valid or not, so that responses
 * can be tested that no HTTP library would send. `secure`: over TLS.
 */
export async function scripted(
  script: (received: Received) => unknown,
  secure: tls.TlsOptions | null = null,
): Promise<ScriptedUpstream> {
  const received: Received[] = [];
  const sockets = new Set<Socket>();
  let connections = 0;
  const listener = (socket: Socket) => {
    connections++;
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => undefined);
    let text = '';
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1');
      for (;;) {
        const end = text.indexOf('\r\n\r\n');
        if (end < 0) return;
        const length = Number(/\r\ncontent-length: (\d+)/i.exec(text.slice(0, end))?.[1] ?? 0);
        if (text.length < end + 4 + length) return;
        const one = { head: text.slice(0, end), body: text.slice(end + 4, end + 4 + length), socket };
        text = text.slice(end + 4 + length);
        received.push(one);
        script(one);
      }
    });
  };
  const server = secure === null ? createServer(listener) : tls.createServer(secure, listener);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http${secure === null ? '' : 's'}://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    connections: () => connections,
    async close() {
      for (const socket of sockets) socket.destroy();
      if (!server.listening) return;
      server.close();
      await once(server, 'close');
    },
  };
}

/** Returns a well-formed response with a content-length. */
export function http(status: number, body: string | Buffer = '', headers: readonly string[] = []): Buffer {
  const bytes = Buffer.from(body);
  const lines = [`HTTP/1.1 ${status} Scripted`, ...headers, `content-length: ${bytes.length}`, '', ''];
  return Buffer.concat([Buffer.from(lines.join('\r\n'), 'latin1'), bytes]);
}
