import { path } from '@sluice/kernel/endpoints';
import { id } from '@sluice/kernel/id';
import * as AccessToken from '../identity/access-token.ts';
import * as Bearer from '../identity/bearer.ts';
import type * as Form from '../identity/form.ts';
import * as Grant from '../identity/grant.ts';
import type { IdentityContext, RegistrationContext } from '../identity/identity-context.ts';
import type { Issued, TokenSession } from '../identity/jwt.ts';
import * as AuthorizationRequest from '../identity/oauth/authorization-request.ts';
import * as Client from '../identity/oauth/client.ts';
import * as Grants from '../identity/oauth/grants.ts';
import { denial } from '../identity/permission.ts';

/** The dependencies of connecting applications to accounts. */
export type OAuthContext = Omit<IdentityContext, 'keys'> &
  Pick<RegistrationContext, 'oauth' | 'clientDocuments'>;

/** Returns the values of `resource` (RFC 8707) that an access token of this shop is valid for. */
export function resources(publicUrl: string): string[] {
  return [publicUrl, publicUrl + path.mcp];
}

/** Registers a public client (RFC 7591). */
export async function registerClient(
  shop: OAuthContext,
  body: unknown,
): Promise<{ kind: 'registered'; client: Client.OAuthClient; issuedMs: number } | Client.MetadataFault> {
  const metadata = Client.parseMetadata(body);
  if ('kind' in metadata) return metadata;
  const client = { id: id('oci'), ...metadata };
  await shop.oauth.registerClient(client.id, metadata);
  return { kind: 'registered', client, issuedMs: shop.clock() };
}

export type Authorization =
  /** The person can be asked for consent. */
  | { kind: 'ready'; client: Client.OAuthClient; request: AuthorizationRequest.AuthorizationRequest }
  /** The error is returned to the client by a redirect to this URL. */
  | { kind: 'redirect'; url: string }
  /** Client and redirect URI cannot be trusted, so the error is shown to the person. */
  | { kind: 'too_long' }
  | { kind: 'unusable'; description: string };

/** Checks an authorization request: the client exists, the redirect URI is one of its own, PKCE is used. */
export async function authorization(shop: OAuthContext, query: URLSearchParams): Promise<Authorization> {
  const parsed = AuthorizationRequest.parse(query, resources(shop.publicUrl));
  if (parsed.kind === 'too_long' || parsed.kind === 'unusable') return parsed;
  const { clientId, redirectUri } = parsed.kind === 'request' ? parsed.request : parsed;
  const found = await findClient(shop, clientId);
  if (found.kind === 'refused') return { kind: 'unusable', description: `${found.description}.` };
  if (!Client.hasRedirectUri(found.client, redirectUri))
    return { kind: 'unusable', description: 'This redirect_uri is not registered for the application.' };
  if (parsed.kind === 'request') return { kind: 'ready', client: found.client, request: parsed.request };
  const { error, description } = parsed;
  return { kind: 'redirect', url: redirect(shop, parsed, { error, error_description: description }) };
}

async function findClient(shop: OAuthContext, clientId: string): Promise<Client.FoundClient> {
  if (/^https?:/.test(clientId)) return shop.clientDocuments.find(clientId, shop.clock());
  const client = await shop.oauth.findClient(clientId);
  return client
    ? { kind: 'client', client }
    : { kind: 'refused', description: `The client_id is unknown. Register at ${path.registerClient}` };
}

/** Returns true when an application may be connected to the account. A frozen account cannot be changed. */
export function mayConnect(
  { tokenVerifier }: Pick<OAuthContext, 'tokenVerifier'>,
  { account, member }: Pick<TokenSession, 'account' | 'member'>,
): boolean {
  const isFrozen = tokenVerifier.frozen.has(account);
  const caller = { isFrozen, isKey: false, isApplication: false, role: member?.role ?? null };
  return denial(caller, 'connect') === null;
}

/** Grants the request for the holder of a session: the application gets the rights of that person. Returns the redirect URL with the code. */
export async function approve(
  shop: OAuthContext,
  { account, member }: Pick<TokenSession, 'account' | 'member'>,
  { client, request }: Extract<Authorization, { kind: 'ready' }>,
): Promise<string> {
  const code = Grants.newCode(account);
  await shop.oauth.issueCode({
    grant: {
      sid: id('ses', account),
      account,
      member: member?.id ?? null,
      clientId: client.id,
      clientName: client.name,
    },
    digest: Grants.digest(code),
    redirectUri: request.redirectUri,
    challenge: request.challenge,
    expiresMs: shop.clock() + Grants.codeLifeMs,
  });
  return redirect(shop, request, { code });
}

/** Returns the redirect URL that reports the refusal to the client. */
export function deny(shop: OAuthContext, { request }: Extract<Authorization, { kind: 'ready' }>): string {
  return redirect(shop, request, {
    error: 'access_denied',
    error_description: 'the user denied the request',
  });
}

function redirect(
  shop: OAuthContext,
  to: { redirectUri: string; state: string | null },
  result: Readonly<Record<string, string>>,
): string {
  return AuthorizationRequest.redirectTo(to, shop.publicUrl, result);
}

export type TokenResponse = { kind: 'granted'; access: Issued; refreshToken: string } | Form.FormFault;

/** Exchanges an authorization code, once. A second use revokes everything that was issued for it (OAuth 2.1, section 4.1.3). */
export async function exchangeCode(
  shop: OAuthContext,
  { code, verifier, clientId, redirectUri }: Extract<Grant.Grant, { kind: 'code' }>,
): Promise<TokenResponse> {
  const next = freshRefreshToken(shop, code);
  const presented = {
    digest: Grants.digest(code),
    clientId,
    redirectUri,
    challenge: Grants.challengeOf(verifier),
  };
  const redeemed = await shop.oauth.redeemCode(presented, next);
  return respond(shop, redeemed, next.token, 'the code is invalid, expired or used, or not of this client');
}

/**
 * Exchanges a refresh token for an access token and the next refresh token. A token that was rotated more than a minute ago has been copied,
 * so its session is ended.
 */
export async function refresh(
  shop: OAuthContext,
  { refreshToken, clientId }: Extract<Grant.Grant, { kind: 'refresh' }>,
): Promise<TokenResponse> {
  const next = freshRefreshToken(shop, refreshToken);
  const redeemed = await shop.oauth.rotate(Grants.digest(refreshToken), clientId, next);
  return respond(shop, redeemed, next.token, 'the refresh token is invalid, expired or revoked');
}

function freshRefreshToken(shop: OAuthContext, previous: string) {
  const token = Grants.newRefreshToken(previous);
  return { token, digest: Grants.digest(token), expiresMs: shop.clock() + Grants.refreshLifeMs };
}

async function respond(
  shop: OAuthContext,
  redeemed: Grants.Redeemed,
  refreshToken: string,
  refusal: string,
): Promise<TokenResponse> {
  if (redeemed.kind === 'replayed') await endSession(shop, redeemed.sid, null);
  if (redeemed.kind !== 'redeemed') return Grant.invalidGrant(refusal);
  const { sid, account, member, clientId } = redeemed.grant;
  if (await shop.revocations.has([sid])) return Grant.invalidGrant(refusal);
  // The role of now: it may have changed since the consent.
  const holder = await shop.team.holder({ account, member, epoch: null });
  if (holder === null) return Grant.invalidGrant(refusal);
  const access = await AccessToken.issue(shop.tokenVerifier.ring, { ...holder, sid }, shop.clock(), clientId);
  return { kind: 'granted', access, refreshToken };
}

/** Ends a session with all its tokens, in every process. */
async function endSession(shop: OAuthContext, sid: string, account: string | null): Promise<void> {
  const nowMs = shop.clock();
  Bearer.revoke(shop.tokenVerifier, sid, nowMs);
  await shop.revocations.add({ id: sid, revokedMs: nowMs, account });
  await shop.oauth.end(sid);
}

/** Revokes a refresh token (RFC 7009), and with it its session. An unknown token changes nothing. */
export async function revokeRefreshToken(shop: OAuthContext, token: string): Promise<void> {
  const grant = await shop.oauth.findRefreshToken(Grants.digest(token));
  if (grant) await endSession(shop, grant.sid, grant.account);
}

/**
 * Disconnects an application from the account. Returns false when the account has no such connection.
 * @param member with an id, only one that this person connected
 */
export async function disconnect(
  shop: OAuthContext,
  account: string,
  sid: string,
  member: string | null,
): Promise<boolean> {
  const grants = await shop.oauth.list(account, member);
  if (!grants.some((grant) => grant.sid === sid)) return false;
  await endSession(shop, sid, account);
  return true;
}

/** The body of an introspection response (RFC 7662, section 2.2). */
export type Introspection =
  | { active: false }
  | {
      active: true;
      sub: string;
      client_id?: string;
      token_type: 'Bearer' | 'refresh_token';
      exp: number;
      iat?: number;
      iss: string;
      aud?: string;
      jti?: string;
    };

/**
 * Introspects a token for a caller of the same account. A token of another account is reported as inactive, like an expired or a revoked one,
 * so that the response does not distinguish them.
 */
export async function introspect(shop: OAuthContext, account: string, token: string): Promise<Introspection> {
  const found = await describe(shop, token);
  return found !== null && (await shop.accounts.resolveAccount(found.sub)) === account
    ? found
    : { active: false };
}

async function describe(
  shop: OAuthContext,
  token: string,
): Promise<Extract<Introspection, { active: true }> | null> {
  const { publicUrl } = shop;
  if (Grants.isRefreshToken(token)) {
    const grant = await shop.oauth.findRefreshToken(Grants.digest(token));
    if (grant === null || (await shop.revocations.has([grant.sid]))) return null;
    const exp = Math.floor(grant.expiresMs / 1_000);
    return {
      active: true,
      sub: grant.account,
      client_id: grant.clientId,
      token_type: 'refresh_token',
      exp,
      iss: publicUrl,
    };
  }
  const verified = await AccessToken.verify(shop.tokenVerifier.ring, token, shop.clock());
  if (verified.kind !== 'ok') return null;
  const { account, sid, jti, holder, issuedMs, expiresMs } = verified.claims;
  if (await shop.revocations.has([sid, jti, holder])) return null;
  return {
    active: true,
    sub: account,
    token_type: 'Bearer',
    exp: expiresMs / 1_000,
    iat: issuedMs / 1_000,
    iss: publicUrl,
    aud: publicUrl,
    jti,
  };
}
