import { type Offers, path } from '@sluice/kernel/endpoints';
import { grantTypes } from './grant.ts';
import { credentialTypes } from './registration.ts';

/** The body of /.well-known/oauth-protected-resource (RFC 9728). `resource` is what clients compare with the URL they asked. */
export function protectedResource(
  publicUrl: string,
  name: string,
  offers: Offers,
  resource: string = publicUrl,
) {
  return {
    resource,
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
    authorization_endpoint: publicUrl + path.authorize,
    registration_endpoint: publicUrl + path.registerClient,
    introspection_endpoint: publicUrl + path.introspect,
    grant_types_supported: grantTypes,
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
    client_id_metadata_document_supported: true,
    service_documentation: publicUrl + path.guide,
    agent_auth: agentAuth(publicUrl, offers),
  };
}

/**
 * Describes open agent registration as auth.md specifies it. Its first version names the endpoints `register_uri` and `claim_uri`, later
 * versions `identity_endpoint` and `claim_endpoint`. Clients of both exist, so both names are included.
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
    anonymous: { credential_types_supported: credentialTypes },
  };
}
