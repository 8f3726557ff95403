import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A span as it arrived (OTLP 1, JSON over HTTP). */
export type Span = {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  kind: number;
  attributes: Record<string, unknown>;
  events: string[];
  links: { traceId: string; spanId: string }[];
  /** 2: an error. */
  status: { code: number; message?: string };
  service: unknown;
};

export type Collector = {
  /** The settings that make a storefront export its spans here, without delay. */
  env: Record<string, string>;
  url: string;
  spans: Span[];
  /** The request bodies as received. */
  bodies: string[];
  /** Responds to a request; tests can replace it. */
  answer(response: ServerResponse): void;
  close(): Promise<void>;
};

/** Opens a server that receives traces like an OpenTelemetry collector. */
export async function open(): Promise<Collector> {
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    if (request.url === '/v1/traces' && request.headers['content-type'] === 'application/json') {
      collector.bodies.push(body);
      collector.spans.push(...read(JSON.parse(body)));
    }
    collector.answer(response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const collector: Collector = {
    env: { OTEL_EXPORTER_OTLP_ENDPOINT: url, OTEL_BSP_SCHEDULE_DELAY: '50' },
    url,
    spans: [],
    bodies: [],
    answer: (response) => response.writeHead(200, { 'content-type': 'application/json' }).end('{}'),
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return collector;
}

type Value = { stringValue?: string; intValue?: number | string; boolValue?: boolean; doubleValue?: number };
type Attributes = readonly { key: string; value: Value }[];
type Request = {
  resourceSpans: {
    resource: { attributes: Attributes };
    scopeSpans: {
      spans: (Omit<Span, 'attributes' | 'events' | 'links' | 'service'> & {
        attributes?: Attributes;
        events?: { name: string }[];
        links?: Span['links'];
      })[];
    }[];
  }[];
};

function read({ resourceSpans }: Request): Span[] {
  return resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap(({ spans }) =>
      spans.map((span) => ({
        ...span,
        attributes: values(span.attributes ?? []),
        events: (span.events ?? []).map(({ name }) => name),
        links: (span.links ?? []).map(({ traceId, spanId }) => ({ traceId, spanId })),
        service: values(resource.attributes)['service.name'],
      })),
    ),
  );
}

function values(attributes: Attributes): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
}
