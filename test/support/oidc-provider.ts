import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';

/** The claims of the next ID token, honest or not. */
export type Said = {
  sub?: string;
  iss?: string;
  aud?: string;
  nonce?: string;
  expiresIn?: string;
  isForged?: boolean;
  claims?: Record<string, unknown>;
};

export type OidcProvider = {
  issuer: string;
  /** Consents to an authorization request. Returns the query with which the browser goes back. */
  consent(address: string, said: Said): string;
  close(): Promise<void>;
};

/** An OpenID Connect provider under the control of a test: discovery, keys and tokens, with PKCE. */
export async function openOidcProvider(clientId: string): Promise<OidcProvider> {
  const [own, other] = await Promise.all([generateKeyPair('RS256'), generateKeyPair('RS256')]);
  const codes = new Map<string, { said: Said; nonce: string; challenge: string }>();
  const idToken = (issuer: string, { said, nonce }: { said: Said; nonce: string }) =>
    new SignJWT({ nonce: said.nonce ?? nonce, ...said.claims })
      .setProtectedHeader({ alg: 'RS256', kid: 'k1' })
      .setIssuer(said.iss ?? issuer)
      .setAudience(said.aud ?? clientId)
      .setSubject(said.sub ?? 'sub-1')
      .setIssuedAt()
      .setExpirationTime(said.expiresIn ?? '5m')
      .sign(said.isForged ? other.privateKey : own.privateKey);
  const server = createServer(async (request, response) => {
    const json = (status: number, body: unknown) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    if (request.url === '/.well-known/openid-configuration')
      return json(200, {
        issuer,
        authorization_endpoint: `${issuer}/authorize`,
        token_endpoint: `${issuer}/token`,
        jwks_uri: `${issuer}/jwks`,
        response_types_supported: ['code'],
        id_token_signing_alg_values_supported: ['RS256'],
      });
    if (request.url === '/jwks')
      return json(200, {
        keys: [{ ...(await exportJWK(own.publicKey)), kid: 'k1', alg: 'RS256', use: 'sig' }],
      });
    let body = '';
    for await (const chunk of request) body += chunk;
    const form = new URLSearchParams(body);
    const code = codes.get(form.get('code') ?? '');
    const digest = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url');
    if (code === undefined || digest !== code.challenge) return json(400, { error: 'invalid_grant' });
    codes.delete(form.get('code') ?? '');
    return json(200, { access_token: 'at', token_type: 'bearer', id_token: await idToken(issuer, code) });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    issuer,
    consent(address, said) {
      const { searchParams: asked } = new URL(address);
      const code = `code-${codes.size}-${Date.now()}`;
      codes.set(code, {
        said,
        nonce: asked.get('nonce') ?? '',
        challenge: asked.get('code_challenge_method') === 'S256' ? (asked.get('code_challenge') ?? '') : '',
      });
      return new URLSearchParams({ code, state: asked.get('state') ?? '' }).toString();
    },
    close: () => new Promise((done) => server.close(() => done())),
  };
}
