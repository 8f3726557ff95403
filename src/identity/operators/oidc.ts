import type { Role } from './role.ts';

export type OidcSettings = {
  issuer: string;
  clientId: string;
  clientSecret: string;
  /** The claim with the role; null when only invited persons may sign in. */
  roleClaim: string | null;
};

/** A sign-in that was started. The browser keeps the secrets in a cookie until it returns. */
export type OidcAttempt = { address: string; state: string; nonce: string; verifier: string };

/** A person whom the provider has identified. */
export type OidcPerson = {
  /** The issuer and its subject, separated by a space. */
  subject: string;
  /** Null unless the provider has verified the address. */
  email: string | null;
  name: string;
  /** The role of the claim; null when there is none. */
  role: Role | null;
};

/** Signs in with an OpenID Connect provider: authorization code flow with PKCE, state and nonce. */
export interface Oidc {
  /** Rejects when the provider cannot be reached. */
  start(): Promise<OidcAttempt>;
  /**
   * Redeems the code of the address to which the browser returned, and verifies the ID token: signature, issuer, audience, nonce and times.
   * Rejects when anything does not match.
   */
  finish(returned: URL, attempt: Omit<OidcAttempt, 'address'>): Promise<OidcPerson>;
}
