import type { HeaderSection } from './response-head.ts';

/** Methods for which every server reads the body (RFC 9110, 9.3). For others a body has no defined meaning, and some servers leave it unread. */
const readsBody = new Set(['POST', 'PUT', 'PATCH']);

/** Methods that are never sent with a body: servers that ignore it take it for the next request (RFC 9110, 9.3.1 and 9.3.2). */
const takesNoBody = new Set(['GET', 'HEAD']);

/**
 * Client errors and server errors that are sent after the body was read. Any other error (401, 404, 405, 413, 415, 429 ...) and any
 * redirect may come from a layer that decides by the header section alone and leaves the body on the connection.
 */
const givenAfterBody = new Set([400, 409, 422, 500]);

export function mayHaveBody(method: string): boolean {
  return !takesNoBody.has(method);
}

/**
 * Returns true when another request may follow on the connection of this response. If the upstream left the request's body unread, it
 * would take that body for the next request, and its response would reach another caller.
 */
export function isSafe(method: string, hasBody: boolean, { status }: Pick<HeaderSection, 'status'>): boolean {
  // Some servers send the body of a response to HEAD all the same: it would be read as the next response.
  if (method === 'HEAD') return false;
  if (!hasBody) return true;
  return readsBody.has(method) && (status < 300 || givenAfterBody.has(status));
}
