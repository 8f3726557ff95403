import type { Socket } from 'node:net';
import type { Clock } from '@sluice/kernel/clock';
import type { Body } from '../server/body.ts';
import type { Reservation } from '../server/body-budget.ts';
import { closeGracefully } from '../server/linger.ts';
import type { Incoming, Outgoing } from '../server/outgoing.ts';
import * as RequestHead from './request-head.ts';
import { FastPathResponse, type ResponseConnection } from './response.ts';

/** Serves the requests of the fast path. */
export type Handler = {
  /** Returns true for a sold operation whose path matches no other route. */
  takes(method: string, target: string): boolean;
  sell(incoming: Incoming, outgoing: Outgoing, body: Body): void;
  /** Reserves memory for the body of a caller who is known by this header; null for a stranger, whose body is not read here. */
  reserve?(authorization: string | undefined): Reservation | null;
};

export type Waits = {
  /** From the start of a connection to its first byte. */
  firstByteMsMax: number;
  /** From the header section of a request to the end of its body. */
  bodyMsMax: number;
  /** Between two requests, or without the caller reading what was sent. */
  silenceMsMax: number;
};

export type ConnectionContext = {
  /** The current handler. */
  handler(): Handler;
  clock: Clock;
  /** Returns true when the process stops: a response is then the last of its connection. */
  isEnding(): boolean;
  waits: Waits;
  /** Moves a connection to Node's server; `next` are the bytes that were read and not handled. */
  handOver(socket: Socket, next: Buffer): void;
};

/** Requests with longer bodies are handed over to Node's server, which can refuse them before it reads the body. */
const bodyBytesMax = 64 * 1024;

/**
 * A connection that serves calls to sold operations one after the other. The first request that is not clearly such a call moves the
 * connection to Node's server permanently.
 */
export class FastPathConnection implements ResponseConnection {
  readonly socket: Socket;
  readonly #context: ConnectionContext;
  readonly #whenOver: (connection: FastPathConnection) => void;
  #reading: Reading | null = null;
  #response: FastPathResponse | null = null;
  #hasBegun = false;
  /** True when the client has closed its side of the connection. */
  #isEnded = false;
  /** The memory of the request's body. */
  #reservation: Reservation | null = null;

  constructor(
    socket: Socket,
    context: ConnectionContext,
    whenOver: (connection: FastPathConnection) => void,
  ) {
    this.socket = socket;
    this.#context = context;
    this.#whenOver = whenOver;
    socket.setTimeout(context.waits.firstByteMsMax);
    socket.on('data', this.#onData);
    socket.on('end', this.#onEnd);
    socket.on('timeout', this.#onTimeout);
    socket.on('error', ignore);
    socket.on('close', this.#onClose);
  }

  get isIdle(): boolean {
    return this.#response === null && this.#reading === null;
  }

  /** While the process stops, requests that have arrived behind the current one are still served. */
  get isLast(): boolean {
    return this.#isEnded || (this.#context.isEnding() && this.socket.readableLength === 0);
  }

  fields(stays: boolean): string {
    const date = `Date: ${dateAt(this.#context.clock())}\r\n`;
    if (!stays) return `${date}Connection: close\r\n`;
    return `${date}Connection: keep-alive\r\nKeep-Alive: timeout=${this.#context.waits.silenceMsMax / 1000}\r\n`;
  }

  answered(stays: boolean): void {
    this.#response = null;
    this.#freeBody();
    if (!stays || this.#isEnded) this.end();
    else if (this.socket.isPaused()) this.socket.resume();
  }

  /** Closes the connection. No response may be due. */
  end(): void {
    // Ignore further bytes: they may be the unread rest of a rejected body and must not be parsed as a new request (request smuggling).
    this.socket.off('data', this.#onData);
    closeGracefully(this.socket);
  }

  #onData = (chunk: Buffer): void => {
    if (!this.#hasBegun) {
      this.#hasBegun = true;
      this.socket.setTimeout(this.#context.waits.silenceMsMax);
    }
    if (this.#response !== null) this.#putBack(chunk);
    else if (this.#reading === null) this.#readHead(chunk);
    else this.#readBody(this.#reading, chunk);
  };

  #readHead(chunk: Buffer): void {
    const head = RequestHead.parseRequestHead(chunk.toString('latin1', 0, RequestHead.headCharsMax));
    if (
      head === null ||
      head.contentLength > bodyBytesMax ||
      !this.#context.handler().takes(head.method, head.target)
    ) {
      this.#handOver(chunk);
      return;
    }
    const missing = head.length + head.contentLength - chunk.length;
    if (missing <= 0) {
      this.#dispatch(head, chunk.subarray(head.length));
      return;
    }
    const { reserve } = this.#context.handler();
    const reservation = reserve === undefined ? undefined : reserve(head.headers.authorization);
    if (reservation === null || reservation?.take(head.contentLength) === false) {
      this.#handOver(chunk);
      return;
    }
    this.#reservation = reservation ?? null;
    const tooSlow = () => {
      this.#stopReading();
      this.#serve(head, { kind: 'too_slow' });
    };
    const late = setTimeout(tooSlow, this.#context.waits.bodyMsMax);
    this.#reading = { head, chunks: [chunk.subarray(head.length)], missing, late };
  }

  #readBody(reading: Reading, chunk: Buffer): void {
    reading.chunks.push(chunk);
    reading.missing -= chunk.length;
    if (reading.missing > 0) return;
    this.#stopReading();
    this.#dispatch(reading.head, Buffer.concat(reading.chunks));
  }

  /** @param bytes the body and any bytes after it */
  #dispatch(head: RequestHead.RequestHead, bytes: Buffer): void {
    const { contentLength } = head;
    if (bytes.length > contentLength) this.#putBack(bytes.subarray(contentLength));
    this.#serve(head, {
      kind: 'body',
      bytes: bytes.length > contentLength ? bytes.subarray(0, contentLength) : bytes,
    });
  }

  #serve({ method, target, rawHeaders, headers }: RequestHead.RequestHead, body: Body): void {
    const response = new FastPathResponse(this, method);
    this.#response = response;
    this.#context.handler().sell({ method, url: target, rawHeaders, headers }, response, body);
  }

  /** Delays these bytes, and all that follow including the end of the connection, until the current response has been sent. */
  #putBack(next: Buffer): void {
    this.socket.pause();
    this.socket.unshift(next);
  }

  #stopReading(): void {
    if (this.#reading !== null) clearTimeout(this.#reading.late);
    this.#reading = null;
  }

  #freeBody(): void {
    this.#reservation?.free();
    this.#reservation = null;
  }

  #handOver(next: Buffer): void {
    const { socket } = this;
    socket.setTimeout(0);
    socket.off('data', this.#onData);
    socket.off('end', this.#onEnd);
    socket.off('timeout', this.#onTimeout);
    socket.off('error', ignore);
    socket.off('close', this.#onClose);
    this.#whenOver(this);
    this.#context.handOver(socket, next);
  }

  /** The client has closed its side: sends the current response, then closes. An incomplete request is dropped. */
  #onEnd = (): void => {
    this.#isEnded = true;
    if (this.#reading !== null) this.socket.destroy();
    else if (this.#response === null) this.socket.end();
  };

  #onTimeout = (): void => {
    // While a response waits for its upstream, it is bounded by the limits of the upstream: only a caller who does not read is given up.
    if (this.#response === null || this.socket.writableLength > 0) this.socket.destroy();
  };

  #onClose = (): void => {
    this.#stopReading();
    this.#freeBody();
    this.#response?.lost();
    this.#whenOver(this);
  };
}

/** A request whose body is incomplete. */
type Reading = { head: RequestHead.RequestHead; chunks: Buffer[]; missing: number; late: NodeJS.Timeout };

let date = { second: 0, text: '' };

/** The `Date` value (RFC 9110, 5.6.7), formatted once a second. */
function dateAt(nowMs: number): string {
  const second = Math.floor(nowMs / 1000);
  if (second !== date.second) date = { second, text: new Date(nowMs).toUTCString() };
  return date.text;
}

function ignore(): void {}
