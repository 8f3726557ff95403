import { error, type Reply } from './reply.ts';

/** What a caller is told of a fault: that it passes, or that it is a mistake of ours. Nothing of the inside. */
export function reply(fault: unknown, requestId: string): Reply {
  return isUnreachable(fault)
    ? error(
        503,
        'unavailable',
        'Something that this needs is out of reach. Try again.',
        requestId,
        {},
        { 'retry-after': '5' },
      )
    : error(500, 'internal', 'This went wrong on our side; quote the request_id.', requestId);
}

/** Whether a fault is the database's or the processor's absence, which passes, rather than a mistake of ours. */
function isUnreachable(fault: unknown): boolean {
  const code = typeof fault === 'object' && fault !== null && 'code' in fault ? String(fault.code) : '';
  const type = typeof fault === 'object' && fault !== null && 'type' in fault ? String(fault.type) : '';
  return (
    /^(E[A-Z]+|CONNECT|CONNECTION_|08|53|57)/.test(code) ||
    type === 'StripeConnectionError' ||
    type === 'StripeAPIError'
  );
}
