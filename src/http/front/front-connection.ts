import type { Socket } from 'node:net';
import type { Clock } from '../../kernel/clock.ts';
import type { Body } from '../body.ts';
import type { Incoming, Outgoing } from '../outgoing.ts';
import { FrontResponse, type Line } from './front-response.ts';
import * as RequestHead from './request-head.ts';

/** Who answers. */
export type Handler = {
  /** Whether this is for the front: something that is sold, by a path that is nothing else. */
  takes(method: string, target: string): boolean;
  sell(incoming: Incoming, outgoing: Outgoing, body: Body): void;
};

export type Waits = {
  /** From the head of a request to the end of its body. */
  bodyMsMax: number;
  /** Between two answers, or for a caller to take more of one. */
  silenceMsMax: number;
};

export type Terms = {
  /** Who answers now. */
  handler(): Handler;
  clock: Clock;
  isDraining(): boolean;
  waits: Waits;
  /** Takes a connection over, from the bytes on that are the next in it. */
  handOver(socket: Socket, next: Buffer): void;
};

/** Longer bodies are handed over, as they are to be refused before they are read. 64 KiB. */
const bodyBytesMax = 64 * 1024;

/**
 * A connection on which callers of what is sold are answered, one after the other. The first request that is not plainly one
 * of theirs takes the connection with it to Node's server, for good.
 */
export class FrontConnection implements Line {
  readonly socket: Socket;
  readonly #terms: Terms;
  readonly #whenOver: (connection: FrontConnection) => void;
  /** Came while an answer was under way. */
  #next: Buffer | null = null;
  #reading: Reading | null = null;
  #response: FrontResponse | null = null;

  constructor(socket: Socket, terms: Terms, whenOver: (connection: FrontConnection) => void) {
    this.socket = socket;
    this.#terms = terms;
    this.#whenOver = whenOver;
    socket.setTimeout(terms.waits.silenceMsMax);
    socket.on('data', this.#onData);
    socket.on('end', this.#onEnd);
    socket.on('timeout', this.#onTimeout);
    socket.on('error', ignore);
    socket.on('close', this.#onClose);
  }

  get isIdle(): boolean {
    return this.#response === null && this.#reading === null;
  }

  get isLast(): boolean {
    return this.#terms.isDraining();
  }

  fields(stays: boolean): string {
    const date = `Date: ${dateAt(this.#terms.clock())}\r\n`;
    if (!stays) return `${date}Connection: close\r\n`;
    return `${date}Connection: keep-alive\r\nKeep-Alive: timeout=${this.#terms.waits.silenceMsMax / 1000}\r\n`;
  }

  answered(stays: boolean): void {
    this.#response = null;
    if (!stays) {
      // What still comes is nobody's request: it may be the rest of a body that was given up.
      this.socket.off('data', this.#onData);
      this.socket.destroySoon();
      return;
    }
    const next = this.#next;
    if (next === null) return;
    this.#next = null;
    this.socket.resume();
    this.#onData(next);
  }

  #onData = (chunk: Buffer): void => {
    if (this.#response !== null) {
      // It waits its turn, and what is behind it in the system.
      this.#next = this.#next === null ? chunk : Buffer.concat([this.#next, chunk]);
      this.socket.pause();
    } else if (this.#reading === null) this.#begin(chunk);
    else this.#readOn(this.#reading, chunk);
  };

  #begin(chunk: Buffer): void {
    const head = RequestHead.read(chunk.toString('latin1', 0, RequestHead.headCharsMax));
    if (
      head === null ||
      head.contentLength > bodyBytesMax ||
      !this.#terms.handler().takes(head.method, head.target)
    ) {
      this.#handOver(chunk);
      return;
    }
    const missing = head.length + head.contentLength - chunk.length;
    if (missing <= 0) {
      this.#take(head, chunk.subarray(head.length));
      return;
    }
    const tooSlow = () => {
      this.#stopReading();
      this.#sell(head, { kind: 'too_slow' });
    };
    const late = setTimeout(tooSlow, this.#terms.waits.bodyMsMax);
    this.#reading = { head, chunks: [chunk.subarray(head.length)], missing, late };
  }

  #readOn(reading: Reading, chunk: Buffer): void {
    reading.chunks.push(chunk);
    reading.missing -= chunk.length;
    if (reading.missing > 0) return;
    this.#stopReading();
    this.#take(reading.head, Buffer.concat(reading.chunks));
  }

  /** @param bytes the body and what is behind it */
  #take(head: RequestHead.RequestHead, bytes: Buffer): void {
    const { contentLength } = head;
    if (bytes.length > contentLength) this.#next = bytes.subarray(contentLength);
    this.#sell(head, {
      kind: 'body',
      bytes: bytes.length > contentLength ? bytes.subarray(0, contentLength) : bytes,
    });
  }

  #sell({ method, target, rawHeaders, headers }: RequestHead.RequestHead, body: Body): void {
    const response = new FrontResponse(this, method);
    this.#response = response;
    this.#terms.handler().sell({ method, url: target, rawHeaders, headers }, response, body);
  }

  #stopReading(): void {
    if (this.#reading !== null) clearTimeout(this.#reading.late);
    this.#reading = null;
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
    this.#terms.handOver(socket, next);
  }

  /** Who says nothing more is taken for gone, as by Node's server. */
  #onEnd = (): void => {
    if (this.isIdle) this.socket.end();
    else this.socket.destroy();
  };

  #onTimeout = (): void => {
    // An answer that has not begun is waited for elsewhere.
    if (this.#response === null || this.#response.headersSent) this.socket.destroy();
  };

  #onClose = (): void => {
    this.#stopReading();
    this.#response?.lost();
    this.#whenOver(this);
  };
}

/** A request whose body is not here yet. */
type Reading = { head: RequestHead.RequestHead; chunks: Buffer[]; missing: number; late: NodeJS.Timeout };

let date = { second: 0, text: '' };

/** RFC 9110, 5.6.7; made once a second. */
function dateAt(nowMs: number): string {
  const second = Math.floor(nowMs / 1000);
  if (second !== date.second) date = { second, text: new Date(nowMs).toUTCString() };
  return date.text;
}

function ignore(): void {}
