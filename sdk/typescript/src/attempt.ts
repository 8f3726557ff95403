import { timerMsMax } from './clock.ts';
import * as Loss from './loss.ts';

/** The lifetime of one attempt: its timeout and the signal of the caller end it. */
export class Attempt {
  readonly #controller = new AbortController();
  readonly #timeoutMs: number;
  readonly #callers: AbortSignal | undefined;
  readonly #abort = () => this.#controller.abort(this.#callers?.reason);
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(timeoutMs: number, callers: AbortSignal | undefined) {
    this.#timeoutMs = timeoutMs;
    this.#callers = callers;
    callers?.addEventListener('abort', this.#abort, { once: true });
    this.#startTimer();
  }

  /** Aborts the request. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Releases the timer and the signal of the caller. */
  end(): void {
    clearTimeout(this.#timer);
    this.#callers?.removeEventListener('abort', this.#abort);
  }

  /**
   * Reads a body piece by piece; the timeout applies to each wait. Throws `APIConnectionError` if the connection breaks, and the reason of an aborted
   * signal. Closes the connection when the reading ends, for whatever reason.
   */
  async *pieces(
    body: ReadableStream<Uint8Array> | null,
    url: string,
  ): AsyncGenerator<Uint8Array, void, undefined> {
    const reader = body?.getReader();
    try {
      for (;;) {
        this.#startTimer();
        const piece = await reader?.read();
        clearTimeout(this.#timer);
        if (!piece?.value) return;
        yield piece.value;
      }
    } catch (fault) {
      this.#callers?.throwIfAborted();
      throw Loss.of(fault, url, this.#timeoutMs).error;
    } finally {
      this.end();
      this.#controller.abort();
    }
  }

  #startTimer(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(
      () => this.#controller.abort(new DOMException('The timeout has passed', 'TimeoutError')),
      Math.min(this.#timeoutMs, timerMsMax),
    );
  }
}
