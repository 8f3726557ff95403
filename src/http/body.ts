import type { IncomingMessage } from 'node:http';

/** The longest request body that is read. */
export const bodyBytesMax = 1024 * 1024;
/** How long a caller may take to send one. */
const bodyTimeoutMs = 30_000;

export type Body =
  | { kind: 'body'; bytes: Buffer }
  | { kind: 'too_large' }
  | { kind: 'too_slow' }
  | { kind: 'cut' };

/** Reads the body of a request whole, bounded in bytes and time. */
export function read(incoming: IncomingMessage): Promise<Body> {
  const announced = Number(incoming.headers['content-length'] ?? 0);
  if (announced > bodyBytesMax) return Promise.resolve({ kind: 'too_large' });
  if (announced === 0 && incoming.headers['transfer-encoding'] === undefined)
    return Promise.resolve({ kind: 'body', bytes: Buffer.alloc(0) });
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    const finish = (body: Body) => {
      clearTimeout(timer);
      incoming.off('data', onData);
      resolve(body);
    };
    const onData = (chunk: Buffer) => {
      bytes += chunk.length;
      chunks.push(chunk);
      if (bytes > bodyBytesMax) finish({ kind: 'too_large' });
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
