import type { StreamRule } from '../catalog/stream-rule.ts';
import { EventSplitter, eventBytesMax, type StreamEvent } from './event-splitter.ts';
import { contentOf, type EventContent, hasValue, StreamUsage } from './stream-usage.ts';

/** The result of a stream that has ended. */
export type StreamResult = {
  /** The bytes that were withheld. */
  withheld: readonly Buffer[];
  /** The usage as the JSON text of a response that is not streamed; null when no event carried any. */
  usage: string | null;
  /** True when an event reported an error: the stream is not what was asked for. */
  hasFailed: boolean;
  /** Number of bytes that the upstream sent. */
  bytes: number;
};

/** The withheld end of a stream may not be longer. */
const withheldBytesMax = eventBytesMax;
const nothing: readonly Buffer[] = [];

/**
 * Reads the usage from a stream while it is passed on. Complete events are passed on at once and unchanged. From the first event on that ends the
 * stream (`last` of its rule) everything is withheld, so that no caller sees a complete stream before its charge is recorded.
 */
export class StreamMeter {
  readonly #rule: StreamRule;
  readonly #hidesUsage: boolean;
  readonly #splitter: EventSplitter;
  readonly #usage: StreamUsage;
  #withheld: Buffer[] | null = null;
  #withheldBytes = 0;
  #bytes = 0;

  /** @param hidesUsage true when events that only carry usage are left out */
  constructor(rule: StreamRule, hidesUsage: boolean) {
    this.#rule = rule;
    this.#hidesUsage = hidesUsage;
    this.#usage = new StreamUsage(rule);
    this.#splitter = new EventSplitter(rule.format, (begun) => !this.#isLast(begun));
  }

  /** True when the end of the stream is too long to be withheld: the stream has to be cut. */
  get isOverfull(): boolean {
    return this.#withheldBytes + this.#splitter.keptBytes > withheldBytesMax + eventBytesMax;
  }

  /** Takes the next bytes. Returns what may be passed on now, which may share memory with `chunk`. */
  push(chunk: Buffer): readonly Buffer[] {
    const out: Buffer[] = [];
    this.#bytes += chunk.length;
    for (const part of this.#splitter.push(chunk))
      if (part.kind === 'bytes') this.#pass(part.bytes, out);
      else this.#passEvent(part.event, out);
    return out;
  }

  /** The stream has ended. Returns its result. */
  end(): StreamResult {
    const rest = this.#splitter.rest();
    const out: Buffer[] = [];
    this.#withheld ??= [];
    if (rest !== null) this.#passEvent(rest, out);
    return {
      withheld: this.#withheld ?? nothing,
      usage: this.#usage.whole(),
      hasFailed: this.#usage.hasFailed,
      bytes: this.#bytes,
    };
  }

  #passEvent(event: StreamEvent, out: Buffer[]): void {
    const { bytes, passed, isUnread } = event;
    const content = isUnread ? null : contentOf(this.#rule.format, bytes);
    if (content !== null) {
      const isOnlyUsage = this.#usage.read(content);
      if (isOnlyUsage && this.#hidesUsage && passed === 0) return;
      if (passed === 0 && endsStream(this.#rule, content)) this.#withheld ??= [];
    }
    this.#pass(bytes.subarray(passed), out);
  }

  #pass(bytes: Buffer, out: Buffer[]): void {
    if (bytes.length === 0) return;
    if (this.#withheld === null) out.push(bytes);
    else {
      this.#withheld.push(Buffer.from(bytes));
      this.#withheldBytes += bytes.length;
    }
  }

  /** Decides by the lines so far of an event whether it ends the stream. */
  #isLast(begun: Buffer): boolean {
    return this.#rule.format === 'sse' && this.#rule.last.has(contentOf('sse', begun).name);
  }
}

/** Returns true when an event ends its stream, by its rule. */
export function endsStream({ last, lastAt }: StreamRule, content: EventContent): boolean {
  if (last.has(content.name) || last.has(content.data)) return true;
  return lastAt !== null && hasValue(content, lastAt);
}
