import type { Clock } from '@sluice/kernel/clock';
import { id } from '@sluice/kernel/id';
import type { Span, Tracer } from '@sluice/kernel/tracing';
import type { Incoming, Outgoing } from '../server/outgoing.ts';

/**
 * The log entry of a request. It contains no header, query or body, because they may hold secrets. Unknown members are undefined rather
 * than absent, so that all entries share one hidden class, which is faster to fill and to write.
 */
export type LogEntry = {
  readonly requestId: string;
  readonly startedMs: number;
  /** The span of the request; not part of the log line. */
  readonly span: Span | null;
  account: string | undefined;
  /** The called tool of `/mcp`. */
  tool: string | undefined;
  call: string | undefined;
  /** The service that responded. */
  service: string | undefined;
  units: number | undefined;
  costMicroUsd: number | undefined;
  code: string | undefined;
};

/** The written log line. `cut` is true when the response was not sent completely. */
export type LogLine = Omit<LogEntry, 'requestId' | 'startedMs' | 'span'> & {
  event: 'request';
  request_id: string;
  method: string | undefined;
  path: string;
  status: number;
  ms: number;
  cut: true | undefined;
};

export type WriteLine = (line: LogLine) => void;

const pathCharsMax = 200;

/** Creates the entry of a request. Its line is written when the response has been sent or the connection has closed. */
export function startEntry(
  incoming: Incoming,
  outgoing: Pick<Outgoing, 'statusCode' | 'headersSent' | 'writableFinished'> & {
    once(event: 'close', listener: () => void): unknown;
  },
  clock: Clock,
  write: WriteLine,
  tracer: Tracer | null = null,
): LogEntry {
  const span = tracer === null ? null : tracer.request(incoming.method ?? '', incoming.headers.traceparent);
  const entry: LogEntry = {
    requestId: id('req'),
    startedMs: clock(),
    span,
    account: undefined,
    tool: undefined,
    call: undefined,
    service: undefined,
    units: undefined,
    costMicroUsd: undefined,
    code: undefined,
  };
  outgoing.once('close', () => {
    const status = outgoing.headersSent ? outgoing.statusCode : 0;
    write({
      event: 'request',
      request_id: entry.requestId,
      method: incoming.method,
      path: pathOf(incoming.url ?? ''),
      status,
      ms: clock() - entry.startedMs,
      cut: outgoing.writableFinished ? undefined : true,
      account: entry.account,
      tool: entry.tool,
      call: entry.call,
      service: entry.service,
      units: entry.units,
      costMicroUsd: entry.costMicroUsd,
      code: entry.code,
    });
    if (span !== null) end(span, status, entry);
  });
  return entry;
}

function pathOf(url: string): string {
  const mark = url.indexOf('?');
  return url.slice(0, mark < 0 ? pathCharsMax : Math.min(mark, pathCharsMax));
}

function end(span: Span, status: number, entry: LogEntry): void {
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
