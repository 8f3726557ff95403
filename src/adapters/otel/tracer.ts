import {
  type Context,
  type Link,
  type Span as OtelSpan,
  type Tracer as OtelTracer,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  trace,
} from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  BatchSpanProcessor,
  type Sampler,
  SamplingDecision,
  type SamplingResult,
  type SpanExporter,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import { parseTraceparent, type Span, type SpanAttributes, type Tracer } from '@sluice/kernel/tracing';

export type TracerSettings = {
  /** The OTLP endpoint (HTTP, JSON). */
  url: string;
  serviceName: string;
  /** The fraction of traces that is recorded. */
  ratio: number;
  /** Maximum time that a span waits for its batch. */
  delayMs: number;
  /** True when the gateway sends its own `traceparent` to the upstream. */
  tellsUpstream: boolean;
};

/** Spans that wait in memory for the collector, about 2 KB each; further ones are dropped. */
const waitingMax = 4_096;
const batchMax = 512;
const exportMs = 5_000;
const closeMs = 2_000;
/** Number of batches that may be sent at the same time. */
const underWayMax = 2;
const textCharsMax = 256;

/**
 * Opens a tracer that exports to a collector. Requests never wait for it: a dead or slow collector only loses spans.
 * @param report called once when exports start to fail, and once when they succeed again
 */
export function openTracer(
  settings: TracerSettings,
  report: (event: 'traces_away' | 'traces_back', detail: SpanAttributes) => void,
): Tracer {
  const { url, serviceName, ratio, delayMs, tellsUpstream } = settings;
  const exporter = new OTLPTraceExporter({ url, timeoutMillis: exportMs, concurrencyLimit: underWayMax });
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ 'service.name': serviceName }),
    sampler: new OwnSampler(ratio),
    spanLimits: { attributeValueLengthLimit: textCharsMax, linkCountLimit: batchMax },
    spanProcessors: [
      new BatchSpanProcessor({
        exporter: watched(exporter, report),
        maxQueueSize: waitingMax,
        maxExportBatchSize: batchMax,
        scheduledDelayMillis: delayMs,
        exportTimeoutMillis: exportMs,
      }),
    ],
  });
  const tracer = provider.getTracer('sluice');
  return {
    request(method, traceparent) {
      const remote = parseTraceparent(traceparent);
      // The caller's sampling flag does not influence whether this gateway records the trace.
      const context =
        remote &&
        trace.setSpanContext(ROOT_CONTEXT, { ...remote, traceFlags: TraceFlags.NONE, isRemote: true });
      const options = { kind: SpanKind.SERVER, attributes: { 'http.request.method': method } };
      return new Work(tracer, tracer.startSpan(method, options, context ?? ROOT_CONTEXT), tellsUpstream);
    },
    batch(name, parts) {
      const links = parts.flatMap((part): Link[] =>
        part instanceof Work && part.span.isRecording() ? [{ context: part.span.spanContext() }] : [],
      );
      if (links.length === 0) return null;
      return new Work(
        tracer,
        tracer.startSpan(name, { kind: SpanKind.CLIENT, links }, ROOT_CONTEXT),
        tellsUpstream,
      );
    },
    async close() {
      let late: NodeJS.Timeout | undefined;
      const deadlines = new Promise<void>((resolve) => {
        late = setTimeout(resolve, closeMs);
      });
      await Promise.race([provider.shutdown().catch(() => undefined), deadlines]);
      clearTimeout(late);
    },
  };
}

class Work implements Span {
  readonly #tracer: OtelTracer;
  readonly #tellsUpstream: boolean;
  readonly span: OtelSpan;

  constructor(tracer: OtelTracer, span: OtelSpan, tellsUpstream: boolean) {
    this.#tracer = tracer;
    this.span = span;
    this.#tellsUpstream = tellsUpstream;
  }

  get forUpstream(): string | null {
    if (!this.#tellsUpstream) return null;
    const { traceId, spanId, traceFlags } = this.span.spanContext();
    return `00-${traceId}-${spanId}-0${traceFlags & TraceFlags.SAMPLED}`;
  }

  route(method: string, template: string): void {
    this.span.updateName(`${method} ${template}`);
    this.span.setAttribute('http.route', template);
  }

  event(name: string): void {
    this.span.addEvent(name);
  }

  child(name: string): Span {
    const context: Context = trace.setSpan(ROOT_CONTEXT, this.span);
    const span = this.#tracer.startSpan(name, { kind: SpanKind.CLIENT }, context);
    return new Work(this.#tracer, span, this.#tellsUpstream);
  }

  end(facts: SpanAttributes, failed: string | null = null): void {
    this.span.setAttributes(facts);
    if (failed !== null) this.span.setStatus({ code: SpanStatusCode.ERROR, message: failed });
    this.span.end();
  }
}

/** Samples child spans with their parent, a batch when any trace that it links to is sampled, and other spans by `ratio`. */
class OwnSampler implements Sampler {
  readonly #share: TraceIdRatioBasedSampler;

  constructor(ratio: number) {
    this.#share = new TraceIdRatioBasedSampler(ratio);
  }

  shouldSample(...[context, traceId, , , , links]: Parameters<Sampler['shouldSample']>): SamplingResult {
    const parent = trace.getSpanContext(context);
    if (links.length > 0) return { decision: SamplingDecision.RECORD_AND_SAMPLED };
    if (parent === undefined || parent.isRemote) return this.#share.shouldSample(context, traceId);
    const isRecorded = (parent.traceFlags & TraceFlags.SAMPLED) !== 0;
    return { decision: isRecorded ? SamplingDecision.RECORD_AND_SAMPLED : SamplingDecision.NOT_RECORD };
  }

  toString(): string {
    return `OwnSampler{${this.#share}}`;
  }
}

/** Wraps an exporter to report when exports start to fail and when they succeed again. */
function watched(exporter: SpanExporter, report: Parameters<typeof openTracer>[1]): SpanExporter {
  let isAway = false;
  return {
    export(spans, done) {
      exporter.export(spans, (result) => {
        const isLost = result.error !== undefined || result.code !== 0;
        if (isLost !== isAway)
          report(isLost ? 'traces_away' : 'traces_back', { reason: result.error?.message });
        isAway = isLost;
        done(result);
      });
    },
    shutdown: () => exporter.shutdown(),
  };
}
