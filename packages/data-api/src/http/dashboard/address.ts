import type { IncomingMessage } from 'node:http';
import type { Context } from 'hono';

/** The caller's address: the last entry of the header that a trusted proxy writes, otherwise that of the connection. */
export function of(c: Context, header: string | null): string {
  const { incoming } = c.env as { incoming?: IncomingMessage };
  const connection = incoming?.socket.remoteAddress ?? 'unknown';
  if (header === null) return connection;
  return c.req.header(header)?.split(',').at(-1)?.trim() || connection;
}
