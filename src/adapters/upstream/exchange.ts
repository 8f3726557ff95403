import type { Client, Dispatcher } from 'undici';
import type { Answer, Destination, Failure, Piped } from '../../relay/answer.ts';
import * as Headers from '../../relay/headers.ts';
import * as HeldBytes from '../../relay/held-bytes.ts';
import type { Outbound, Sending } from '../../relay/upstream.ts';

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

/**
 * A way to the upstream and what is under way on it. A Set of all that is under way would do the same, but its outgrown
 * tables, once old, keep dead exchanges from being collected young: a third more CPU time a call, measured.
 */
export type Connection = { readonly client: Client; exchange: Exchange | null };

/**
 * One request and its answer: the handler that undici calls and the handle that the caller holds, in one object, as this
 * is made for every paid call. It starts waiting, is dispatched on a connection, and is over exactly once.
 */
export class Exchange implements Dispatcher.DispatchHandler, Sending {
  readonly outbound: Outbound;
  readonly answer: Promise<Answer>;
  /** On the clock of `performance.now()`. */
  expiresAtMs: number;
  /** What it was given; null while it waits for one. */
  connection: Connection | null = null;

  readonly #terms: Terms;
  readonly #whenOver: (exchange: Exchange) => void;
  #resolve: (answer: Answer) => void = ignore;
  #answered = false;
  #over: 'no' | 'ended' | 'failed' = 'no';

  #controller: Dispatcher.DispatchController | null = null;
  #status = 0;
  #headers: string[] = [];
  #contentLength: string | null = null;
  #chunks: Buffer[] = [];
  #bytes = 0;
  #destination: Destination | null = null;
  #piped: (outcome: Piped) => void = ignore;

  constructor(outbound: Outbound, terms: Terms, whenOver: (exchange: Exchange) => void) {
    this.outbound = outbound;
    this.#terms = terms;
    this.#whenOver = whenOver;
    this.expiresAtMs = performance.now() + terms.timeoutMs;
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
    this.#breakOff({ kind: 'timeout' }, this.#destination?.writableLength ? 'abandoned' : 'cut');
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#answered) controller.abort(brokenOff);
  }

  onResponseStart(
    controller: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    if (status < 200) return;
    this.#status = status;
    this.#headers = Headers.toCaller(headers, this.#terms.guard);
    this.#contentLength = typeof headers['content-length'] === 'string' ? headers['content-length'] : null;
    if (!this.#toBeHeld()) this.#answerInPieces(controller);
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#destination !== null) {
      this.#moved();
      this.#destination.write(chunk, this.#resume);
      if (this.#destination.writableLength > 0) controller.pause();
      return;
    }
    if (!this.#answered && HeldBytes.isFull(this.#terms.held)) {
      this.#breakOff({ kind: 'busy' }, 'cut');
      return;
    }
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    HeldBytes.hold(this.#terms.held, chunk.length);
    if (!this.#answered && this.#bytes > this.#terms.answerBytesMax) this.#answerInPieces(controller);
  }

  onResponseEnd(): void {
    this.#end('ended');
    if (this.#answered) {
      this.#destination?.end();
      this.#piped('ended');
    } else {
      this.#answerWith(this.#whole());
    }
    this.#whenOver(this);
  }

  #end(how: 'ended' | 'failed'): void {
    this.#over = how;
    HeldBytes.letGo(this.#terms.held, this.#bytes);
  }

  onResponseError(_controller: Dispatcher.DispatchController | null, error: Error): void {
    this.#end('failed');
    this.#answerWith(failure(error));
    this.#destination?.destroy();
    this.#piped('cut');
    this.#whenOver(this);
  }

  #breakOff(answer: Failure, outcome: Piped): void {
    if (this.#over !== 'no') return;
    this.#answerWith(answer);
    this.#piped(outcome);
    if (this.#controller !== null) this.#controller.abort(brokenOff);
    else if (this.connection === null) {
      this.#end('failed');
      this.#whenOver(this);
    }
    // Else undici is connecting: onRequestStart aborts, or the connection fails in its own time.
  }

  #answerWith(answer: Answer): void {
    if (this.#answered) return;
    this.#answered = true;
    this.#resolve(answer);
  }

  /** Whether there is no body, or one that is wanted whole and not known to be too long for that. */
  #toBeHeld(): boolean {
    const { metered, method } = this.outbound;
    if (method === 'HEAD' || this.#status === 204 || this.#status === 304) return true;
    const bytesMax = metered ? this.#terms.answerBytesMax : this.#terms.oneWriteBytesMax;
    return this.#contentLength === null ? metered : Number(this.#contentLength) <= bytesMax;
  }

  #whole(): Answer {
    const [only] = this.#chunks;
    const body =
      this.#chunks.length === 1 && only !== undefined ? only : Buffer.concat(this.#chunks, this.#bytes);
    const { key } = this.#terms;
    if (key.length > 0 && body.includes(key)) return { kind: 'unavailable', reason: 'key_in_body' };
    const length = this.outbound.method === 'HEAD' ? this.#contentLength : String(body.length);
    if (length !== null && this.#status !== 204 && this.#status !== 304) {
      this.#headers.push('content-length', length);
    }
    return { kind: 'answer', status: this.#status, headers: this.#headers, body };
  }

  #answerInPieces(controller: Dispatcher.DispatchController): void {
    controller.pause();
    this.#moved();
    if (this.#contentLength !== null) this.#headers.push('content-length', this.#contentLength);
    this.#answerWith({
      kind: 'stream',
      status: this.#status,
      headers: this.#headers,
      pipeTo: (destination) => this.#pipeTo(destination),
    });
  }

  #pipeTo(destination: Destination): Promise<Piped> {
    return new Promise((resolve) => {
      this.#destination = destination;
      this.#piped = resolve;
      destination.once('close', () => this.abandon());
      destination.on('error', () => this.abandon());
      for (const chunk of this.#chunks) destination.write(chunk, this.#resume);
      this.#chunks = [];
      this.#finishPiping(destination, destination.writableLength === 0);
    });
  }

  /** The upstream may have ended or failed before anyone asked for the body. */
  #finishPiping(destination: Destination, flowing: boolean): void {
    if (this.#over === 'ended') {
      destination.end();
      this.#piped('ended');
    } else if (this.#over === 'failed') {
      destination.destroy();
      this.#piped('cut');
    } else if (destination.destroyed) this.abandon();
    else if (flowing) this.#resume();
  }

  #resume = (): void => {
    if (this.#over !== 'no') return;
    this.#moved();
    this.#controller?.resume();
  };

  #moved(): void {
    this.expiresAtMs = performance.now() + this.#terms.timeoutMs;
  }
}

/** Made once: an Error costs more than the rest of breaking off, and nobody reads its stack. */
const brokenOff = new Error('broken off');

function ignore(): void {}

function failure(error: Error): Failure {
  const reason = 'code' in error && typeof error.code === 'string' ? error.code : error.name;
  return reason === 'UND_ERR_CONNECT_TIMEOUT' || reason === 'ETIMEDOUT'
    ? { kind: 'timeout' }
    : { kind: 'unavailable', reason };
}
