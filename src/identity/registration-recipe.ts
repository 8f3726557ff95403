import { path } from '@sluice/kernel/endpoints';
import * as Assertion from './assertion.ts';
import type { BearerRefusal } from './bearer.ts';

/** Longer request targets are not repeated in the response. */
const targetCharsMax = 2048;

/** A request as data: everything needed to send it. A `body` that is not a string is sent as JSON. */
export type RecipeRequest = {
  method: 'POST';
  url: string;
  headers: Readonly<Record<string, string>>;
  body: unknown;
};

/** The member `registration` of a 401: how to register, in a form that a program can follow without reading prose. */
export type Recipe = RecipeRequest & {
  then: {
    /** JSON Pointer (RFC 6901) to the token in the response. */
    take: string;
    /** The header to send with every call; `{access_token}` is a placeholder for the token. */
    send: { header: string; value: string };
    /** The refused request, to be sent again; absent when its target cannot be repeated. */
    retry?: { method: string; url: string };
    /** Request for the next token after this one has expired; `{identity_assertion}` is in the first response. */
    renew: RecipeRequest;
  };
  docs: string;
};

/** Returns the recipe for a caller whose `method target` was refused. `target` is the path and query as received. */
export function registrationRecipe(publicUrl: string, method: string, target: string): Recipe {
  // Only a path: `@host/` or an absolute URL appended to our origin would send the token to another server.
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
 * Returns the value of `WWW-Authenticate` for a 401 (RFC 6750, section 3; RFC 9728, section 5.1).
 * Without a token in the request there is no error code. The realm is the public URL, which needs no escaping.
 */
export function challenge(publicUrl: string, refusal: BearerRefusal): string {
  const error =
    refusal.kind === 'absent' ? '' : `, error="invalid_token", error_description="${why(refusal)}"`;
  return `Bearer realm="${publicUrl}", resource_metadata="${publicUrl}${path.protectedResource}"${error}`;
}

function why(refusal: Exclude<BearerRefusal, { kind: 'absent' }>): string {
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
