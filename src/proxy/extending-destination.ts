import { EventSplitter, eventBytesMax } from './event-splitter.ts';
import type { StreamGrowth } from './stream-growth.ts';
import type { Destination } from './upstream-response.ts';

/** The destination behind it. `abandon` stops reading the upstream. */
type Inner = Destination & { abandon(): void };

/** Extends the hold of a stream, to `units` or, when that is not possible, at least to `needed`. Resolves with the units held, or null. */
export type Extend = (needed: number, units: number) => Promise<number | null>;

/** A part of a stream that waits, and the write that it came with. */
type Item = { bytes: Buffer; isEvent: boolean; chunk: Chunk };
/** One write: `written` is called when none of its parts is needed any more. */
type Chunk = { open: number; written: () => void };

/**
 * Passes complete events on only when the hold of their stream covers them. While a hold is extended, events wait and the upstream is not read.
 * When it cannot be extended, the upstream is abandoned before the event that is not covered.
 */
export class ExtendingDestination implements Destination {
  readonly #inner: Inner;
  readonly #growth: StreamGrowth;
  readonly #extend: Extend;
  readonly #splitter: EventSplitter;
  readonly #finished = Promise.withResolvers<void>();
  #held: number;
  #queue: Item[] = [];
  #queuedBytes = 0;
  #isExtending = false;
  #hasEnded = false;
  #isClosed = false;
  /** True when the stream was ended because its hold could not be extended. */
  isRefused = false;
  /** True when an event was too long to be kept. */
  isOverfull = false;

  /** @param held the units that are held already */
  constructor(inner: Inner, growth: StreamGrowth, format: 'sse' | 'ndjson', held: number, extend: Extend) {
    this.#inner = inner;
    this.#growth = growth;
    this.#held = held;
    this.#extend = extend;
    this.#splitter = new EventSplitter(format, () => false);
    inner.once('close', () => this.#drop());
  }

  /** Resolves when nothing waits any more. Call it after the upstream's end. */
  get finished(): Promise<void> {
    return this.#finished.promise;
  }

  get destroyed(): boolean {
    return this.#inner.destroyed;
  }

  get closed(): boolean {
    return this.#hasEnded || this.#inner.closed;
  }

  get writableLength(): number {
    return this.#queuedBytes + this.#inner.writableLength;
  }

  write(bytes: Buffer, written: () => void): boolean {
    const chunk: Chunk = { open: 1, written };
    for (const part of this.#splitter.push(bytes))
      if (part.kind === 'event') this.#add(part.event.bytes, true, chunk);
      else this.#add(part.bytes, false, chunk);
    if (this.#splitter.keptBytes > eventBytesMax && !this.#isClosed) {
      this.isOverfull = true;
      this.#inner.abandon();
    }
    this.#pump();
    close(chunk);
    return this.writableLength === 0;
  }

  end(): void {
    this.#hasEnded = true;
    const rest = this.#splitter.rest();
    if (rest !== null) this.#add(rest.bytes, true, { open: 0, written() {} });
    this.#pump();
  }

  destroy(): void {
    this.#inner.destroy();
    this.#drop();
  }

  once(event: 'close', listener: () => void): void {
    this.#inner.once(event, listener);
  }

  on(event: 'error', listener: () => void): void {
    this.#inner.on(event, listener);
  }

  /** The bytes stay in the writer's buffer, which it keeps until `written` is called. */
  #add(bytes: Buffer, isEvent: boolean, chunk: Chunk): void {
    if (this.#isClosed) return;
    chunk.open++;
    this.#queue.push({ bytes, isEvent, chunk });
    this.#queuedBytes += bytes.length;
  }

  #pump(): void {
    if (this.#isExtending) return;
    for (let item = this.#queue[0]; item !== undefined; item = this.#queue[0]) {
      if (item.isEvent) {
        const needed = this.#growth.next({ bytes: item.bytes, isUnread: false });
        if (needed > this.#held) {
          this.#isExtending = true;
          void this.#wait(needed);
          return;
        }
      }
      this.#pass();
    }
    if (this.#hasEnded && !this.#isClosed) {
      this.#isClosed = true;
      this.#inner.end();
      this.#finished.resolve();
    }
  }

  async #wait(needed: number): Promise<void> {
    const held = await this.#extend(needed, this.#growth.ahead()).catch(() => null);
    this.#isExtending = false;
    if (this.#isClosed) return;
    if (held === null || held < needed) {
      this.isRefused = true;
      this.#inner.abandon();
      return;
    }
    this.#held = held;
    this.#pass();
    this.#pump();
  }

  /** Passes the first part in the queue on. */
  #pass(): void {
    const item = this.#queue.shift();
    if (item === undefined) return;
    this.#queuedBytes -= item.bytes.length;
    if (item.isEvent) this.#growth.accept();
    this.#inner.write(item.bytes, () => close(item.chunk));
  }

  /** The stream is over, and what waits is not sent. */
  #drop(): void {
    this.#isClosed = true;
    this.#queuedBytes = 0;
    for (const { chunk } of this.#queue.splice(0)) close(chunk);
    this.#finished.resolve();
  }
}

function close(chunk: Chunk): void {
  chunk.open--;
  if (chunk.open === 0) chunk.written();
}
