/**
 * Paths of the identity routes below the shop's public URL: one list for the routes, the metadata, the recipe and auth.md.
 * The public URL is an origin without a trailing slash, so `publicUrl + path` is always the full address.
 */
export const path = {
  guide: '/auth.md',
  register: '/agent/auth',
  claim: '/agent/auth/claim',
  claimComplete: '/agent/auth/claim/complete',
  token: '/oauth2/token',
  revoke: '/oauth2/revoke',
  authorize: '/oauth2/authorize',
  registerClient: '/oauth2/register',
  introspect: '/oauth2/introspect',
  keys: '/.well-known/jwks.json',
  protectedResource: '/.well-known/oauth-protected-resource',
  /** RFC 9728, section 3.1: the metadata of the resource /mcp. */
  protectedMcp: '/.well-known/oauth-protected-resource/mcp',
  mcp: '/mcp',
  authorizationServer: '/.well-known/oauth-authorization-server',
} as const;

/** Parts of the identity that a shop may or may not run; nothing is advertised that is not offered. */
export type Offers = {
  /** A human can take an anonymous account over by email code. */
  claim: boolean;
};
