import type { IncomingMessage } from 'node:http';
import type { Upload } from '../../proxy/upload.ts';
import type { Reservation } from './body-budget.ts';

/** Maximum size of a request body from a caller with a valid token. */
export const bodyBytesMax = 1024 * 1024;
/** Maximum size of a request body from any other caller. */
export const strangerBodyBytesMax = 64 * 1024;
/** Maximum time to receive a body. */
const bodyTimeoutMs = 30_000;

/** A long body that no rule reads: it is forwarded while it arrives. */
export type UploadBody = { kind: 'upload'; upload: Upload };

export type WholeBody =
  | { kind: 'body'; bytes: Buffer }
  | { kind: 'too_large'; bytesMax: number }
  | { kind: 'too_slow' }
  /** The memory budget of bodies is exhausted. */
  | { kind: 'busy' }
  | { kind: 'cut' };

export type Body = WholeBody | UploadBody;

/**
 * Reads a complete request body within the limits of size, time and memory.
 * @param overflow takes the received part of a body that is longer than `bytesMax`, instead of a refusal; the body is paused
 */
export function readBody<Overflow extends UploadBody = never>(
  incoming: IncomingMessage,
  {
    bytesMax,
    reservation,
    overflow,
  }: { bytesMax: number; reservation: Reservation; overflow?: (received: readonly Buffer[]) => Overflow },
): Promise<WholeBody | Overflow> {
  const announced = Number(incoming.headers['content-length'] ?? 0);
  if (announced > bytesMax) return Promise.resolve({ kind: 'too_large', bytesMax });
  if (announced === 0 && incoming.headers['transfer-encoding'] === undefined)
    return Promise.resolve({ kind: 'body', bytes: Buffer.alloc(0) });
  return new Promise((resolve) => {
    let chunks: Buffer[] = [];
    let bytes = 0;
    const finish = (body: WholeBody | Overflow) => {
      clearTimeout(timer);
      incoming.off('data', onData);
      chunks = [];
      if (body.kind !== 'body' && body.kind !== 'upload') reservation.free();
      resolve(body);
    };
    const onData = (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > bytesMax) finish(overflow?.([...chunks, chunk]) ?? { kind: 'too_large', bytesMax });
      else if (!reservation.take(chunk.length)) finish({ kind: 'busy' });
      else chunks.push(chunk);
    };
    const timer = setTimeout(() => finish({ kind: 'too_slow' }), bodyTimeoutMs);
    incoming.on('data', onData);
    incoming.once('end', () =>
      finish({ kind: 'body', bytes: chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks) }),
    );
    incoming.once('error', () => finish({ kind: 'cut' }));
    incoming.once('close', () => finish({ kind: 'cut' }));
  });
}
