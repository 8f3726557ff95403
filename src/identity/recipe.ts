import * as Assertion from './assertion.ts';
import type { Refusal } from './bearer.ts';
import { path } from './endpoint.ts';

/** A longer address is not repeated to its caller. */
const targetCharsMax = 2048;

/** A request as data: everything needed to send it. A `body` that is not a string travels as JSON. */
export type Request = {
  method: 'POST';
  url: string;
  headers: Readonly<Record<string, string>>;
  body: unknown;
};

/** The member `registration` of a 401: how to become somebody here, to be followed by a program without reading prose. */
export type Recipe = Request & {
  then: {
    /** JSON Pointer (RFC 6901) to the token in the answer. */
    take: string;
    /** The header that every call then carries; `{access_token}` stands for what was taken. */
    send: { header: string; value: string };
    /** The refused request, to be sent again; absent where it has no address of its own to repeat. */
    retry?: { method: string; url: string };
    /** How to get the next token when this one has expired; `{identity_assertion}` is in the first answer. */
    renew: Request;
  };
  docs: string;
};

/** The recipe for a caller whose `method target` was refused. `target` is the path and query as they arrived. */
export function of(publicUrl: string, method: string, target: string): Recipe {
  // Only a path: `@host/` or an absolute URL behind our own name would send the token to somebody else.
  const repeatable = target.startsWith('/') && target.length <= targetCharsMax;
  return {
    method: 'POST',
    url: publicUrl + path.register,
    headers: { 'content-type': 'application/json' },
    body: { type: 'anonymous' },
    // biome-ignore lint/suspicious/noThenProperty: the name is on the wire, and data that is no function is never awaited.
    then: {
      take: '/access_token',
      send: { header: 'authorization', value: 'Bearer {access_token}' },
      ...(repeatable && { retry: { method, url: publicUrl + target } }),
      renew: {
        method: 'POST',
        url: publicUrl + path.token,
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: `grant_type=${encodeURIComponent(Assertion.grantType)}&assertion={identity_assertion}`,
      },
    },
    docs: publicUrl + path.guide,
  };
}

/**
 * The value of `WWW-Authenticate` on a 401 (RFC 6750, section 3; RFC 9728, section 5.1).
 * A caller who sent no token gets no error code. The realm is the public URL, which needs no escaping.
 */
export function challenge(publicUrl: string, refusal: Refusal): string {
  const error =
    refusal.kind === 'absent' ? '' : `, error="invalid_token", error_description="${why(refusal)}"`;
  return `Bearer realm="${publicUrl}", resource_metadata="${publicUrl}${path.protectedResource}"${error}`;
}

function why(refusal: Exclude<Refusal, { kind: 'absent' }>): string {
  switch (refusal.kind) {
    case 'expired':
      return 'the access token has expired';
    case 'revoked':
      return 'the access token has been revoked';
    case 'invalid':
      return refusal.reason === 'type'
        ? 'this token is not an access token'
        : 'the access token was not issued by this shop';
  }
}
