import type { Operation } from '../catalog/operation.ts';
import type { Hold } from '../ledger/hold.ts';
import type { LedgerContext } from '../ledger/ledger-context.ts';
import * as Meter from '../proxy/meter.ts';
import type { ProxyContext } from '../proxy/proxy-context.ts';
import type { UpstreamFailure } from '../proxy/upstream-response.ts';
import type { CallerLeft, CallRefusal } from './call-result.ts';

/** Releases the hold of a call without a response from the upstream. */
export function end(
  shop: Pick<ProxyContext, 'report' | 'uncountable'> & Pick<LedgerContext, 'writer'>,
  operation: Operation,
  hold: Hold,
  failure: UpstreamFailure,
): CallRefusal | CallerLeft {
  shop.writer.release(hold);
  switch (failure.kind) {
    case 'abandoned':
      return { kind: 'left', isKept: false };
    case 'upload_failed':
      return failure.reason === 'left'
        ? { kind: 'left', isKept: false }
        : { kind: 'upload_failed', reason: failure.reason };
    case 'busy':
    case 'account_busy':
      return { kind: failure.kind };
    case 'keys_resting':
      shop.report('upstream_keys_resting', { call: hold.callId, operation: operation.id });
      return { kind: 'upstream_refused', retryAfterSeconds: failure.retryAfterSeconds };
    case 'timeout':
      shop.report('upstream_timeout', { call: hold.callId, operation: operation.id });
      return { kind: 'upstream_timeout' };
    case 'undecodable':
      return undecodable(shop, operation, hold, failure);
    case 'unavailable':
      if (failure.reason === 'key_in_body')
        shop.report('upstream_key_in_response', { call: hold.callId, operation: operation.id });
      return unavailable(shop, operation, hold, failure.reason);
  }
}

/** Refuses a response that could not be searched for the upstream key, whatever the seller's setting for uncountable responses. */
function undecodable(
  shop: Pick<ProxyContext, 'report' | 'uncountable'>,
  operation: Operation,
  hold: Hold,
  { status, reason }: Extract<UpstreamFailure, { kind: 'undecodable' }>,
): CallRefusal {
  if (operation.service.price === 0 || !Meter.isCounted(operation.units, status))
    return unavailable(shop, operation, hold, reason);
  shop.uncountable({ call: hold.callId, operation: operation.id, reason: 'undecodable' });
  return { kind: 'response_uncountable', reason: 'undecodable' };
}

function unavailable(
  shop: Pick<ProxyContext, 'report'>,
  operation: Operation,
  hold: Hold,
  reason: string,
): CallRefusal {
  shop.report('upstream_unavailable', { call: hold.callId, operation: operation.id, reason });
  return { kind: 'upstream_unavailable' };
}
