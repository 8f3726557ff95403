import * as AccessToken from './access-token.ts';
import * as Assertion from './assertion.ts';
import * as Form from './form.ts';
import type { KeyRing } from './key-ring.ts';

/** What POST /oauth2/revoke asks for (RFC 7009): the end of `token`. */
export type RevocationRequest = { kind: 'revocation'; token: string };

/** What a token stands for: an access token for itself (`jti`), an assertion for its whole session (`sid`). */
export type Target =
  | { kind: 'token'; id: string; account: string }
  | { kind: 'session'; id: string; account: string }
  | { kind: 'nothing' };

/** Reads the form body of a revocation request. `token_type_hint` is not needed: a token shows its own type. */
export function parse(body: string): RevocationRequest | Form.Fault {
  const form = Form.parse(body);
  if (form.kind === 'fault') return form;
  const token = form.values.get('token');
  return token === undefined ? Form.invalidRequest('token is missing') : { kind: 'revocation', token };
}

/**
 * What revoking `token` ends. `nothing` for what is expired, unknown or not ours: to be answered like a success,
 * so that nobody can try tokens here (RFC 7009, section 2.2).
 */
export async function target(ring: KeyRing, token: string, nowMs: number): Promise<Target> {
  const access = await AccessToken.verify(ring, token, nowMs);
  if (access.kind === 'ok') return { kind: 'token', id: access.claims.jti, account: access.claims.account };
  const assertion = await Assertion.verify(ring, token, nowMs);
  if (assertion.kind === 'ok') {
    return { kind: 'session', id: assertion.claims.sid, account: assertion.claims.account };
  }
  return { kind: 'nothing' };
}
