import { uuidv7 } from '@sluice/kernel/id';
import * as Catalog from '../catalog/catalog.ts';
import * as Mount from '../catalog/mount.ts';
import { requestsPerSecond } from '../catalog/plan.ts';
import type { HoldRequest } from '../ledger/hold.ts';
import type { Dial, Dialled } from '../proxy/upstream-socket.ts';
import type { PaidCall } from './call-request.ts';
import type { CallRefusal } from './call-result.ts';
import * as PaidCalls from './paid-call.ts';
import type { PaidCallContext } from './paid-call-context.ts';
import * as ResourceOwnership from './resource-ownership.ts';
import { holdUnits, SocketSale } from './socket-sale.ts';

/** A WebSocket at the upstream whose first step is held. Relay its messages, and call `sale.end` in every case. */
export type OpenedSocket = {
  kind: 'opened';
  callId: string;
  upstream: Extract<Dialled, { kind: 'open' }>;
  sale: SocketSale;
};

/** The upstream's own response to a handshake that it refused; nothing was charged. */
export type AnsweredSocket = Extract<Dialled, { kind: 'answered' }>;

/** Opens a WebSocket at the upstream: rate limit, ceiling and hold of the first step as for a paid call, then the handshake. */
export async function open(
  shop: PaidCallContext,
  call: PaidCall,
  dial: Dial,
): Promise<OpenedSocket | AnsweredSocket | CallRefusal> {
  const { operation, account, callerKey } = call;
  const { service, socket: rule } = operation;
  if (rule === undefined) throw new Error('the operation is no WebSocket');
  const forbidden = PaidCalls.forbiddenCall(shop, call);
  if (forbidden !== null) return forbidden;
  const opening = Catalog.opening(shop.catalog, service);
  const perSecond = requestsPerSecond(opening.plans, shop.writer.plansOf(account));
  const taken = await shop.callLimit.take(`${account} ${operation.id}`, perSecond);
  if (!taken.allowed) return { kind: 'rate_limited', taken, perSecond };
  const foreign = ResourceOwnership.applies(operation) ? await ResourceOwnership.refused(shop, call) : null;
  if (foreign !== null) return foreign;
  const request: HoldRequest = {
    callId: uuidv7(shop.clock(), account),
    account,
    plans: opening.ids,
    price: service.price,
    units: rule.step,
    span: call.span,
    key: callerKey && { id: callerKey.id, capped: callerKey.budget !== null },
  };
  const held = await holdUnits(shop, call, request, rule.step);
  if (held.kind !== 'held') return held;
  const { hold } = held;
  const dialled = await dialUpstream(shop, call, dial);
  if (dialled.kind === 'open') {
    const sale = new SocketSale(shop, call, rule, request, hold);
    return { kind: 'opened', callId: hold.callId, upstream: dialled, sale };
  }
  shop.writer.release(hold);
  return refused(shop, hold.callId, call, dialled);
}

async function dialUpstream(
  shop: Pick<PaidCallContext, 'catalog' | 'upstream'>,
  call: PaidCall,
  dial: Dial,
): Promise<Dialled> {
  const outbound = {
    method: 'GET',
    target: Mount.atUpstream(call.target, shop.catalog.upstream.mount),
    rawHeaders: call.rawHeaders,
    body: null,
    metered: false,
    account: call.account,
    route: call.operation.service.route,
    traceparent: call.span === null ? null : call.span.forUpstream,
  };
  return (await shop.upstream.dial?.(outbound, dial)) ?? { kind: 'unavailable', reason: 'no_websockets' };
}

function refused(
  shop: Pick<PaidCallContext, 'report'>,
  callId: string,
  { operation }: PaidCall,
  dialled: Exclude<Dialled, { kind: 'open' }>,
): AnsweredSocket | CallRefusal {
  const facts = { call: callId, operation: operation.id };
  switch (dialled.kind) {
    case 'answered':
      if (dialled.status !== 401 && dialled.status !== 402) return dialled;
      shop.report('upstream_refused', { ...facts, status: dialled.status });
      return { kind: 'upstream_refused' };
    case 'keys_resting':
      shop.report('upstream_keys_resting', facts);
      return { kind: 'upstream_refused', retryAfterSeconds: dialled.retryAfterSeconds };
    case 'timeout':
      shop.report('upstream_timeout', facts);
      return { kind: 'upstream_timeout' };
    case 'unavailable':
      shop.report('upstream_unavailable', { ...facts, reason: dialled.reason });
      return { kind: 'upstream_unavailable' };
  }
}
