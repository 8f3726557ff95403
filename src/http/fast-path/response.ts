import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Outgoing } from '../server/outgoing.ts';

/** The connection of a response: supplies its connection headers and is notified when the response has been sent. */
export type ResponseConnection = {
  readonly socket: Socket;
  /** The `Date` and connection header lines. `stays` is true when the connection is kept open after the response. */
  fields(stays: boolean): string;
  /** True when the connection has to close after this response. */
  readonly isLast: boolean;
  /** Called when the whole response has been handed to the system. */
  answered(stays: boolean): void;
};

/** Characters that no header value may contain, because they could end its line (RFC 9110, 5.5). */
const forbiddenInValue = /[^\t\x20-\x7e\x80-\xff]/;

/**
 * A response on the fast path (RFC 9112). The header section is written together with the first bytes of the body, so that a response of
 * known length is sent in one write.
 */
export class FastPathResponse implements Outgoing {
  statusCode = 0;
  headersSent = false;
  destroyed = false;
  closed = false;
  writableFinished = false;

  readonly #connection: ResponseConnection;
  readonly #isHead: boolean;
  /** The status line and header section, until they are written. */
  #head = '';
  #hasBody = true;
  #isChunked = false;
  #trailers = '';
  #stays = true;
  readonly #whenClosed: (() => void)[] = [];

  constructor(connection: ResponseConnection, method: string) {
    this.#connection = connection;
    this.#isHead = method === 'HEAD';
  }

  /** Bytes that the socket has not handed to the system yet. */
  get writableLength(): number {
    return this.#connection.socket.writableLength;
  }

  once(_: 'close', listener: () => void): void {
    this.#whenClosed.push(listener);
  }

  /** Does nothing: a connection that fails emits `close`. */
  on(_: 'error', _listener: () => void): void {}

  /** Throws TypeError for a header value that cannot be sent. */
  writeHead(status: number, headers: string[]): void {
    let fields = '';
    let isFramed = false;
    this.#stays = !this.#connection.isLast;
    for (let at = 0; at + 1 < headers.length; at += 2) {
      const name = headers[at] as string;
      const value = headers[at + 1] as string;
      if (name === 'content-length') isFramed = true;
      if (name === 'connection') this.#stays = false;
      else fields += `${name}: ${value}\r\n`;
      if (forbiddenInValue.test(value)) throw new TypeError(`the value of ${name} cannot be sent`);
    }
    this.#hasBody = !this.#isHead && status !== 204 && status !== 304;
    this.#isChunked = this.#hasBody && !isFramed;
    if (this.#isChunked) fields += 'transfer-encoding: chunked\r\n';
    this.statusCode = status;
    this.headersSent = true;
    this.#head = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${fields}${this.#connection.fields(this.#stays)}\r\n`;
  }

  write(chunk: Buffer, callback?: () => void): boolean {
    const { socket } = this.#connection;
    const done = (fault?: Error | null) => {
      if (!fault) callback?.();
    };
    if (!this.#hasBody || chunk.length === 0) return this.#writeHeadOnly(socket, done);
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
    const { socket } = this.#connection;
    const tail = this.#isChunked ? `0\r\n${this.#trailers}\r\n` : '';
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

  addTrailers(fields: Readonly<Record<string, string>>): void {
    for (const [name, value] of Object.entries(fields)) {
      if (forbiddenInValue.test(value)) throw new TypeError(`the value of ${name} cannot be sent`);
      this.#trailers += `${name}: ${value}\r\n`;
    }
  }

  /** Closes the connection, so that the client sees an incomplete response. */
  destroy(): void {
    this.#connection.socket.destroy();
  }

  /** Called when the connection has closed. */
  lost(): void {
    this.destroyed = true;
    this.#close();
  }

  #writeHeadOnly(socket: Socket, done: (fault?: Error | null) => void): boolean {
    const head = this.#head;
    this.#head = '';
    return socket.write(head, 'latin1', done);
  }

  #finish = (fault?: Error | null): void => {
    if (fault || this.closed) return;
    this.writableFinished = true;
    this.#close();
    this.#connection.answered(this.#stays);
  };

  #close(): void {
    if (this.closed) return;
    this.closed = true;
    for (const listener of this.#whenClosed) listener();
  }
}
