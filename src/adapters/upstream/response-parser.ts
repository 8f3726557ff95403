import * as Chunked from './chunked-body.ts';
import * as ResponseHead from './response-head.ts';

/** The reason why bytes are not a valid response: a code for the log. */
export type Malformed =
  | ResponseHead.Malformed
  | Chunked.Malformed
  | 'head_too_large'
  /** The connection ended before the response did. */
  | 'cut';

const headBytesMax = 16 * 1024;
const headEnd = '\r\n\r\n';
const cr = 0x0d;
const lf = 0x0a;
const statusLineStart = 'HTTP/1.';

/**
 * Parses one response as its bytes arrive, in pieces of any size. Knows no connection and keeps no body. A response that could be read in
 * two ways is rejected, because its end is also the start of the next response.
 */
export class ResponseParser {
  state: 'head' | 'body' | 'over' = 'head';
  /** The header section of the final response; informational responses are skipped. Null until it is complete. */
  head: ResponseHead.HeaderSection | null = null;
  /** The position of the body's bytes in the last bytes read. Bytes that came in chunks are moved together there. */
  from = 0;
  to = 0;
  /** True when more bytes arrived than the response has. */
  hasExcess = false;

  readonly #isHeadRequest: boolean;
  /** The received part of an incomplete header section. */
  #text = '';
  /** Bytes left of a body with a known length. */
  #left = 0;
  #chunks: Chunked.ChunkedBody | null = null;

  /** @param isHeadRequest true for the response to a HEAD request */
  constructor(isHeadRequest: boolean) {
    this.#isHeadRequest = isHeadRequest;
  }

  /** Parses the first `end` of `bytes`, which the parser may modify. Returns null unless they are malformed. */
  read(bytes: Buffer, end: number): Malformed | null {
    this.from = 0;
    this.to = 0;
    let at = 0;
    while (this.state === 'head') {
      const next = this.#readHead(bytes, at, end);
      if (typeof next === 'string') return next;
      if (next < 0) return null;
      at = next;
    }
    return this.#readBody(bytes, at, end);
  }

  /** Handles the end of the connection. Returns null when that is a valid end of the response. */
  end(): Malformed | null {
    this.from = 0;
    this.to = 0;
    if (this.head?.body !== 'close') return 'cut';
    this.state = 'over';
    return null;
  }

  /** @returns the position after the header section, or -1 while it is incomplete */
  #readHead(bytes: Buffer, at: number, end: number): number | Malformed {
    const before = this.#text.length;
    const until = Math.min(end, at + headBytesMax + headEnd.length - before);
    // It usually arrives in one piece: then only its own bytes are converted to text.
    const next = before === 0 ? behindHead(bytes, at, until) : -1;
    if (next >= 0) return this.#begin(bytes.toString('latin1', at, next - 2)) ?? next;
    const text = this.#text + bytes.toString('latin1', at, until);
    const found = text.indexOf(headEnd, Math.max(0, before - headEnd.length));
    if (found < 0) {
      this.#text = text;
      if (!text.startsWith(statusLineStart.slice(0, text.length))) return 'malformed_status_line';
      return text.length > headBytesMax ? 'head_too_large' : -1;
    }
    this.#text = '';
    return this.#begin(text.slice(0, found + 2)) ?? at + found + headEnd.length - before;
  }

  /** @param text a header section without the empty line after it */
  #begin(text: string): Malformed | null {
    const head = ResponseHead.read(text, this.#isHeadRequest);
    if (typeof head === 'string') return head;
    if (head.status < 200) return null;
    this.head = head;
    this.state = 'body';
    if (head.body === 'length') this.#left = Number(head.contentLength);
    else if (head.body === 'chunked') this.#chunks = new Chunked.ChunkedBody();
    return null;
  }

  #readBody(bytes: Buffer, at: number, end: number): Malformed | null {
    this.from = at;
    this.to = end;
    if (this.#chunks !== null) {
      const stopped = this.#chunks.read(bytes, at, end);
      if (typeof stopped === 'string') return stopped;
      this.from = this.#chunks.from;
      this.to = this.#chunks.to;
      if (this.#chunks.isOver) this.state = 'over';
      this.hasExcess = stopped < end;
    } else if (this.head?.body !== 'close') {
      this.to = Math.min(end, at + this.#left);
      this.#left -= this.to - at;
      if (this.#left === 0) this.state = 'over';
      this.hasExcess = this.to < end;
    }
    return null;
  }
}

/** Returns the position after the first empty line, or -1 when there is none. */
function behindHead(bytes: Buffer, at: number, end: number): number {
  for (let last = at + 3; last < end; last++)
    if (bytes[last] === lf && bytes[last - 1] === cr && bytes[last - 2] === lf && bytes[last - 3] === cr)
      return last + 1;
  return -1;
}
