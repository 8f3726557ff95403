import type { StreamMeter } from './stream-meter.ts';
import type { Destination } from './upstream-response.ts';

/** The caller's side of a stream. */
type Caller = Pick<Destination, 'write' | 'destroy' | 'destroyed' | 'writableLength'>;

/**
 * Passes a stream on to its caller through its meter. When the caller leaves, or does not read for `stallMs`, the stream is still read, until
 * `abandon` is called: what was delivered has to be counted.
 */
export class StreamDestination implements Destination {
  readonly #caller: Caller;
  readonly #meter: StreamMeter;
  readonly #stallMs: number;
  readonly #whenStalled: () => void;
  #hasLeft = false;
  #listeners: (() => void)[] = [];
  /** Called when the written bytes are not needed any more. */
  #unwritten: (() => void)[] = [];
  #stalled: NodeJS.Timeout | null = null;
  /** True when at least one byte was passed on to the caller. */
  hasPassed = false;
  destroyed = false;
  closed = false;

  constructor(caller: Caller, meter: StreamMeter, stallMs: number, whenStalled: () => void) {
    this.#caller = caller;
    this.#meter = meter;
    this.#stallMs = stallMs;
    this.#whenStalled = whenStalled;
  }

  get writableLength(): number {
    return this.#hasLeft ? 0 : this.#caller.writableLength;
  }

  write(chunk: Buffer, written: () => void): boolean {
    const pieces = this.#meter.push(chunk);
    if (this.#meter.isOverfull) this.abandon();
    if (this.#hasLeft || pieces.length === 0) {
      written();
      return true;
    }
    this.hasPassed = true;
    this.#unwritten.push(written);
    let flows = true;
    for (const [at, piece] of pieces.entries())
      flows = this.#caller.write(piece, at === pieces.length - 1 ? this.#written : ignore);
    if (this.#unwritten.length > 0 && this.#caller.writableLength > 0) this.#watch();
    return flows;
  }

  /** The upstream has ended the stream; its end is sent after the charge. */
  end(): void {
    this.#close();
  }

  /** The upstream broke off. */
  destroy(): void {
    this.destroyed = true;
    this.#close();
  }

  once(_: 'close', listener: () => void): void {
    this.#listeners.push(listener);
  }

  /** Does nothing: the caller's connection reports its end by `leave`. */
  on(_: 'error', _listener: () => void): void {}

  /** The caller has left. The stream is read on. */
  leave(): void {
    if (this.#hasLeft) return;
    this.#hasLeft = true;
    this.#unwatch();
    for (const written of this.#unwritten.splice(0)) written();
  }

  /** Stops reading the stream. */
  abandon(): void {
    this.leave();
    this.destroyed = true;
    for (const listener of this.#listeners.splice(0)) listener();
  }

  #close(): void {
    this.closed = true;
    this.#unwatch();
  }

  readonly #written = (): void => {
    this.#unwatch();
    this.#unwritten.shift()?.();
    if (this.#unwritten.length > 0) this.#watch();
  };

  #watch(): void {
    this.#stalled ??= setTimeout(this.#whenStalled, this.#stallMs);
  }

  #unwatch(): void {
    if (this.#stalled !== null) clearTimeout(this.#stalled);
    this.#stalled = null;
  }
}

function ignore(): void {}
