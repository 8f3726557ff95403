import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Requests of one connection whose responses have not been sent completely. */
type UnderWay = Set<{ incoming: IncomingMessage; outgoing: ServerResponse }>;

const statuses: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: '413 Payload Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
};

/**
 * Ends a connection after a malformed request. Node's server would write its error immediately and drop the responses to earlier pipelined
 * requests, which may already be charged. This handler sends those responses first and then closes the connection.
 */
export function handleClientErrors(server: Server): void {
  const bySocket = new WeakMap<object, UnderWay>();
  const ending = new WeakSet<object>();
  server.on('request', (incoming, outgoing) => {
    const { socket } = incoming;
    const underWay: UnderWay = bySocket.get(socket) ?? new Set();
    bySocket.set(socket, underWay);
    const one = { incoming, outgoing };
    underWay.add(one);
    outgoing.once('close', () => {
      underWay.delete(one);
      if (ending.has(socket) && !hasComplete(underWay)) socket.destroySoon();
    });
  });
  server.on('clientError', (error: NodeJS.ErrnoException, duplex) => {
    const socket = duplex as Socket;
    const underWay = bySocket.get(socket);
    if (ending.has(socket)) return;
    if (underWay !== undefined && hasComplete(underWay)) {
      ending.add(socket);
      return;
    }
    const hasBegun = underWay !== undefined && [...underWay].some(({ outgoing }) => outgoing.headersSent);
    if (socket.writable && !hasBegun)
      socket.write(
        `HTTP/1.1 ${statuses[error.code ?? ''] ?? '400 Bad Request'}\r\nConnection: close\r\n\r\n`,
      );
    socket.destroySoon();
  });
}

function hasComplete(underWay: UnderWay): boolean {
  for (const { incoming } of underWay) if (incoming.complete) return true;
  return false;
}
