/** The attributes of a span. Headers, queries and bodies are left out because they may contain secrets. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean | undefined>>;

/** A piece of work in a trace. It is exported when it ends. */
export interface Span {
  /** The `traceparent` (W3C Trace Context) for the upstream; null where it is not to know of our traces. */
  readonly forUpstream: string | null;
  /** Names the work by its route template, once that is known. */
  route(method: string, template: string): void;
  /** A moment in it. */
  event(name: string): void;
  /** A call to another program that is a part of it. */
  child(name: string): Span;
  /** @param failed a stable word for what went wrong */
  end(attributes: SpanAttributes, failed?: string | null): void;
}

/** A header as Node has it. */
type Field = string | readonly string[] | undefined;

/** Makes spans. A process without a collector has none. */
export interface Tracer {
  /** A request that came in; `traceparent` as its caller sent it. */
  request(method: string, traceparent: Field): Span;
  /** Work done at once for many, linked to each; null where none of them is recorded. */
  batch(name: string, parts: readonly Span[]): Span | null;
  /** Sends what has ended, for a bounded time. */
  close(): Promise<void>;
}

/** A place in a trace of somebody else. */
export type Remote = { traceId: string; spanId: string };

/** Parses a `traceparent`; null for any value that W3C Trace Context, section 3.2.2, requires to be ignored. */
export function parseTraceparent(header: Field): Remote | null {
  const [, version, traceId = '', spanId = '', , more] =
    /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/.exec(String(header)) ?? [];
  const isSound = version !== undefined && version !== 'ff' && (version !== '00' || more === undefined);
  return isSound && /[1-9a-f]/.test(traceId) && /[1-9a-f]/.test(spanId) ? { traceId, spanId } : null;
}
