import type { Span } from '@sluice/kernel/tracing';
import type { UpstreamResult } from '../proxy/upstream-response.ts';

/** Begins the span of the exchange with the upstream, after the worst case was held. */
export function start(call: Span): Span {
  call.event('held');
  return call.child('upstream');
}

/** Ends the span with the result of the exchange. */
export function end(span: Span, response: UpstreamResult): void {
  if (response.kind === 'whole' || response.kind === 'stream')
    span.end({ 'http.response.status_code': response.status, 'sluice.streamed': response.kind === 'stream' });
  else span.end({}, response.kind);
}
