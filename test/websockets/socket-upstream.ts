import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { type WebSocket, WebSocketServer } from 'ws';

/** An upstream with WebSockets, whose side the test plays. */
export type SocketUpstream = {
  url: string;
  requests: IncomingMessage[];
  /** The status of the next handshakes; 101 opens them. */
  status: number;
  /** Resolves with the next WebSocket that is opened. */
  next(): Promise<WebSocket>;
  close(): Promise<void>;
};

export async function open(): Promise<SocketUpstream> {
  const server = createServer((_, response) => response.end('{"plain":true}'));
  const sockets = new WebSocketServer({
    noServer: true,
    handleProtocols: (names) => (names.has('v1') ? 'v1' : false),
  });
  const opened: WebSocket[] = [];
  const waiting: ((socket: WebSocket) => void)[] = [];
  const upstream: SocketUpstream = {
    url: '',
    requests: [],
    status: 101,
    next: () => {
      const socket = opened.shift();
      return socket ? Promise.resolve(socket) : new Promise((resolve) => waiting.push(resolve));
    },
    async close() {
      server.closeAllConnections();
      for (const client of sockets.clients) client.terminate();
      await once(server.close(), 'close');
    },
  };
  server.on('upgrade', (request, socket, head) => {
    upstream.requests.push(request);
    if (upstream.status !== 101) {
      const body = '{"upstream":"refuses"}';
      socket.end(
        `HTTP/1.1 ${upstream.status} No\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
      );
      return;
    }
    sockets.handleUpgrade(request, socket, head, (client) => {
      client.on('error', () => {});
      const resolve = waiting.shift();
      if (resolve) resolve(client);
      else opened.push(client);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  upstream.url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;
  return upstream;
}
