import type { IncomingMessage } from 'node:http';
import { WebSocket } from 'ws';
import * as Headers from '../../proxy/headers.ts';
import type { KeySearch } from '../../proxy/key-search.ts';
import * as OwnParameter from '../../proxy/own-parameter.ts';
import type { Outbound } from '../../proxy/upstream.ts';
import type { Dial, Dialled } from '../../proxy/upstream-socket.ts';
import type { Common } from './request-head.ts';

/** A longer response to a handshake is cut. */
const refusalBytesMax = 64 * 1024;
/** An option that the types lack. */
const closing: object = { closeTimeout: 5_000 };
/** The headers of the handshake, and those that have no meaning in it. */
const dropped = /^(accept-encoding|content-.*|connection|upgrade|host|sec-websocket-.*)$/i;
const target = /^\/[\x21-\x7e]*$/;

/** The address of an upstream, its time limit, and its secrets. */
type Settings = { origin: string; timeoutMs: number; keySearch: () => KeySearch | null };

/** Opens a WebSocket at the upstream with the operator's key and the allowed headers. Never rejects. Resolves with a paused socket. */
export function dial(
  { origin, timeoutMs, keySearch }: Settings,
  common: Common,
  outbound: Outbound,
  { protocols, messageBytesMax }: Dial,
): Promise<Dialled> {
  const { query, path } = outbound.target;
  const { prefix, own, parameter, forward, caller } = common;
  const address =
    prefix + path + (parameter === undefined ? query : OwnParameter.replaceIn(query, parameter));
  if (!target.test(address)) return Promise.resolve({ kind: 'unavailable', reason: 'unsendable' });
  const list = Headers.toUpstream(outbound.rawHeaders, false, own, forward);
  if (caller !== undefined && outbound.account) list.push(caller.header, caller.idOf(outbound.account));
  if (outbound.traceparent) list.push('traceparent', outbound.traceparent);
  const headers: Record<string, string> = {};
  for (let at = 0; at + 1 < list.length; at += 2)
    if (!dropped.test(list[at] as string)) headers[list[at] as string] = list[at + 1] as string;
  return new Promise((resolve) => {
    let socket: WebSocket;
    try {
      socket = new WebSocket(origin.replace(/^http/, 'ws') + address, [...protocols], {
        ...closing,
        headers,
        perMessageDeflate: false,
        followRedirects: false,
        maxPayload: messageBytesMax,
        handshakeTimeout: timeoutMs,
      });
    } catch {
      return resolve({ kind: 'unavailable', reason: 'unsendable' });
    }
    socket.on('error', (error) =>
      resolve(
        /timed out/.test(error.message)
          ? { kind: 'timeout' }
          : { kind: 'unavailable', reason: (error as NodeJS.ErrnoException).code ?? 'handshake_failed' },
      ),
    );
    socket.once('unexpected-response', (request, response) => {
      void refusal(response, timeoutMs, keySearch()).then((refused) => {
        resolve(refused);
        request.destroy();
      });
    });
    socket.once('upgrade', ({ socket: connection }) => {
      socket.once('open', () => {
        socket.pause();
        const hasSecret = (message: Buffer) => keySearch()?.whole.areIn(message) ?? false;
        resolve({ kind: 'open', socket, isConnected: () => !connection.destroyed, hasSecret });
      });
    });
  });
}

/** Reads the response of an upstream that opens no WebSocket. One with a secret, or a redirect, is not passed on. */
async function refusal(
  response: IncomingMessage,
  timeoutMs: number,
  keySearch: KeySearch | null,
): Promise<Dialled> {
  const late = setTimeout(() => response.destroy(), timeoutMs);
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes > refusalBytesMax) break;
    }
  } catch {
    return { kind: 'unavailable', reason: 'broken_off' };
  } finally {
    clearTimeout(late);
  }
  const status = response.statusCode ?? 0;
  const body = Buffer.concat(chunks);
  const contentType = response.headers['content-type'];
  if (keySearch?.whole.areIn(body) || keySearch?.whole.areIn(Buffer.from(contentType ?? '')))
    return { kind: 'unavailable', reason: 'key_in_body' };
  return status >= 400 && bytes <= refusalBytesMax
    ? { kind: 'answered', status, contentType, body }
    : { kind: 'unavailable', reason: `handshake_${status}` };
}
