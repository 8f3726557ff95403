import type { Clock } from '../kernel/clock.ts';
import { id } from '../kernel/id.ts';
import type { Span, Tracer } from '../kernel/tracing.ts';
import type { Incoming, Outgoing } from './outgoing.ts';

/** What one line of the log says of a request. Never a header, a query, a body: those may hold secrets. */
export type Entry = {
  readonly requestId: string;
  readonly startedMs: number;
  /** The request in its trace; the log has no part of it. */
  readonly span: Span | null;
  account?: string;
  /** The tool of `/mcp` that was called. */
  tool?: string;
  call?: string;
  /** The service whose answer it got. */
  service?: string;
  units?: number;
  costMicroUsd?: number;
  code?: string;
};

export type WriteLine = (line: Readonly<Record<string, unknown>>) => void;

const pathCharsMax = 200;

/** Opens the entry of a request; its line is written when the connection is done with the answer. */
export function open(
  incoming: Incoming,
  outgoing: Outgoing,
  clock: Clock,
  write: WriteLine,
  tracer: Tracer | null = null,
): Entry {
  const span = tracer === null ? null : tracer.request(incoming.method ?? '', incoming.headers.traceparent);
  const entry: Entry = { requestId: id('req'), startedMs: clock(), span };
  outgoing.once('close', () => {
    const { requestId, startedMs, span, ...rest } = entry;
    const status = outgoing.headersSent ? outgoing.statusCode : 0;
    write({
      event: 'request',
      request_id: requestId,
      method: incoming.method,
      path: (incoming.url ?? '').split('?', 1)[0]?.slice(0, pathCharsMax),
      status,
      ms: clock() - startedMs,
      ...(!outgoing.writableFinished && { cut: true }),
      ...rest,
    });
    if (span !== null) end(span, status, entry);
  });
  return entry;
}

function end(span: Span, status: number, entry: Entry): void {
  const { requestId, account, tool, call, service, units, costMicroUsd, code } = entry;
  const facts = {
    'http.response.status_code': status,
    'sluice.request_id': requestId,
    'sluice.account': account,
    'sluice.tool': tool,
    'sluice.call': call,
    'sluice.service': service,
    'sluice.units': units,
    'sluice.cost_micro_usd': costMicroUsd,
    'sluice.code': code,
  };
  span.end(facts, status === 0 || status >= 500 ? (code ?? String(status)) : null);
}
