import * as AnswerHead from './answer-head.ts';
import * as Chunked from './chunked-body.ts';

/** Why bytes are no answer: a code for the log. */
export type Malformed =
  | AnswerHead.Malformed
  | Chunked.Malformed
  | 'head_too_large'
  /** The connection ended first. */
  | 'cut';

const headBytesMax = 16 * 1024;
const headEnd = '\r\n\r\n';
const cr = 0x0d;
const lf = 0x0a;
const statusLineStart = 'HTTP/1.';

/**
 * Reads one answer as its bytes come, in pieces of any size; knows no connection and keeps no body. Where two readers could read an
 * answer in two ways it is none: how it ends is also how the next one begins.
 */
export class AnswerReader {
  state: 'head' | 'body' | 'over' = 'head';
  /** The final one; informational ones before it are passed over. Null until it is there. */
  head: AnswerHead.AnswerHead | null = null;
  /** Where the body's bytes stand in what was read last: in one piece, and moved there where they came in chunks. */
  from = 0;
  to = 0;
  /** Whether more came than the answer. */
  hasExcess = false;

  readonly #toHead: boolean;
  /** What is there of a head that is not there whole. */
  #text = '';
  /** Of a body with a length. */
  #left = 0;
  #chunks: Chunked.ChunkedBody | null = null;

  /** @param toHead whether a HEAD is answered */
  constructor(toHead: boolean) {
    this.#toHead = toHead;
  }

  /** Reads on: the first `end` of `bytes`, which are the reader's to change. Null where all is well so far. */
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

  /** The connection has ended. Null where that is how the answer ends. */
  end(): Malformed | null {
    this.from = 0;
    this.to = 0;
    if (this.head?.body !== 'close') return 'cut';
    this.state = 'over';
    return null;
  }

  /** @returns where what follows the head begins; -1 where the head is not there whole */
  #readHead(bytes: Buffer, at: number, end: number): number | Malformed {
    const before = this.#text.length;
    const until = Math.min(end, at + headBytesMax + headEnd.length - before);
    // As a rule it comes whole: then no more of the bytes than the head become text.
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

  /** @param text a head, without the empty line behind it */
  #begin(text: string): Malformed | null {
    const head = AnswerHead.read(text, this.#toHead);
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

/** The place behind the first empty line; -1 where there is none. */
function behindHead(bytes: Buffer, at: number, end: number): number {
  for (let last = at + 3; last < end; last++)
    if (bytes[last] === lf && bytes[last - 1] === cr && bytes[last - 2] === lf && bytes[last - 3] === cr)
      return last + 1;
  return -1;
}
