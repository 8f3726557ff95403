import type { Incoming } from './server/outgoing.ts';

/** The headers in which stock clients of some APIs send their key. A caller's token is accepted there too, and never crosses. */
const keyHeaders = ['x-api-key', 'x-goog-api-key'] as const;

/** The name of a header that contradicts another one. */
export type Conflict = { conflict: string };

/**
 * Reads the caller's token as the value of an Authorization header. `x-api-key` and `x-goog-api-key` are only read without that header; two
 * different values there are a conflict.
 */
export function read(headers: Incoming['headers']): string | undefined | Conflict {
  if (headers.authorization !== undefined) return headers.authorization;
  let header: string | undefined;
  for (const name of keyHeaders) {
    const key = headers[name];
    if (key === undefined) continue;
    const same = `Bearer ${typeof key === 'string' ? key : key.join(', ')}`;
    if (header !== undefined && header !== same) return { conflict: name };
    header = same;
  }
  return header;
}
