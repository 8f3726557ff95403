import type { Incoming } from './server/outgoing.ts';

/** The headers in which stock clients of some APIs send their key. A caller's token is accepted there too, and never crosses. */
const keyHeaders = ['x-api-key', 'x-goog-api-key'] as const;

/** The name of a header that contradicts the other credentials. */
export type Conflict = { conflict: string };

/**
 * Reads the caller's token from `Authorization`, `x-api-key` or `x-goog-api-key`, as the value of an Authorization header. Two different values
 * are a conflict: a proxy in between could take the other one for the caller.
 */
export function read(headers: Incoming['headers']): string | undefined | Conflict {
  let header = headers.authorization;
  for (const name of keyHeaders) {
    const key = headers[name];
    if (key === undefined) continue;
    const same = `Bearer ${typeof key === 'string' ? key : key.join(', ')}`;
    if (header !== undefined && header !== same) return { conflict: name };
    header = same;
  }
  return header;
}
