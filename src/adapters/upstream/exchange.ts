import * as BufferBudget from '../../proxy/buffer-budget.ts';
import * as ContentCoding from '../../proxy/content-coding.ts';
import * as Headers from '../../proxy/headers.ts';
import { codedRefusal, keyFound, type Needles, StreamSearch } from '../../proxy/key-search.ts';
import type { Upload } from '../../proxy/upload.ts';
import type { Outbound, Sending } from '../../proxy/upstream.ts';
import type { Destination, Piped, UpstreamFailure, UpstreamResult } from '../../proxy/upstream-response.ts';
import { BodyPipe } from './body-pipe.ts';
import type { ExchangeSettings } from './exchange-settings.ts';
import { bytesToHold } from './hold-bound.ts';
import type { HeaderSection } from './response-head.ts';
import type { ResponseParser } from './response-parser.ts';

/** The parsed part of a response, and the position of the last bytes of its body. */
export type ParsedResponse = Pick<ResponseParser, 'head' | 'state' | 'from' | 'to'>;

/** Something that an exchange can cancel: a connection, or a place in the queue for one. */
export type Cancelable = { resume(): void; destroy(): void };

/** For responses up to this length, the announced length determines the buffer's size, so that bytes are copied only once. */
const announcedBytesMax = 1024 * 1024;
/** Number of bytes of a streamed response that are read before its reader asks for them. */
const aheadBytesMax = 64 * 1024;
const nothing = Buffer.alloc(0);
const uncoded: readonly ContentCoding.Coding[] = [];

/**
 * One request and its response. The object is both the connection's sink and the caller's handle, because one is created for every paid
 * call. It ends exactly once.
 */
export class Exchange implements Sending {
  readonly response: Promise<UpstreamResult>;
  /** On the clock of `performance.now()`. */
  expiresAtMs: number;
  cancelable: Cancelable | null = null;
  isSent = false;
  readonly method: string;
  readonly head: string;
  /** Null or at least one byte long. */
  readonly body: Buffer | null;
  readonly upload: Upload | null;
  /** True when its connection must be closed after it. */
  readonly isLast: boolean;

  readonly #metered: boolean;
  readonly #editsJson: boolean;
  readonly #countedHeaders: readonly string[] | undefined;
  readonly #terms: ExchangeSettings;
  #resolve: (response: UpstreamResult) => void = ignore;
  #isAnswered = false;
  #over: 'no' | 'ended' | 'failed' = 'no';

  #responseHead: HeaderSection | null = null;
  #headers: string[] = [];
  /** The received part of the body: in one preallocated buffer, or in pieces. */
  #buffer: Buffer | null = null;
  #pieces: Buffer[] = [];
  #bytes = 0;
  /** The length up to which the body is buffered completely. */
  #heldBytesMax = 0;
  #codings: ReturnType<typeof ContentCoding.parse> = uncoded;
  #pipe: BodyPipe | null = null;
  #search: StreamSearch | null = null;
  #piped: (outcome: Piped) => void = ignore;

  /** @param head the request's header section, with its empty line */
  constructor(outbound: Outbound, head: string, terms: ExchangeSettings, nowMs: number) {
    this.method = outbound.method;
    this.head = head;
    this.body = outbound.body?.length ? outbound.body : null;
    this.upload = outbound.upload ?? null;
    this.isLast = !terms.reuses;
    this.#metered = outbound.metered;
    this.#editsJson = outbound.editsJson ?? false;
    this.#countedHeaders = outbound.countedHeaders;
    this.#terms = terms;
    this.expiresAtMs = nowMs + terms.timeoutMs;
    this.response = new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }

  abandon(): void {
    this.breakOff({ kind: 'abandoned' }, 'abandoned');
  }

  /** Called when `expiresAtMs` has passed. */
  expire(): void {
    // A blocked pipe means that the reader does not read: treat it as having left, not as the upstream's fault.
    this.breakOff({ kind: 'timeout' }, this.#pipe?.isBlocked ? 'abandoned' : 'cut');
  }

  /** Fails the exchange because its connection is gone. @param reason a code for the log */
  lost(reason: string): void {
    this.#fail(reason === 'ETIMEDOUT' ? { kind: 'timeout' } : { kind: 'unavailable', reason }, 'cut');
  }

  /**
   * Takes the bytes read last, which must not be kept. A fault while they are taken ends this exchange, not the process.
   * @returns true to continue reading; otherwise `resume` will be called
   */
  received(reader: ParsedResponse, bytes: Buffer): boolean {
    try {
      return this.#take(reader, bytes);
    } catch (fault) {
      this.#stopAt(fault);
      return true;
    }
  }

  #stopAt(fault: unknown): Piped {
    this.#terms.report('response_failed', { fault: fault instanceof Error ? fault.stack : String(fault) });
    this.breakOff({ kind: 'unavailable', reason: 'fault' }, 'cut');
    return 'cut';
  }

  #take(reader: ParsedResponse, bytes: Buffer): boolean {
    if (reader.head === null) return true;
    const isOver = reader.state === 'over';
    if (this.#responseHead === null) this.#begin(reader.head);
    if (reader.from < reader.to && this.#over === 'no') {
      const piece = bytes.subarray(reader.from, reader.to);
      if (this.#pipe === null) this.#gather(piece);
      else this.#pass(this.#pipe, piece, isOver);
    }
    if (isOver && this.#over === 'no') this.#end();
    if (isOver || !this.#isAnswered) return true;
    return this.#pipe === null ? this.#bytes < aheadBytesMax : !this.#pipe.isBlocked;
  }

  #begin(head: HeaderSection): void {
    const { guard } = this.#terms;
    this.#responseHead = head;
    this.#headers = Headers.toCaller(head.headers, guard);
    if (this.#countedHeaders) Headers.addCounted(this.#headers, head.headers, this.#countedHeaders, guard);
    this.#codings = head.body === 'none' ? uncoded : ContentCoding.parse(head.headers);
    const isWanted =
      this.#metered || this.#codings.length > 0 || (this.#editsJson && Headers.isJson(head.headers));
    this.#heldBytesMax = bytesToHold(head, isWanted, this.#terms);
    const length = head.contentLength === null ? this.#heldBytesMax : Number(head.contentLength);
    if (this.#codings === 'unknown') this.#refuse(head, 'unknown_coding');
    else if (head.body !== 'none' && (this.#heldBytesMax === 0 || length > this.#heldBytesMax))
      this.#tooLongToHold(head);
    else if (head.body === 'length' && length <= announcedBytesMax) this.#buffer = Buffer.allocUnsafe(length);
  }

  #tooLongToHold(head: HeaderSection): void {
    if (this.#codings.length === 0) this.#answerInPieces(head);
    else this.#refuse(head, 'coded_too_large');
  }

  #gather(piece: Buffer): void {
    const { held } = this.#terms;
    if (!this.#isAnswered && BufferBudget.isFull(held)) {
      this.breakOff({ kind: 'busy' }, 'cut');
      return;
    }
    if (this.#buffer === null) this.#pieces.push(Buffer.from(piece));
    else this.#buffer.set(piece, this.#bytes);
    this.#bytes += piece.length;
    BufferBudget.reserve(held, piece.length);
    if (this.#bytes > this.#heldBytesMax && !this.#isAnswered && this.#responseHead !== null)
      this.#tooLongToHold(this.#responseHead);
  }

  #pass(pipe: BodyPipe, piece: Buffer, isLast: boolean): void {
    this.moved();
    const safe = this.#search === null ? piece : this.#search.push(piece);
    if (safe === null) this.breakOff(keyFound, 'key_found');
    // The connection will serve another exchange and overwrite its read buffer.
    else if (safe.length > 0) pipe.write(isLast ? Buffer.from(safe) : safe);
  }

  #end(): void {
    if (this.#isAnswered) {
      this.#close('ended');
      if (this.#pipe !== null) this.#endPipe(this.#pipe);
      this.#piped('ended');
    } else if (this.#responseHead !== null) this.#answerWhole(this.#responseHead);
  }

  #endPipe(pipe: BodyPipe): void {
    const rest = this.#search?.rest() ?? nothing;
    if (rest.length > 0) pipe.write(rest);
    pipe.end();
  }

  #close(how: 'ended' | 'failed'): void {
    this.#over = how;
    BufferBudget.release(this.#terms.held, this.#bytes);
  }

  #fail(response: UpstreamFailure, outcome: Piped): void {
    if (this.#over !== 'no') return;
    this.#close('failed');
    this.#respond(response);
    this.#piped(outcome);
    this.#pipe?.destroy();
  }

  /** Fails the exchange because its content coding cannot be decoded. @param reason a code for the log */
  #refuse({ status }: HeaderSection, reason: string): void {
    this.breakOff({ kind: 'undecodable', status, reason }, 'cut');
  }

  breakOff(response: UpstreamFailure, outcome: Piped): void {
    if (this.#over !== 'no') return;
    this.#fail(response, outcome);
    this.cancelable?.destroy();
  }

  #respond(response: UpstreamResult): void {
    if (this.#isAnswered) return;
    this.#isAnswered = true;
    this.#resolve(response);
  }

  #answerWhole({ status, body: framing, contentLength }: HeaderSection): void {
    const body = this.#buffer ?? (this.#bytes === 0 ? nothing : Buffer.concat(this.#pieces));
    const length = framing === 'none' ? contentLength : String(body.length);
    if (length !== null && status !== 204 && status !== 304) this.#headers.push('content-length', length);
    const response: UpstreamResult = { kind: 'whole', status, headers: this.#headers, body };
    const needles = this.#needles(status);
    const isFound = needles?.areIn(body) ?? false;
    if (isFound || needles === null || body.length === 0) this.#endWith(isFound ? keyFound : response);
    else if (this.#codings === 'unknown' || this.#codings.length === 0) this.#endWith(response);
    else {
      // The buffer budget is released after the search.
      this.#over = 'ended';
      void codedRefusal(body, this.#codings, status, needles, this.#terms.responseBytesMax).then((refusal) =>
        this.#endWith(refusal ?? response),
      );
    }
  }

  #endWith(response: UpstreamResult): void {
    this.#close('ended');
    this.#respond(response);
  }

  #needles(status: number): Needles | null {
    const { keySearch } = this.#terms;
    // A response to a range request could begin or end inside the key.
    return keySearch && (status === 206 ? keySearch.parts : keySearch.whole);
  }

  #answerInPieces({ status, contentLength }: HeaderSection): void {
    this.moved();
    const needles = this.#needles(status);
    this.#search = needles && new StreamSearch(needles);
    if (contentLength !== null) this.#headers.push('content-length', contentLength);
    const pipeTo = (destination: Destination) =>
      this.#pipeTo(destination).catch((fault: unknown) => this.#stopAt(fault));
    this.#respond({ kind: 'stream', status, headers: this.#headers, pipeTo });
  }

  #pipeTo(destination: Destination): Promise<Piped> {
    return new Promise((resolve) => {
      this.#piped = resolve;
      const pipe = new BodyPipe(
        destination,
        () => this.#readOn(),
        () => this.abandon(),
      );
      this.#pipe = pipe;
      const pieces = this.#pieces.map((piece) => (this.#search === null ? piece : this.#search.push(piece)));
      this.#pieces = [];
      if (pieces.includes(null)) {
        this.breakOff(keyFound, 'key_found');
        pipe.destroy();
        return resolve('key_found');
      }
      for (const piece of pieces) if (piece !== null && piece.length > 0) pipe.write(piece);
      // The upstream may have finished or failed before the body was requested.
      if (this.#over === 'ended') {
        this.#endPipe(pipe);
        resolve('ended');
      } else if (this.#over === 'failed') {
        // The caller still gets the received part: its header section states the charge.
        setImmediate(() => {
          pipe.destroy();
          resolve('cut');
        });
      } else if (destination.destroyed) this.abandon();
      else if (!pipe.isBlocked) this.#readOn();
    });
  }

  #readOn(): void {
    if (this.#over !== 'no') return;
    this.moved();
    this.cancelable?.resume();
  }

  moved(): void {
    this.expiresAtMs = performance.now() + this.#terms.idleMs;
  }
}

function ignore(): void {}
