import { ObjectUnknown } from '../payment/processor.ts';
import type { Texts } from '../text/texts.ts';
import { error, type Reply } from './reply.ts';

/**
 * The response to an unexpected error: 404 when the card processor no longer has what the request is about, 503 when a dependency is
 * unreachable, otherwise 500. Reveals no internal details.
 */
export function faultReply(texts: Texts, fault: unknown, requestId: string): Reply {
  if (fault instanceof ObjectUnknown)
    return error(404, 'not_found', texts.text('api.not_found.processor'), requestId);
  return isUnreachable(fault)
    ? error(503, 'unavailable', texts.text('api.unavailable'), requestId, {}, { 'retry-after': '5' })
    : error(500, 'internal', texts.text('api.internal'), requestId);
}

/** Returns true when the database or the card processor is unreachable, rather than a bug. */
function isUnreachable(fault: unknown): boolean {
  const code = typeof fault === 'object' && fault !== null && 'code' in fault ? String(fault.code) : '';
  const type = typeof fault === 'object' && fault !== null && 'type' in fault ? String(fault.type) : '';
  return (
    /^(E[A-Z]+|CONNECT|CONNECTION_|08|53|57)/.test(code) ||
    type === 'StripeConnectionError' ||
    type === 'StripeAPIError'
  );
}
