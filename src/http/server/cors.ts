import * as Headers from '../../proxy/headers.ts';

/**
 * Cross-origin access (Fetch standard, section 3.2). Public documents, and calls that carry a bearer token, may be made by pages of
 * any origin: no cookie takes part in them, and `*` keeps browsers from sending any. Pages with cookies, the console and webhooks are
 * left out.
 */

const preflightSeconds = 86_400;
const closedPaths = /^\/(?:admin|shop|webhooks)(?:\/|$)/;

const open = { 'access-control-allow-origin': '*', 'access-control-expose-headers': '*' };

/** Header fields for a response of the storefront itself. They do not depend on the request, so that caches may keep the response. */
export function headers(path: string): Readonly<Record<string, string>> {
  return closedPaths.test(path) ? {} : open;
}

/** Header fields for the response to a call of what is sold; none where it comes from no other origin. */
export function ofCall(rawHeaders: readonly string[], path: string): Readonly<Record<string, string>> {
  return Headers.first(rawHeaders, 'origin') === undefined ? {} : headers(path);
}

/** Header fields for the response to a preflight request, or null where the request is none. */
export function preflight(
  method: string,
  rawHeaders: readonly string[],
  path: string,
): Readonly<Record<string, string>> | null {
  const asked = Headers.first(rawHeaders, 'access-control-request-method');
  const origin = Headers.first(rawHeaders, 'origin');
  if (method !== 'OPTIONS' || origin === undefined || asked === undefined || closedPaths.test(path))
    return null;
  const fields = Headers.first(rawHeaders, 'access-control-request-headers');
  return {
    ...open,
    'access-control-allow-methods': 'GET, HEAD, POST, PUT, PATCH, DELETE',
    // `*` would leave out `authorization`.
    ...(fields !== undefined && { 'access-control-allow-headers': fields }),
    'access-control-max-age': String(preflightSeconds),
    vary: 'access-control-request-headers',
  };
}
