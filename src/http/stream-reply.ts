import * as StreamedCall from '../journeys/streamed-call.ts';
import type { ProxyContext } from '../proxy/proxy-context.ts';
import type { TextsContext } from '../text/texts-context.ts';
import type { Outgoing } from './server/outgoing.ts';
import { streamError } from './stream-error.ts';
import type { LogEntry } from './telemetry/request-log.ts';

const nothing = Buffer.alloc(0);

/**
 * Sends a metered stream: its events as they arrive, its last event after its charge is recorded, and its cost as trailers. A stream that is not
 * charged is cut, so that it does not look complete.
 */
export async function send(
  shop: Pick<ProxyContext, 'report' | 'unpaid'> & TextsContext,
  outgoing: Outgoing,
  call: StreamedCall.StreamingCall,
  entry: LogEntry,
  cors: readonly string[],
): Promise<void> {
  entry.call = call.callId;
  entry.service = call.operation.service.slug;
  const end = await relay(outgoing, call, cors).catch(async (fault: unknown) => {
    await call.release();
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
  const { paid, withheld, hasLeft, refusal } = end;
  entry.units = paid.units;
  entry.costMicroUsd = paid.cost.cost;
  // A caller who left in the middle of a stream received what is charged. A process that is ending may have closed the connection itself.
  const isLost = () => !outgoing.writableFinished && !hasLeft && shop.unpaid.isDraining;
  const whenClosed = () => (isLost() ? paid.brokenOff() : paid.delivered());
  if (outgoing.destroyed || outgoing.closed) return whenClosed();
  outgoing.once('close', whenClosed);
  for (const piece of withheld) outgoing.write(piece, ignore);
  if (refusal !== null) {
    entry.code = refusal.kind;
    outgoing.write(streamError(shop.texts, call.rule.format, refusal, entry.requestId), ignore);
  }
  outgoing.addTrailers(StreamedCall.trailers(paid));
  outgoing.end();
}

async function relay(
  outgoing: Outgoing,
  call: StreamedCall.StreamingCall,
  cors: readonly string[],
): Promise<StreamedCall.StreamEnd> {
  if (!outgoing.destroyed) {
    outgoing.writeHead(call.response.status, [...StreamedCall.headers(call), ...cors]);
    // The header section is sent before the first event.
    outgoing.write(nothing, ignore);
  }
  return StreamedCall.relay(call, outgoing);
}

function ignore(): void {}
