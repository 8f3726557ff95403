import type { Socket } from 'node:net';

const lingerMsMax = 1_000;

/**
 * Closes the sending side after what was written, and discards what still arrives until the client closes, for a bounded time (RFC 9112,
 * 9.6). A socket that is closed with unread bytes sends a reset, which can destroy the end of a response on its way.
 */
export function closeGracefully(socket: Socket): void {
  const late = setTimeout(() => socket.destroy(), lingerMsMax);
  socket.once('close', () => clearTimeout(late));
  socket.end();
  socket.resume();
}
