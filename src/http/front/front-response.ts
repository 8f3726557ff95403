import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Outgoing } from '../outgoing.ts';

/** What is behind a response: it says how the head ends, and is told when the next request may come. */
export type Line = {
  readonly socket: Socket;
  /** The fields about the connection and the date, each line ended, for an answer after which it stays or does not. */
  fields(stays: boolean): string;
  /** Whether the connection is to end with this answer. */
  readonly isLast: boolean;
  /** All of the answer is out of our hands. */
  answered(stays: boolean): void;
};

/** What no field may bear: it would end its line (RFC 9110, 5.5). */
const unfit = /[^\t\x20-\x7e\x80-\xff]/;

/**
 * An answer on a connection of the front (RFC 9112). Up to its first byte nothing is written, so that an answer of known
 * length leaves in one piece with its head.
 */
export class FrontResponse implements Outgoing {
  statusCode = 0;
  headersSent = false;
  destroyed = false;
  closed = false;
  writableFinished = false;

  readonly #line: Line;
  readonly #isHead: boolean;
  /** Not written yet. */
  #head = '';
  #hasBody = true;
  #isChunked = false;
  #stays = true;
  readonly #whenClosed: (() => void)[] = [];

  constructor(line: Line, method: string) {
    this.#line = line;
    this.#isHead = method === 'HEAD';
  }

  /** What has been given to the socket, and not yet to the system. */
  get writableLength(): number {
    return this.#line.socket.writableLength;
  }

  once(_: 'close', listener: () => void): void {
    this.#whenClosed.push(listener);
  }

  /** A connection that fails is closed: there is nothing else to tell. */
  on(_: 'error', _listener: () => void): void {}

  /** Throws TypeError on a value that cannot be sent. */
  writeHead(status: number, headers: string[]): void {
    let fields = '';
    let isFramed = false;
    this.#stays = !this.#line.isLast;
    for (let at = 0; at + 1 < headers.length; at += 2) {
      const name = headers[at] as string;
      const value = headers[at + 1] as string;
      if (name === 'content-length') isFramed = true;
      if (name === 'connection') this.#stays = false;
      else fields += `${name}: ${value}\r\n`;
      if (unfit.test(value)) throw new TypeError(`the value of ${name} cannot be sent`);
    }
    this.#hasBody = !this.#isHead && status !== 204 && status !== 304;
    this.#isChunked = this.#hasBody && !isFramed;
    if (this.#isChunked) fields += 'transfer-encoding: chunked\r\n';
    this.statusCode = status;
    this.headersSent = true;
    this.#head = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${fields}${this.#line.fields(this.#stays)}\r\n`;
  }

  write(chunk: Buffer, callback?: () => void): boolean {
    const { socket } = this.#line;
    const done = (fault?: Error | null) => {
      if (!fault) callback?.();
    };
    if (!this.#hasBody || chunk.length === 0) return this.#open(socket, done);
    if (!this.#isChunked && this.#head === '') return socket.write(chunk, done);
    socket.cork();
    socket.write(this.#isChunked ? `${this.#head}${chunk.length.toString(16)}\r\n` : this.#head, 'latin1');
    this.#head = '';
    const flows = socket.write(chunk, this.#isChunked ? undefined : done);
    if (this.#isChunked) socket.write('\r\n', 'latin1', done);
    socket.uncork();
    return flows;
  }

  end(body: Buffer | string = '', encoding: 'latin1' = 'latin1'): void {
    const { socket } = this.#line;
    const tail = this.#isChunked ? '0\r\n\r\n' : '';
    if (typeof body === 'string' && (tail === '' || body === '')) {
      socket.write(`${this.#head}${this.#hasBody ? body : ''}${tail}`, encoding, this.#finish);
    } else {
      socket.cork();
      this.write(typeof body === 'string' ? Buffer.from(body, encoding) : body);
      socket.write(tail, encoding, this.#finish);
      socket.uncork();
    }
    this.#head = '';
  }

  /** Ends the connection, and so what the caller still waits for. */
  destroy(): void {
    this.#line.socket.destroy();
  }

  /** The connection is gone. */
  lost(): void {
    this.destroyed = true;
    this.#close();
  }

  #open(socket: Socket, done: (fault?: Error | null) => void): boolean {
    const head = this.#head;
    this.#head = '';
    return socket.write(head, 'latin1', done);
  }

  #finish = (fault?: Error | null): void => {
    if (fault || this.closed) return;
    this.writableFinished = true;
    this.#close();
    this.#line.answered(this.#stays);
  };

  #close(): void {
    if (this.closed) return;
    this.closed = true;
    for (const listener of this.#whenClosed) listener();
  }
}
