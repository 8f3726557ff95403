import * as AccessToken from './access-token.ts';
import * as Assertion from './assertion.ts';
import * as Form from './form.ts';
import type { Issued, Unverified } from './jwt.ts';

/** A request at POST /oauth2/token: an assertion (RFC 7523), an authorization code with its verifier (RFC 7636), or a refresh token. */
export type Grant =
  | { kind: 'assertion'; assertion: string }
  | { kind: 'code'; code: string; verifier: string; clientId: string; redirectUri: string }
  | { kind: 'refresh'; refreshToken: string; clientId: string | null };

export const grantTypes = ['authorization_code', 'refresh_token', Assertion.grantType] as const;

/**
 * Reads the form body of a token request. Unknown parameters are ignored, as RFC 6749 asks.
 * @param resources the values of `resource` (RFC 8707) that name this shop
 */
export function parse(body: string, resources: readonly string[]): Grant | Form.FormFault {
  const form = Form.parse(body);
  if (form.kind === 'fault') return form;
  const { values } = form;
  const grantType = values.get('grant_type');
  const resource = values.get('resource');
  const isForeign = resource !== undefined && !resources.includes(resource.replace(/\/$/, ''));
  if (isForeign && grantType !== Assertion.grantType)
    return { kind: 'fault', error: 'invalid_target', description: 'this server does not have that resource' };
  switch (grantType) {
    case undefined:
      return Form.invalidRequest('grant_type is missing');
    case Assertion.grantType: {
      const assertion = values.get('assertion');
      return assertion === undefined
        ? Form.invalidRequest('assertion is missing')
        : { kind: 'assertion', assertion };
    }
    case 'authorization_code':
      return parseCode(values);
    case 'refresh_token': {
      const refreshToken = values.get('refresh_token');
      return refreshToken === undefined
        ? Form.invalidRequest('refresh_token is missing')
        : { kind: 'refresh', refreshToken, clientId: values.get('client_id') ?? null };
    }
    default:
      return {
        kind: 'fault',
        error: 'unsupported_grant_type',
        description: `the grant types here are ${grantTypes.join(', ')}`,
      };
  }
}

function parseCode(values: ReadonlyMap<string, string>): Grant | Form.FormFault {
  const [code, verifier, clientId, redirectUri] = ['code', 'code_verifier', 'client_id', 'redirect_uri'].map(
    (name) => values.get(name),
  );
  if (code === undefined) return Form.invalidRequest('code is missing');
  if (clientId === undefined) return Form.invalidRequest('client_id is missing');
  if (redirectUri === undefined) return Form.invalidRequest('redirect_uri is missing');
  if (verifier === undefined || !/^[\w.~-]{43,128}$/.test(verifier))
    return Form.invalidRequest('code_verifier is missing or malformed');
  return { kind: 'code', code, verifier, clientId, redirectUri };
}

/** Explains why an assertion is rejected: it failed verification, or its session has been revoked or does not exist. */
export function refusal(found: Unverified | { kind: 'revoked' }): Form.FormFault {
  return invalidGrant(why(found));
}

/** Rejects the code, refresh token or assertion that was presented. */
export function invalidGrant(description: string): Form.FormFault {
  return { kind: 'fault', error: 'invalid_grant', description };
}

function why(found: Unverified | { kind: 'revoked' }): string {
  switch (found.kind) {
    case 'expired':
      return 'the assertion has expired';
    case 'revoked':
      return 'the assertion has been revoked';
    case 'invalid':
      return found.reason === 'type'
        ? 'this token is not an identity assertion'
        : 'the assertion was not issued by this shop';
  }
}

/**
 * Returns the body of a successful response (RFC 6749, section 5.1); send it with `Cache-Control: no-store`. An assertion in it replaces
 * the one in the request.
 */
export function tokenResponse({
  access,
  refreshToken,
  assertion,
}: {
  access: Issued;
  refreshToken?: string;
  assertion?: Issued;
}) {
  return {
    access_token: access.token,
    token_type: 'Bearer',
    expires_in: AccessToken.lifeSeconds,
    ...(refreshToken !== undefined && { refresh_token: refreshToken }),
    ...(assertion !== undefined && {
      identity_assertion: assertion.token,
      assertion_expires: new Date(assertion.claims.expiresMs).toISOString(),
    }),
  };
}
