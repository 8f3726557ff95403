import * as StreamedCall from '../journeys/streamed-call.ts';
import type { ProxyContext } from '../proxy/proxy-context.ts';
import type { Outgoing } from './server/outgoing.ts';
import type { LogEntry } from './telemetry/request-log.ts';

const nothing = Buffer.alloc(0);

/**
 * Sends a metered stream: its events as they arrive, its last event after its charge is recorded, and its cost as trailers. A stream that is not
 * charged is cut, so that it does not look complete.
 */
export async function send(
  shop: Pick<ProxyContext, 'report'>,
  outgoing: Outgoing,
  call: StreamedCall.StreamingCall,
  entry: LogEntry,
  cors: readonly string[],
): Promise<void> {
  entry.call = call.callId;
  entry.service = call.operation.service.slug;
  if (!outgoing.destroyed) {
    outgoing.writeHead(call.response.status, [...StreamedCall.headers(call), ...cors]);
    // The header section is sent before the first event.
    outgoing.write(nothing, ignore);
  }
  const end = await StreamedCall.relay(call, outgoing).catch(async (fault: unknown) => {
    await call.fail(false);
    outgoing.destroy();
    throw fault;
  });
  if (end.kind === 'cut') {
    entry.code = end.reason === 'caller_left' ? 'not_delivered' : 'broken_off';
    if (end.reason === 'key_found')
      shop.report('upstream_key_in_response', { call: call.callId, operation: call.operation.id });
    outgoing.destroy();
    return;
  }
  const { paid, withheld } = end;
  entry.units = paid.units;
  entry.costMicroUsd = paid.cost.cost;
  // A caller who left in the middle of a stream received what is charged.
  if (outgoing.destroyed || outgoing.closed) return paid.delivered();
  outgoing.once('close', paid.delivered);
  for (const piece of withheld) outgoing.write(piece, ignore);
  outgoing.addTrailers(StreamedCall.trailers(paid));
  outgoing.end();
}

function ignore(): void {}
