import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gunzipSync } from 'node:zlib';
import type { Span } from './span.ts';

/** The spans of one trace, and all batches of the ledger. */
export type Collector = {
  url: string;
  served: ReadonlyMap<string, Span>;
  upstream: ReadonlyMap<string, Span>;
  batches: readonly Span[];
  stop(): Promise<void>;
};

type OtlpSpan = {
  traceId: string;
  name: string;
  kind: number;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
};
type OtlpRequest = { resourceSpans: { scopeSpans: { spans: OtlpSpan[] }[] }[] };

const serverKind = 2;
const batchName = 'ledger batch';

/** Receives the traces of a storefront (OTLP over HTTP, JSON). */
export async function start(): Promise<Collector> {
  const served = new Map<string, Span>();
  const upstream = new Map<string, Span>();
  const batches: Span[] = [];
  const keep = ({ traceId, name, kind, startTimeUnixNano, endTimeUnixNano }: OtlpSpan) => {
    const span = { startMs: Number(startTimeUnixNano) / 1e6, endMs: Number(endTimeUnixNano) / 1e6 };
    if (name === batchName) batches.push(span);
    else (kind === serverKind ? served : upstream).set(traceId, span);
  };
  const server = createServer(async (incoming, outgoing) => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk);
    const sent = Buffer.concat(chunks);
    const text = incoming.headers['content-encoding'] === 'gzip' ? gunzipSync(sent) : sent;
    const { resourceSpans } = JSON.parse(text.toString()) as OtlpRequest;
    for (const { scopeSpans } of resourceSpans) for (const { spans } of scopeSpans) spans.forEach(keep);
    outgoing.setHeader('content-type', 'application/json').end('{}');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    served,
    upstream,
    batches,
    async stop() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}
