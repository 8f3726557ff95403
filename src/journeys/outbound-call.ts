import * as Mount from '../catalog/mount.ts';
import * as OwnershipRule from '../catalog/ownership-rule.ts';
import type { PricedRequest } from '../proxy/priced-request.ts';
import type { StreamRequest } from '../proxy/stream-request.ts';
import type { Watched } from '../proxy/unpaid-calls.ts';
import type { Upload } from '../proxy/upload.ts';
import type { Outbound, Sending } from '../proxy/upstream.ts';
import * as CallMeters from './call-meters.ts';
import type { PaidCall } from './call-request.ts';
import type { PaidCallContext } from './paid-call-context.ts';

/** Returns the request that a call sends to its upstream. */
export function of(
  shop: Pick<PaidCallContext, 'catalog'>,
  call: PaidCall,
  { body }: StreamRequest,
  priced: PricedRequest | undefined,
  span: PaidCall['span'],
): Outbound {
  const { operation } = call;
  return {
    method: operation.method,
    target: Mount.atUpstream(call.target, shop.catalog.upstream.mount),
    rawHeaders: call.rawHeaders,
    body: body.length > 0 ? body : null,
    upload: call.upload ?? null,
    // A response that is counted or checked by its content must be read to its end first; all others are streamed.
    metered:
      CallMeters.isReadWhole(operation) ||
      OwnershipRule.readsResponse(operation) ||
      operation.job !== undefined,
    editsJson: shop.catalog.upstream.responseFields.length > 0,
    account: call.account,
    route: operation.service.route,
    traceparent: span === null ? null : span.forUpstream,
    ...(priced && CallMeters.outbound(priced, call)),
  };
}

/** Returns the handle of a call whose caller may leave. A call whose body is incomplete has cost nothing and is ended at once. */
export function untilUploaded(upload: Upload, sending: Sending, watched: Watched): Sending {
  return {
    response: watched.response,
    abandon: () => (upload.isComplete ? watched : sending).abandon(),
  };
}
