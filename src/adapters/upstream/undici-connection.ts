import { PassThrough } from 'node:stream';
import { Client, type Dispatcher } from 'undici';
import type { Upload } from '../../proxy/upload.ts';
import type { Exchange, ParsedResponse } from './exchange.ts';
import type { PooledConnection, PoolListener } from './pooled-connection.ts';
import * as ResponseHead from './response-head.ts';
import * as Reuse from './reuse.ts';
import { UploadPipe } from './upload-pipe.ts';

export type UndiciOrigin = {
  /** Scheme, host and port of the upstream. */
  origin: string;
  isSecure: boolean;
  connectTimeoutMs: number;
  /** True when a connection may carry several requests, one after another. */
  reuses: boolean;
};

const headBytesMax = 16 * 1024;
const nothing = Buffer.alloc(0);

/** Returns the address of a base URL of http or https. */
export function place(url: URL, reuses: boolean, connectTimeoutMs: number): UndiciOrigin {
  return { origin: url.origin, isSecure: url.protocol === 'https:', connectTimeoutMs, reuses };
}

/**
 * A connection by undici's client, which reads and writes HTTP and reconnects by itself when its socket has ended while idle.
 * It carries one exchange at a time. Deadlines, the queue, the search for the key and the rules for reuse are the same as for the
 * built-in client.
 */
export class UndiciConnection implements PooledConnection {
  exchange: Exchange | null = null;
  untilMs: number;
  idleSinceMs = 0;
  /** Always true, because undici itself limits the time to connect. */
  readonly isEstablished = true;

  readonly #client: Client;
  readonly #isSecure: boolean;
  readonly #listener: PoolListener;
  #controller: Dispatcher.DispatchController | null = null;
  #isGone = false;
  /** The body of the request while it is being forwarded. */
  #upload: UploadPipe | null = null;
  #isUsed = false;

  constructor(
    { origin, isSecure, connectTimeoutMs, reuses }: UndiciOrigin,
    untilMs: number,
    listener: PoolListener,
  ) {
    this.untilMs = untilMs;
    this.#listener = listener;
    this.#isSecure = isSecure;
    this.#client = new Client(origin, {
      // 0: each connection is used once.
      pipelining: reuses ? 1 : 0,
      allowH2: false,
      headersTimeout: 0,
      bodyTimeout: 0,
      maxHeaderSize: headBytesMax,
      // TLS sessions are not resumed, because Node does not check the name on a resumed one.
      connect: { timeout: connectTimeoutMs, maxCachedSessions: 0 },
    });
  }

  take(exchange: Exchange): void {
    this.exchange = exchange;
    exchange.cancelable = this;
    // Let a poll phase pass in addition to undici's own, so that bytes or an end that have already arrived are noticed.
    if (this.#isUsed) setImmediate(this.#dispatch, exchange);
    else this.#dispatch(exchange);
  }

  readonly #dispatch = (exchange: Exchange): void => {
    if (this.exchange !== exchange) return;
    this.#isUsed = true;
    try {
      const body = exchange.upload === null ? exchange.body : this.#forward(exchange, exchange.upload);
      this.#client.dispatch(requestOf(exchange, body), this.#handler(exchange));
    } catch {
      if (this.exchange === exchange) this.lost('unsendable');
    }
  };

  /** Returns the body of a request as a stream, for which undici writes the framing. */
  #forward(exchange: Exchange, upload: Upload): PassThrough {
    const body = new PassThrough();
    // It is destroyed with its request, which reports the failure.
    body.on('error', () => undefined);
    const pipe = new UploadPipe(upload, body, exchange, false);
    this.#upload = pipe;
    pipe.start();
    return body;
  }

  resume(): void {
    this.#controller?.resume();
  }

  destroy(): void {
    if (this.#isGone) return;
    this.#isGone = true;
    this.exchange = null;
    this.#upload?.stop();
    // It settles when the socket is closed; a failure to close is not a failure of any request.
    void this.#client.destroy(new Error('destroyed')).catch(() => undefined);
    this.#listener.gone(this);
  }

  lost(reason: string): void {
    this.exchange?.lost(reason);
    this.destroy();
  }

  #handler(exchange: Exchange): Dispatcher.DispatchHandler {
    const reading: ParsedResponse = { head: null, state: 'head', from: 0, to: 0 };
    const isOurs = () => this.exchange === exchange;
    let left = Number.POSITIVE_INFINITY;
    return {
      onRequestStart: (controller) => {
        this.#controller = controller;
        // It is called before the first byte is written.
        exchange.isSent = true;
      },
      onResponseStart: (controller, status) => {
        if (status < 200 || !isOurs()) return;
        const head = ResponseHead.ofFields(
          status,
          fieldsOf(controller.rawHeaders),
          exchange.method === 'HEAD',
        );
        if (typeof head === 'string') return this.lost(head);
        // Over TLS, an attacker's end of the connection looks like the upstream's (RFC 9112, 9.8).
        if (head.body === 'close' && this.#isSecure) return this.lost('no_length');
        reading.head = head;
        reading.state = 'body';
        if (head.body === 'length') left = Number(head.contentLength);
        if (!exchange.received(reading, nothing)) controller.pause();
      },
      onResponseData: (controller, chunk) => {
        if (!isOurs()) return;
        reading.to = chunk.length;
        left -= chunk.length;
        // All bytes have arrived, so a slow reader of the last ones does not occupy the connection.
        if (left === 0) reading.state = 'over';
        if (!exchange.received(reading, chunk)) controller.pause();
      },
      onResponseEnd: () => {
        if (!isOurs() || reading.head === null) return;
        reading.to = 0;
        reading.state = 'over';
        exchange.received(reading, nothing);
        if (isOurs()) this.#over(exchange, reading.head);
      },
      onResponseError: (_, error) => {
        if (isOurs()) this.lost(reasonOf(error));
      },
    };
  }

  #over({ method, body, upload, isLast }: Exchange, head: ResponseHead.HeaderSection): void {
    this.exchange = null;
    this.#controller = null;
    const isEarly = this.#upload?.hasEnded === false;
    this.#upload?.stop();
    this.#upload = null;
    const hasBody = body !== null || upload !== null;
    if (isEarly || isLast || head.reuseMs === 0 || !Reuse.isSafe(method, hasBody, head)) {
      this.destroy();
      return;
    }
    this.idleSinceMs = performance.now();
    this.untilMs = this.idleSinceMs + head.reuseMs;
    this.#listener.idle(this);
  }
}

/** Builds undici's options for the request that the built-in client would write, field by field. */
function requestOf(
  { method, head }: Exchange,
  body: Buffer | PassThrough | null,
): Dispatcher.DispatchOptions {
  const [line = '', ...lines] = head.trimEnd().split('\r\n');
  const headers: string[] = [];
  for (const field of lines) {
    const colon = field.indexOf(': ');
    if (field.startsWith('transfer-encoding: ')) continue;
    headers.push(field.slice(0, colon), field.slice(colon + 2));
  }
  return { method: method as Dispatcher.HttpMethod, path: line.split(' ')[1] ?? '', headers, body };
}

/** A flat list with names in lower case, values byte for byte. */
function fieldsOf(rawHeaders: unknown): string[] {
  if (!Array.isArray(rawHeaders)) return [];
  return rawHeaders.map((text: Buffer | string, at) => {
    const field = typeof text === 'string' ? text : text.toString('latin1');
    return at % 2 === 0 ? field.toLowerCase() : field.trim();
  });
}

function reasonOf(error: Error): string {
  const code = 'code' in error && typeof error.code === 'string' ? error.code : error.name;
  return code === 'UND_ERR_CONNECT_TIMEOUT' ? 'ETIMEDOUT' : code;
}
