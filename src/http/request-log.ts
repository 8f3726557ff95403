import type { Clock } from '../kernel/clock.ts';
import { id } from '../kernel/id.ts';
import type { Span, Tracer } from '../kernel/tracing.ts';
import type { Incoming, Outgoing } from './outgoing.ts';

/**
 * What one line of the log says of a request. Never a header, a query, a body: those may hold secrets. What is not known is
 * undefined and not left out, so that all entries are of one shape, which is quicker to fill and to write.
 */
export type Entry = {
  readonly requestId: string;
  readonly startedMs: number;
  /** The request in its trace; the log has no part of it. */
  readonly span: Span | null;
  account: string | undefined;
  /** The tool of `/mcp` that was called. */
  tool: string | undefined;
  call: string | undefined;
  /** The service whose answer it got. */
  service: string | undefined;
  units: number | undefined;
  costMicroUsd: number | undefined;
  code: string | undefined;
};

/** A line as it is written; `cut` is true where the answer did not leave whole. */
export type Line = Omit<Entry, 'requestId' | 'startedMs' | 'span'> & {
  event: 'request';
  request_id: string;
  method: string | undefined;
  path: string;
  status: number;
  ms: number;
  cut: true | undefined;
};

export type WriteLine = (line: Line) => void;

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
  const entry: Entry = {
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
