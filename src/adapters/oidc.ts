import * as Client from 'openid-client';
import * as Email from '../identity/email.ts';
import type { Oidc, OidcPerson, OidcSettings } from '../identity/operators/oidc.ts';
import { parseRole, roles } from '../identity/operators/role.ts';

/** The provider's answers are waited for this long. */
const timeoutSeconds = 4;
const callbackPath = '/admin/console/oidc/callback';
const nameCharsMax = 100;

/** Signs in with the provider of `settings`. Its discovery document is read at the first sign-in, and again after a failure. */
export function openOidc(settings: OidcSettings, publicUrl: string): Oidc {
  const redirectUri = publicUrl + callbackPath;
  let found: Promise<Client.Configuration> | null = null;
  const provider = () => {
    found ??= discover(settings).catch((fault: unknown) => {
      found = null;
      throw fault;
    });
    return found;
  };
  return {
    async start() {
      const verifier = Client.randomPKCECodeVerifier();
      const [state, nonce] = [Client.randomState(), Client.randomNonce()];
      const address = Client.buildAuthorizationUrl(await provider(), {
        redirect_uri: redirectUri,
        scope: 'openid email profile',
        code_challenge: await Client.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
        state,
        nonce,
      });
      return { address: address.href, state, nonce, verifier };
    },
    async finish(returned, { state, nonce, verifier }) {
      // Behind a proxy, the address of the request is not the one that the provider was given.
      const address = new URL(redirectUri);
      address.search = returned.search;
      const tokens = await Client.authorizationCodeGrant(await provider(), address, {
        pkceCodeVerifier: verifier,
        expectedState: state,
        expectedNonce: nonce,
        idTokenExpected: true,
      });
      const claims = tokens.claims();
      if (claims === undefined) throw new Error('the provider sent no ID token');
      return personOf(claims, settings);
    },
  };
}

function discover({ issuer, clientId, clientSecret }: OidcSettings): Promise<Client.Configuration> {
  return Client.discovery(new URL(issuer), clientId, undefined, Client.ClientSecretBasic(clientSecret), {
    timeout: timeoutSeconds,
    execute: [
      // Verifies the signature of ID tokens, too.
      Client.enableNonRepudiationChecks,
      // The settings allow http only on this machine.
      ...(issuer.startsWith('http:') ? [Client.allowInsecureRequests] : []),
    ],
  });
}

function personOf(claims: Client.IDToken, { roleClaim }: OidcSettings): OidcPerson {
  const email = typeof claims.email === 'string' && claims.email_verified === true ? claims.email : '';
  const name = typeof claims.name === 'string' ? claims.name.replace(/\s+/g, ' ').trim() : '';
  return {
    subject: `${claims.iss} ${claims.sub}`,
    email: Email.parse(email),
    name: name.slice(0, nameCharsMax),
    role: roleClaim === null ? null : roleOf(claims[roleClaim]),
  };
}

/** The most powerful role of a claim. */
function roleOf(claim: unknown) {
  const named = (Array.isArray(claim) ? claim : [claim]).flatMap((one) =>
    typeof one === 'string' ? [parseRole(one)] : [],
  );
  return roles.find((role) => named.includes(role)) ?? null;
}
