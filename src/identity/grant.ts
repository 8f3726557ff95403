import * as AccessToken from './access-token.ts';
import * as Assertion from './assertion.ts';
import * as Form from './form.ts';
import type { Issued, Unverified } from './jwt.ts';

/** What POST /oauth2/token asks for: an access token against an assertion (RFC 7523, section 2.1). */
export type Grant = { kind: 'grant'; assertion: string };

/** Reads the form body of a token request. Unknown parameters are ignored, as RFC 6749 asks. */
export function parse(body: string): Grant | Form.Fault {
  const form = Form.parse(body);
  if (form.kind === 'fault') return form;
  const grantType = form.values.get('grant_type');
  if (grantType === undefined) return Form.invalidRequest('grant_type is missing');
  if (grantType !== Assertion.grantType) {
    return {
      kind: 'fault',
      error: 'unsupported_grant_type',
      description: `the only grant type here is ${Assertion.grantType}`,
    };
  }
  const assertion = form.values.get('assertion');
  if (assertion === undefined) return Form.invalidRequest('assertion is missing');
  return { kind: 'grant', assertion };
}

/** Why an assertion opens nothing: what verification found, or that its session has been revoked or is gone. */
export function refusal(found: Unverified | { kind: 'revoked' }): Form.Fault {
  return { kind: 'fault', error: 'invalid_grant', description: why(found) };
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

/** The body of a granted request (RFC 6749, section 5.1), to be sent with `Cache-Control: no-store`. */
export function answer(issued: Issued): { access_token: string; token_type: 'Bearer'; expires_in: number } {
  return { access_token: issued.token, token_type: 'Bearer', expires_in: AccessToken.lifeSeconds };
}
