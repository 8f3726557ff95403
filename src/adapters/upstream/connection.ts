import { isIP, type Socket, connect as tcpConnect } from 'node:net';
import { createSecureContext, type SecureContext, connect as tlsConnect } from 'node:tls';
import { AnswerReader } from './answer-reader.ts';
import type { Exchange } from './exchange.ts';

/** Where an upstream is. */
export type Place = {
  host: string;
  port: number;
  /** How certificates are verified; null for http. */
  secure: SecureContext | null;
};

/** Who keeps connections: told what becomes of one, each time once. */
export type Keeper = {
  /** It may be used again. */
  idle(connection: Connection): void;
  gone(connection: Connection): void;
};

/** What one read brings at most: the whole of a usual answer, and little beside the buffers of the sockets. */
const readBytesMax = 32 * 1024;
/** Up to this length a body goes out in one write with its head. */
const oneWriteBytesMax = 16 * 1024;
const nothing = Buffer.alloc(0);

/** Reads the place from a base URL of http or https. */
export function place(url: URL): Place {
  const isSecure = url.protocol === 'https:';
  return {
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: Number(url.port || (isSecure ? 443 : 80)),
    secure: isSecure ? createSecureContext() : null,
  };
}

/**
 * One connection to the upstream, with at most one exchange on it. Each request is written once, whatever becomes of it. What is not
 * plainly the answer to it ends the connection: bytes that nobody asked for are never taken for an answer to what comes next.
 */
export class Connection {
  exchange: Exchange | null = null;
  /** On the clock of `performance.now()`: until when it has to stand, and while it is idle, until when it may be used again. */
  untilMs: number;
  isStanding = false;

  readonly #socket: Socket;
  readonly #isSecure: boolean;
  readonly #keeper: Keeper;
  #reader: AnswerReader | null = null;
  #isGone = false;

  /** Begins to connect. */
  constructor(place: Place, untilMs: number, keeper: Keeper) {
    this.untilMs = untilMs;
    this.#keeper = keeper;
    this.#isSecure = place.secure !== null;
    this.#socket = place.secure === null ? this.#connect(place) : this.#connectSecurely(place, place.secure);
    this.#socket.setNoDelay(true);
    this.#socket.on('end', () => this.#ended());
    this.#socket.on('error', (error) => this.#failed(error));
    this.#socket.on('close', () => this.lost('closed'));
  }

  /** Sends the request of `exchange`, as soon as there is a connection. */
  take(exchange: Exchange): void {
    this.exchange = exchange;
    exchange.way = this;
    if (this.isStanding) this.#send(exchange);
  }

  /** Reads on, after `received` of its exchange wanted no more. */
  resume(): void {
    this.#socket.resume();
  }

  /** Ends it, and with it what is under way upstream; its exchange is told by who does it. */
  destroy(): void {
    if (this.#isGone) return;
    this.#isGone = true;
    this.exchange = null;
    this.#socket.destroy();
    this.#keeper.gone(this);
  }

  /** Nothing comes of it any more. @param reason a code for the log */
  lost(reason: string): void {
    this.exchange?.lost(reason);
    this.destroy();
  }

  #connect({ host, port }: Place): Socket {
    // One buffer for all that it ever reads, so that nothing is allocated for a read.
    const onread = {
      buffer: Buffer.allocUnsafe(readBytesMax),
      callback: (length: number, bytes: Uint8Array) => this.#read(bytes as Buffer, length),
    };
    const socket = tcpConnect({ host, port, onread });
    socket.once('connect', () => this.#stands());
    return socket;
  }

  #connectSecurely({ host, port }: Place, secureContext: SecureContext): Socket {
    const socket = tlsConnect({
      ...{ host, port, secureContext, ALPNProtocols: ['http/1.1'] },
      ...(isIP(host) === 0 && { servername: host }),
    });
    // Not before the certificate is found to be the upstream's: the request bears the key.
    socket.once('secureConnect', () => this.#stands());
    socket.on('data', (bytes: Buffer) => {
      if (!this.#read(bytes, bytes.length)) socket.pause();
    });
    return socket;
  }

  #stands(): void {
    this.isStanding = true;
    if (this.exchange !== null) this.#send(this.exchange);
  }

  #send({ head, body, isHead }: Exchange): void {
    this.#reader = new AnswerReader(isHead);
    if (body === null) this.#socket.write(head, 'latin1');
    else if (body.length <= oneWriteBytesMax) this.#socket.write(head + body.toString('latin1'), 'latin1');
    else {
      this.#socket.cork();
      this.#socket.write(head, 'latin1');
      this.#socket.write(body);
      this.#socket.uncork();
    }
  }

  /** @returns whether to read on */
  #read(bytes: Buffer, length: number): boolean {
    const { exchange } = this;
    const reader = this.#reader;
    if (exchange === null || reader === null) {
      this.lost('unasked');
      return false;
    }
    const malformed = reader.read(bytes, length);
    // Over TLS an end that somebody else brought about cannot be told from the upstream's: Node hides the alert (RFC 9112, 9.8).
    const isOpenEnded = this.#isSecure && reader.head?.body === 'close';
    if (malformed !== null || isOpenEnded) {
      this.lost(malformed ?? 'no_length');
      return false;
    }
    const readsOn = exchange.received(reader, bytes);
    if (reader.state === 'over' && this.exchange === exchange) this.#over(reader);
    return readsOn;
  }

  #over({ head, hasExcess }: AnswerReader): void {
    this.exchange = null;
    this.#reader = null;
    const reuseMs = head?.reuseMs ?? 0;
    // An answer that came before all of the request was sent leaves the rest of it on the way.
    if (reuseMs === 0 || hasExcess || this.#socket.writableLength > 0) {
      this.destroy();
      return;
    }
    this.untilMs = performance.now() + reuseMs;
    this.#keeper.idle(this);
  }

  #ended(): void {
    const { exchange } = this;
    const reader = this.#reader;
    if (exchange === null || reader?.end() !== null) {
      this.lost('cut');
      return;
    }
    exchange.received(reader, nothing);
    this.#over(reader);
  }

  #failed(error: Error): void {
    this.lost('code' in error && typeof error.code === 'string' ? error.code : error.name);
  }
}
