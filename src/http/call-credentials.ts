import type { Incoming } from './server/outgoing.ts';

/** The headers in which stock clients of some APIs send their key. A caller's token is accepted there too, and never crosses. */
const keyHeaders = ['x-api-key', 'x-goog-api-key'] as const;

/** The caller's credentials as an Authorization header, or the name of a header that contradicts the others. */
export type Credentials = { header: string | undefined; conflict: string | null };

/**
 * Reads the caller's token from `Authorization`, `x-api-key` or `x-goog-api-key`. Two different values are a conflict: a proxy in between
 * could take the other one for the caller.
 */
export function read(headers: Incoming['headers']): Credentials {
  let header = headers.authorization;
  for (const name of keyHeaders) {
    const key = headers[name];
    if (key === undefined) continue;
    const same = `Bearer ${typeof key === 'string' ? key : key.join(', ')}`;
    if (header !== undefined && header !== same) return { header, conflict: name };
    header = same;
  }
  return { header, conflict: null };
}
