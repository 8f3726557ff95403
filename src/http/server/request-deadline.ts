import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import * as Upload from './upload.ts';

/** Maximum time to receive a whole request; Node's own limit cannot make an exception for one request. */
const requestMsMax = 60_000;

/** Disconnects callers whose requests take too long to arrive. An upload has its own limits (upload.ts). */
export function boundRequests(server: Server, msMax: number = requestMsMax): void {
  server.on('request', (incoming: IncomingMessage) => {
    const { 'content-length': length = '0', 'transfer-encoding': coding } = incoming.headers;
    if (length === '0' && coding === undefined) return;
    const late = setTimeout(() => {
      if (!incoming.complete && !Upload.isUpload(incoming)) incoming.socket.destroy();
    }, msMax);
    late.unref();
    incoming.once('close', () => clearTimeout(late));
  });
}

/**
 * Sends `100 Continue` when the body is first read, so that a request which is refused before that uploads nothing. It waits for the turn
 * of its response: Node would write it into the previous pipelined one.
 */
export function continueWhenRead(incoming: IncomingMessage, outgoing: ServerResponse): void {
  let isAsked = false;
  const write = () => {
    if (!outgoing.headersSent) outgoing.writeContinue();
  };
  incoming.on('newListener', (event) => {
    if (isAsked || (event !== 'data' && event !== 'readable')) return;
    isAsked = true;
    if (outgoing.socket !== null) write();
    else outgoing.once('socket', write);
  });
}
