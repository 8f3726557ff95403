import type { Answer, Destination, Failure, Piped } from '../../relay/answer.ts';
import * as Headers from '../../relay/headers.ts';
import * as HeldBytes from '../../relay/held-bytes.ts';
import type { Outbound, Sending } from '../../relay/upstream.ts';
import type { AnswerHead } from './answer-head.ts';
import type { AnswerReader } from './answer-reader.ts';
import { Passage } from './passage.ts';

/** What holds for every exchange with one upstream. */
export type Terms = {
  /** Until a whole answer is there; for a streamed one until its head, and then between any two steps of its body. */
  timeoutMs: number;
  answerBytesMax: number;
  /** What all answers take up that are gathered. */
  held: HeldBytes.HeldBytes;
  /** Unmetered answers up to this length are read whole too, so that they go out in one write with their head. */
  oneWriteBytesMax: number;
  guard: Headers.Guard;
  /** The operator's key, empty where there is none. */
  key: Buffer;
};

/** What an exchange has of the upstream: a connection, or a place in the line for one. */
export type Way = { resume(): void; destroy(): void };

/** Up to this length the room for an answer is made by its announced length, so that no byte of it moves twice. */
const announcedBytesMax = 1024 * 1024;
/** What is read ahead of a streamed answer that nobody has asked for yet. */
const aheadBytesMax = 64 * 1024;
const nothing = Buffer.alloc(0);

/**
 * One request and its answer: what the connection hands on to, and the handle that the caller holds, in one object, as this is made for
 * every paid call. It is over exactly once.
 */
export class Exchange implements Sending {
  readonly answer: Promise<Answer>;
  /** On the clock of `performance.now()`. */
  expiresAtMs: number;
  way: Way | null = null;
  readonly head: string;
  readonly body: Buffer | null;
  readonly isHead: boolean;

  readonly #metered: boolean;
  readonly #terms: Terms;
  #resolve: (answer: Answer) => void = ignore;
  #answered = false;
  #over: 'no' | 'ended' | 'failed' = 'no';

  #answerHead: AnswerHead | null = null;
  #headers: string[] = [];
  /** What is gathered of the body: in the room that was made for it, or in pieces as they came. */
  #room: Buffer | null = null;
  #pieces: Buffer[] = [];
  #bytes = 0;
  #passage: Passage | null = null;
  #piped: (outcome: Piped) => void = ignore;

  /** @param head of the request, with its empty line */
  constructor(outbound: Outbound, head: string, terms: Terms, nowMs: number) {
    this.head = head;
    this.body = outbound.body;
    this.isHead = outbound.method === 'HEAD';
    this.#metered = outbound.metered;
    this.#terms = terms;
    this.expiresAtMs = nowMs + terms.timeoutMs;
    this.answer = new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }

  abandon(): void {
    this.#breakOff({ kind: 'abandoned' }, 'abandoned');
  }

  /** Called when `expiresAtMs` has passed. */
  expire(): void {
    // Nothing moves because nobody reads: that is leaving, not the upstream's fault.
    this.#breakOff({ kind: 'timeout' }, this.#passage?.isBlocked ? 'abandoned' : 'cut');
  }

  /** There is no connection any more. @param reason a code for the log */
  lost(reason: string): void {
    this.#fail(reason === 'ETIMEDOUT' ? { kind: 'timeout' } : { kind: 'unavailable', reason }, 'cut');
  }

  /** Takes what was read last; the bytes are not to be kept. @returns whether to read on: if not, `resume` will be called */
  received(reader: AnswerReader, bytes: Buffer): boolean {
    if (reader.head === null) return true;
    const isOver = reader.state === 'over';
    if (this.#answerHead === null) this.#begin(reader.head);
    if (reader.from < reader.to) {
      const piece = bytes.subarray(reader.from, reader.to);
      if (this.#passage === null) this.#gather(piece);
      else this.#pass(this.#passage, piece, isOver);
    }
    if (isOver && this.#over === 'no') this.#end();
    if (isOver || !this.#answered) return true;
    return this.#passage === null ? this.#bytes < aheadBytesMax : !this.#passage.isBlocked;
  }

  #begin(head: AnswerHead): void {
    this.#answerHead = head;
    this.#headers = Headers.toCaller(head.headers, this.#terms.guard);
    if (!this.#toBeHeld(head)) this.#answerInPieces(head);
    else if (head.body === 'length' && Number(head.contentLength) <= announcedBytesMax)
      this.#room = Buffer.allocUnsafe(Number(head.contentLength));
  }

  /** Whether there is no body, or one that is wanted whole and not known to be too long for that. */
  #toBeHeld({ body, contentLength }: AnswerHead): boolean {
    if (body === 'none') return true;
    const bytesMax = this.#metered ? this.#terms.answerBytesMax : this.#terms.oneWriteBytesMax;
    return contentLength === null ? this.#metered : Number(contentLength) <= bytesMax;
  }

  #gather(piece: Buffer): void {
    const { held, answerBytesMax } = this.#terms;
    if (!this.#answered && HeldBytes.isFull(held)) {
      this.#breakOff({ kind: 'busy' }, 'cut');
      return;
    }
    if (this.#room === null) this.#pieces.push(Buffer.from(piece));
    else this.#room.set(piece, this.#bytes);
    this.#bytes += piece.length;
    HeldBytes.hold(held, piece.length);
    if (this.#bytes > answerBytesMax && !this.#answered && this.#answerHead !== null)
      this.#answerInPieces(this.#answerHead);
  }

  #pass(passage: Passage, piece: Buffer, isLast: boolean): void {
    this.#moved();
    // The connection goes on to another exchange, and with it what it reads into.
    passage.write(isLast ? Buffer.from(piece) : piece);
  }

  #end(): void {
    this.#close('ended');
    if (this.#answered) {
      this.#passage?.end();
      this.#piped('ended');
    } else if (this.#answerHead !== null) this.#answerWith(this.#whole(this.#answerHead));
  }

  #close(how: 'ended' | 'failed'): void {
    this.#over = how;
    HeldBytes.letGo(this.#terms.held, this.#bytes);
  }

  #fail(answer: Failure, outcome: Piped): void {
    if (this.#over !== 'no') return;
    this.#close('failed');
    this.#answerWith(answer);
    this.#piped(outcome);
    this.#passage?.destroy();
  }

  #breakOff(answer: Failure, outcome: Piped): void {
    if (this.#over !== 'no') return;
    this.#fail(answer, outcome);
    this.way?.destroy();
  }

  #answerWith(answer: Answer): void {
    if (this.#answered) return;
    this.#answered = true;
    this.#resolve(answer);
  }

  #whole({ status, body: framing, contentLength }: AnswerHead): Answer {
    const body = this.#room ?? (this.#bytes === 0 ? nothing : Buffer.concat(this.#pieces));
    const { key } = this.#terms;
    if (key.length > 0 && body.includes(key)) return { kind: 'unavailable', reason: 'key_in_body' };
    const length = framing === 'none' ? contentLength : String(body.length);
    if (length !== null && status !== 204 && status !== 304) this.#headers.push('content-length', length);
    return { kind: 'answer', status, headers: this.#headers, body };
  }

  #answerInPieces({ status, contentLength }: AnswerHead): void {
    this.#moved();
    if (contentLength !== null) this.#headers.push('content-length', contentLength);
    const pipeTo = (destination: Destination) => this.#pipeTo(destination);
    this.#answerWith({ kind: 'stream', status, headers: this.#headers, pipeTo });
  }

  #pipeTo(destination: Destination): Promise<Piped> {
    return new Promise((resolve) => {
      this.#piped = resolve;
      const passage = new Passage(
        destination,
        () => this.#readOn(),
        () => this.abandon(),
      );
      this.#passage = passage;
      for (const piece of this.#pieces) passage.write(piece);
      this.#pieces = [];
      // The upstream may have ended or failed before anyone asked for the body.
      if (this.#over === 'ended') {
        passage.end();
        resolve('ended');
      } else if (this.#over === 'failed') {
        // What is there of it leaves first: the head says what the call was.
        setImmediate(() => {
          passage.destroy();
          resolve('cut');
        });
      } else if (destination.destroyed) this.abandon();
      else if (!passage.isBlocked) this.#readOn();
    });
  }

  #readOn(): void {
    if (this.#over !== 'no') return;
    this.#moved();
    this.way?.resume();
  }

  #moved(): void {
    this.expiresAtMs = performance.now() + this.#terms.timeoutMs;
  }
}

function ignore(): void {}
