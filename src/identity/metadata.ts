import * as Assertion from './assertion.ts';
import { type Offers, path } from './endpoint.ts';

/** The body of /.well-known/oauth-protected-resource (RFC 9728). `resource` is what clients compare with the URL they asked. */
export function protectedResource(publicUrl: string, name: string, offers: Offers) {
  return {
    resource: publicUrl,
    resource_name: name,
    resource_documentation: publicUrl + path.guide,
    authorization_servers: [publicUrl],
    bearer_methods_supported: ['header'],
    agent_auth: agentAuth(publicUrl, offers),
  };
}

/** The body of /.well-known/oauth-authorization-server (RFC 8414). */
export function authorizationServer(publicUrl: string, offers: Offers) {
  return {
    issuer: publicUrl,
    jwks_uri: publicUrl + path.keys,
    token_endpoint: publicUrl + path.token,
    token_endpoint_auth_methods_supported: ['none'],
    revocation_endpoint: publicUrl + path.revoke,
    revocation_endpoint_auth_methods_supported: ['none'],
    grant_types_supported: [Assertion.grantType],
    // Required, and empty since there is no authorization endpoint: strict clients want the member to be there.
    response_types_supported: [],
    service_documentation: publicUrl + path.guide,
    agent_auth: agentAuth(publicUrl, offers),
  };
}

/**
 * Open agent registration after auth.md. Its first version calls the endpoints `register_uri` and `claim_uri`,
 * later ones `identity_endpoint` and `claim_endpoint`; clients of both are about, and both names cost nothing.
 */
function agentAuth(publicUrl: string, offers: Offers) {
  const register = publicUrl + path.register;
  const claim = publicUrl + path.claim;
  return {
    skill: publicUrl + path.guide,
    identity_endpoint: register,
    register_uri: register,
    ...(offers.claim && { claim_endpoint: claim, claim_uri: claim }),
    identity_types_supported: ['anonymous'],
    anonymous: { credential_types_supported: ['access_token'] },
  };
}
