/** One event of a stream, as it was received. */
export type StreamEvent = {
  /** All bytes of the event with its terminator. Empty when `isUnread`. */
  bytes: Buffer;
  /** The number of those bytes that were already passed on, because the event was long. */
  passed: number;
  /** True when the event was too long to be kept, so that its content is not known. */
  isUnread: boolean;
};

/** A piece of a stream: bytes of an event that is not complete yet and may be passed on, or a complete event. */
export type Part = { kind: 'bytes'; bytes: Buffer } | { kind: 'event'; event: StreamEvent };

/** A longer event is passed on before it is complete, unless it begins like a last event. 64 KiB. */
const partialBytesMax = 64 * 1024;
/** A longer event is passed on without being read. 8 MiB. */
export const eventBytesMax = 8 * 1024 * 1024;

const lf = 0x0a;
const cr = 0x0d;
const nothing = Buffer.alloc(0);

/**
 * Splits a stream of server-sent events or of JSON lines into events, wherever the network cuts it. An event of SSE ends with an empty line;
 * lines end with LF, CR or CRLF. Every byte is in exactly one event, in order.
 */
export class EventSplitter {
  readonly #isSse: boolean;
  readonly #mayPass: (begun: Buffer) => boolean;
  /** Received bytes of the event that is not complete, copied from the network's buffer. */
  #begun: Buffer[] = [];
  #begunBytes = 0;
  /** The number of those bytes that were passed on. */
  #passed = 0;
  /** The decision about an event that is longer than `partialBytesMax`. */
  #long: 'no' | 'passed' | 'held' | 'unread' = 'no';
  #isLineEmpty = true;
  #isAfterCr = false;
  /** True when an event ended with a CR, whose LF may follow. */
  #mayEndInLf = false;

  /** @param mayPass decides whether a long event may be passed on before it is complete */
  constructor(format: 'sse' | 'ndjson', mayPass: (begun: Buffer) => boolean) {
    this.#isSse = format === 'sse';
    this.#mayPass = mayPass;
  }

  /** Number of bytes that are kept because their event is not complete. */
  get keptBytes(): number {
    return this.#long === 'unread' ? 0 : this.#begunBytes;
  }

  /** Takes the next bytes, which the caller may overwrite later. Returned buffers may share their memory. */
  push(chunk: Buffer): Part[] {
    const parts: Part[] = [];
    let from = 0;
    if (this.#mayEndInLf && chunk.length > 0) {
      this.#mayEndInLf = false;
      if (chunk[0] === lf) {
        this.#isAfterCr = false;
        parts.push({ kind: 'bytes', bytes: chunk.subarray(0, 1) });
        from = 1;
      }
    }
    for (let at = from; at < chunk.length; at += 1) {
      if (!this.#endsEvent(chunk[at] as number)) continue;
      if (this.#isAfterCr && chunk[at + 1] === lf) {
        this.#isAfterCr = false;
        at += 1;
      }
      parts.push({ kind: 'event', event: this.#complete(chunk.subarray(from, at + 1)) });
      from = at + 1;
      this.#mayEndInLf = this.#isAfterCr && from === chunk.length;
    }
    if (from < chunk.length) this.#begin(chunk.subarray(from), parts);
    return parts;
  }

  /** Returns the rest of a stream that has ended: an event without its terminator; null when there is none. */
  rest(): StreamEvent | null {
    return this.#begunBytes === 0 ? null : this.#complete(nothing);
  }

  /** Returns true when `byte` is the last one of an event, but for an LF after a CR. */
  #endsEvent(byte: number): boolean {
    if (!this.#isSse) return byte === lf;
    const isAfterCr = this.#isAfterCr;
    this.#isAfterCr = byte === cr;
    if (byte === lf && isAfterCr) return false;
    if (byte !== lf && byte !== cr) {
      this.#isLineEmpty = false;
      return false;
    }
    const isEnd = this.#isLineEmpty;
    this.#isLineEmpty = true;
    return isEnd;
  }

  #begin(piece: Buffer, parts: Part[]): void {
    this.#begunBytes += piece.length;
    if (this.#long === 'unread') {
      parts.push({ kind: 'bytes', bytes: piece });
      return;
    }
    this.#begun.push(Buffer.from(piece));
    if (this.#begunBytes <= partialBytesMax) return;
    if (this.#long === 'no') {
      const begun = Buffer.concat(this.#begun);
      this.#long = this.#mayPass(begun) ? 'passed' : 'held';
      if (this.#long === 'passed') this.#pass(begun, parts);
    } else if (this.#long === 'passed') this.#pass(piece, parts);
  }

  #pass(bytes: Buffer, parts: Part[]): void {
    parts.push({ kind: 'bytes', bytes });
    this.#passed = this.#begunBytes;
    if (this.#begunBytes <= eventBytesMax) return;
    this.#long = 'unread';
    this.#begun = [];
  }

  #complete(end: Buffer): StreamEvent {
    const isUnread = this.#long === 'unread';
    const bytes = isUnread || this.#begun.length === 0 ? end : Buffer.concat([...this.#begun, end]);
    const passed = isUnread ? 0 : this.#passed;
    this.#begun = [];
    this.#begunBytes = 0;
    this.#passed = 0;
    this.#long = 'no';
    return { bytes, passed, isUnread };
  }
}
