import * as AccessToken from './access-token.ts';
import * as Assertion from './assertion.ts';
import * as Form from './form.ts';
import type { KeyRing } from './key-ring.ts';

/** The body of POST /oauth2/revoke (RFC 7009). */
export type RevocationRequest = { kind: 'revocation'; token: string };

/** The subject of a revocation: an access token revokes itself (`jti`), an assertion its whole session (`sid`). */
export type RevocationTarget =
  | { kind: 'token'; id: string; account: string }
  | { kind: 'session'; id: string; account: string }
  | { kind: 'nothing' };

/** Reads the form body of a revocation request. `token_type_hint` is ignored: a token contains its type. */
export function parse(body: string): RevocationRequest | Form.FormFault {
  const form = Form.parse(body);
  if (form.kind === 'fault') return form;
  const token = form.values.get('token');
  return token === undefined ? Form.invalidRequest('token is missing') : { kind: 'revocation', token };
}

/**
 * Returns the subject that revoking `token` ends; `nothing` for an expired, unknown or foreign token. Respond to `nothing` as to a
 * success, so that the endpoint does not reveal which tokens are valid (RFC 7009, section 2.2).
 */
export async function target(ring: KeyRing, token: string, nowMs: number): Promise<RevocationTarget> {
  const access = await AccessToken.verify(ring, token, nowMs);
  if (access.kind === 'ok') return { kind: 'token', id: access.claims.jti, account: access.claims.account };
  const assertion = await Assertion.verify(ring, token, nowMs);
  if (assertion.kind === 'ok') {
    return { kind: 'session', id: assertion.claims.sid, account: assertion.claims.account };
  }
  return { kind: 'nothing' };
}
