import { type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { writePage } from '../reply.ts';
import { closeGracefully } from './linger.ts';

/** Requests of one connection whose responses have not been sent completely. */
type UnderWay = Set<{ incoming: IncomingMessage; outgoing: ServerResponse }>;

/** A request that could not be read. `accept`: its `Accept` header, as far as it arrived; empty otherwise. */
export type Unreadable = { status: number; accept: string };
/** Returns the response to such a request. */
export type Explain = (unreadable: Unreadable) => Response;

/** The details that Node reports with an error of its parser. */
type ParserError = NodeJS.ErrnoException & { rawPacket?: Buffer };

const badRequest = 400;
const uriTooLong = 414;
const headersTooLarge = 431;
const statuses: Readonly<Record<string, number>> = {
  HPE_HEADER_OVERFLOW: headersTooLarge,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
};
/** Node's limit of a request line and its header section together (`--max-http-header-size`). */
const headBytesMax = 16 * 1024;

/**
 * Ends a connection after a malformed request, with the response of `explain`. Node's server would write its error immediately and drop the
 * responses to earlier pipelined requests, which may already be charged. This handler sends those responses first and then closes the connection.
 */
export function handleClientErrors(server: Server, explain: () => Explain | undefined): void {
  const bySocket = new WeakMap<object, UnderWay>();
  const ending = new WeakSet<object>();
  const explained = new WeakSet<object>();
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
  server.on('clientError', (error: ParserError, duplex) => {
    const socket = duplex as Socket;
    const underWay = bySocket.get(socket);
    if (ending.has(socket) || explained.has(socket)) return;
    if (underWay !== undefined && hasComplete(underWay)) {
      ending.add(socket);
      return;
    }
    const isFree = () =>
      socket.writable && ![...(underWay ?? [])].some(({ outgoing }) => outgoing.headersSent);
    if (!isFree()) {
      socket.destroySoon();
      return;
    }
    explained.add(socket);
    void respond(socket, isFree, unreadableOf(error), explain());
  });
}

/** Reads the cause of the error, and the `Accept` header from the bytes that were parsed last: a short request is in them as a whole. */
function unreadableOf({ code = '', rawPacket }: ParserError): Unreadable {
  const text = rawPacket?.toString('latin1') ?? '';
  const status = statuses[code] ?? badRequest;
  // The request line alone is over the limit.
  const lineEnd = text.indexOf('\n');
  const isLongTarget = /^[A-Z]+ \S/.test(text) && (lineEnd < 0 ? text.length : lineEnd) >= headBytesMax;
  return {
    status: status === headersTooLarge && isLongTarget ? uriTooLong : status,
    accept: /^accept:[ \t]*([^\r\n]*)/im.exec(text)?.[1] ?? '',
  };
}

async function respond(
  socket: Socket,
  isFree: () => boolean,
  unreadable: Unreadable,
  explain: Explain | undefined,
): Promise<void> {
  const { status } = unreadable;
  const response = explain?.(unreadable) ?? new Response(null, { status });
  const body = Buffer.from(await response.arrayBuffer());
  if (!isFree()) {
    socket.destroySoon();
    return;
  }
  response.headers.set('content-length', String(body.length));
  response.headers.set('connection', 'close');
  const lines = [...response.headers].map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n`);
  socket.write(body);
  closeGracefully(socket);
}

/** Refuses a request whose header section was read, and ends its connection. */
export function refuse(
  status: number,
  { headers }: IncomingMessage,
  outgoing: ServerResponse,
  explain: Explain | undefined,
): void {
  const response = explain?.({ status, accept: headers.accept ?? '' }) ?? new Response(null, { status });
  response.headers.set('connection', 'close');
  void writePage(outgoing, response);
}

function hasComplete(underWay: UnderWay): boolean {
  for (const { incoming } of underWay) if (incoming.complete) return true;
  return false;
}
