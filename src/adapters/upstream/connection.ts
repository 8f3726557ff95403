import { isIP, type Socket, connect as tcpConnect } from 'node:net';
import { createSecureContext, type SecureContext, connect as tlsConnect } from 'node:tls';
import { AfterPoll } from './after-poll.ts';
import type { Exchange } from './exchange.ts';
import type { PooledConnection, PoolListener } from './pooled-connection.ts';
import { ResponseParser } from './response-parser.ts';
import * as Reuse from './reuse.ts';
import { UploadPipe } from './upload-pipe.ts';

/** The address of an upstream. */
export type UpstreamAddress = {
  host: string;
  port: number;
  /** The settings for verifying certificates; null for http. */
  secure: SecureContext | null;
};

/** Maximum length of one read: a whole typical response, and little compared with the buffers of the sockets. */
const readBytesMax = 32 * 1024;
/** A body up to this length is sent in one write with its header section. */
const oneWriteBytesMax = 16 * 1024;
const nothing = Buffer.alloc(0);
const afterPoll = new AfterPoll();

/** Reads the address from a base URL of http or https. */
export function place(url: URL): UpstreamAddress {
  const isSecure = url.protocol === 'https:';
  return {
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: Number(url.port || (isSecure ? 443 : 80)),
    secure: isSecure ? createSecureContext() : null,
  };
}

/**
 * One connection to the upstream, which carries at most one exchange at a time. Each request is written once, whatever happens to it.
 * Bytes that are not clearly part of its response end the connection, so that they are never taken for the next response.
 */
export class Connection implements PooledConnection {
  exchange: Exchange | null = null;
  /** On the clock of `performance.now()`: the deadline for connecting, and while it is idle, the time until which it may be reused. */
  untilMs: number;
  /** On the same clock: the time at which it became idle. */
  idleSinceMs = 0;
  isEstablished = false;

  readonly #socket: Socket;
  readonly #isSecure: boolean;
  readonly #listener: PoolListener;
  #reader: ResponseParser | null = null;
  #isGone = false;
  /** True when a request has already been written on it. */
  #isUsed = false;
  /** True when the response began before all of the request was sent: the upstream may not read the rest of the request. */
  #isEarly = false;
  /** The body of the request while it is being forwarded. */
  #upload: UploadPipe | null = null;

  /** Starts to connect. */
  constructor(place: UpstreamAddress, untilMs: number, listener: PoolListener) {
    this.untilMs = untilMs;
    this.#listener = listener;
    this.#isSecure = place.secure !== null;
    this.#socket = place.secure === null ? this.#connect(place) : this.#connectSecurely(place, place.secure);
    this.#socket.setNoDelay(true);
    this.#socket.on('end', () => this.#ended());
    this.#socket.on('error', (error) => this.#failed(error));
    this.#socket.on('close', () => this.lost('closed'));
  }

  /** Sends the request of `exchange` as soon as the connection is established. */
  take(exchange: Exchange): void {
    this.exchange = exchange;
    exchange.cancelable = this;
    if (!this.isEstablished) return;
    if (!this.#isUsed) this.#send(exchange);
    // Bytes or an end that have already arrived would otherwise be taken for the response to this request.
    else afterPoll.add(this.#sendStillUnsent);
  }

  /** Continues to read after its exchange returned false from `received`. */
  resume(): void {
    this.#socket.resume();
  }

  /** Closes the connection and aborts the request upstream; the caller notifies its exchange. */
  destroy(): void {
    if (this.#isGone) return;
    this.#isGone = true;
    this.exchange = null;
    this.#upload?.stop();
    this.#socket.destroy();
    this.#listener.gone(this);
  }

  /** Closes the connection and fails its exchange. @param reason a code for the log */
  lost(reason: string): void {
    const { exchange } = this;
    if (exchange !== null && this.#isUsed && this.#reader === null) {
      this.destroy();
      this.#listener.unsent(exchange);
      return;
    }
    exchange?.lost(reason);
    this.destroy();
  }

  /** A connection that ended in the meantime has no exchange. */
  readonly #sendStillUnsent = (): void => {
    if (this.exchange !== null && this.#reader === null) this.#send(this.exchange);
  };

  #connect({ host, port }: UpstreamAddress): Socket {
    // One buffer for all reads, so that no read allocates memory.
    const onread = {
      buffer: Buffer.allocUnsafe(readBytesMax),
      callback: (length: number, bytes: Uint8Array) => this.#read(bytes as Buffer, length),
    };
    const socket = tcpConnect({ host, port, onread });
    socket.once('connect', () => this.#established());
    return socket;
  }

  #connectSecurely({ host, port }: UpstreamAddress, secureContext: SecureContext): Socket {
    const socket = tlsConnect({
      ...{ host, port, secureContext, ALPNProtocols: ['http/1.1'] },
      ...(isIP(host) === 0 && { servername: host }),
    });
    // The request contains the key, so it is sent only after the upstream's certificate was verified.
    socket.once('secureConnect', () => this.#established());
    socket.on('data', (bytes: Buffer) => {
      if (!this.#read(bytes, bytes.length)) socket.pause();
    });
    return socket;
  }

  #established(): void {
    this.isEstablished = true;
    if (this.exchange !== null) this.#send(this.exchange);
  }

  #send(exchange: Exchange): void {
    const { head, body, upload, method } = exchange;
    exchange.isSent = true;
    this.#isUsed = true;
    this.#isEarly = false;
    this.#reader = new ResponseParser(method === 'HEAD');
    if (upload !== null) {
      this.#socket.write(head, 'latin1');
      this.#upload = new UploadPipe(upload, this.#socket, exchange, true);
      this.#upload.start();
    } else if (body === null) this.#socket.write(head, 'latin1');
    else if (body.length <= oneWriteBytesMax) this.#socket.write(head + body.toString('latin1'), 'latin1');
    else {
      this.#socket.cork();
      this.#socket.write(head, 'latin1');
      this.#socket.write(body);
      this.#socket.uncork();
    }
  }

  /** @returns true to continue reading */
  #read(bytes: Buffer, length: number): boolean {
    const { exchange } = this;
    const reader = this.#reader;
    if (exchange === null || reader === null) {
      this.lost('unasked');
      return false;
    }
    this.#isEarly ||= this.#socket.writableLength > 0 || this.#upload?.hasEnded === false;
    const malformed = reader.read(bytes, length);
    // Over TLS, an attacker's end of the connection looks like the upstream's: Node hides the alert (RFC 9112, 9.8).
    const isOpenEnded = this.#isSecure && reader.head?.body === 'close';
    if (malformed !== null || isOpenEnded) {
      this.lost(malformed ?? 'no_length');
      return false;
    }
    // The upstream has refused the request, so it needs no more of its body (RFC 9112, 9.5).
    if (this.#upload !== null && (reader.head?.status ?? 0) >= 300) this.#upload.stop();
    const readsOn = exchange.received(reader, bytes);
    if (reader.state === 'over' && this.exchange === exchange) this.#over(exchange, reader);
    return readsOn;
  }

  #over({ method, body, upload, isLast }: Exchange, { head, hasExcess }: ResponseParser): void {
    this.exchange = null;
    this.#reader = null;
    this.#upload?.stop();
    this.#upload = null;
    const hasBody = body !== null || upload !== null;
    if (head === null || hasExcess || this.#isEarly || isLast || !Reuse.isSafe(method, hasBody, head)) {
      this.destroy();
      return;
    }
    const nowMs = performance.now();
    this.idleSinceMs = nowMs;
    this.untilMs = nowMs + head.reuseMs;
    if (head.reuseMs === 0) this.destroy();
    else this.#listener.idle(this);
  }

  #ended(): void {
    const { exchange } = this;
    const reader = this.#reader;
    if (exchange === null || reader?.end() !== null) {
      this.lost('cut');
      return;
    }
    exchange.received(reader, nothing);
    this.#over(exchange, reader);
  }

  #failed(error: Error): void {
    this.lost('code' in error && typeof error.code === 'string' ? error.code : error.name);
  }
}
