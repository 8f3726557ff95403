import { ObjectUnknown } from '../payment/processor.ts';
import type { Texts } from '../text/texts.ts';
import { error, type Reply } from './reply.ts';

/**
 * The response to an unexpected error: 404 when the card processor no longer has what the request is about, 400 for text that cannot be stored, 503 when
 * a dependency is unreachable, otherwise 500. Reveals no internal details.
 */
export function faultReply(texts: Texts, fault: unknown, requestId: string): Reply {
  if (fault instanceof ObjectUnknown)
    return error(404, 'not_found', texts.text('api.not_found.processor'), requestId);
  if (isOfSender(fault)) return error(400, 'malformed_text', texts.text('api.malformed_text'), requestId);
  return isUnreachable(fault)
    ? error(503, 'unavailable', texts.text('api.unavailable'), requestId, {}, { 'retry-after': '5' })
    : error(500, 'internal', texts.text('api.internal'), requestId);
}

/**
 * Returns true for an error that the sender caused: PostgreSQL stores no text with the character U+0000, so it refuses such an id, name or filter, even as
 * something to look for.
 */
export function isOfSender(fault: unknown): boolean {
  return /^(22021|22P05)$/.test(codeOf(fault));
}

function codeOf(fault: unknown): string {
  return typeof fault === 'object' && fault !== null && 'code' in fault ? String(fault.code) : '';
}

/** Returns true when the database or the card processor is unreachable, rather than a bug. */
function isUnreachable(fault: unknown): boolean {
  const code = codeOf(fault);
  const type = typeof fault === 'object' && fault !== null && 'type' in fault ? String(fault.type) : '';
  return (
    /^(E[A-Z]+|CONNECT|CONNECTION_|08|53|57)/.test(code) ||
    type === 'StripeConnectionError' ||
    type === 'StripeAPIError'
  );
}
