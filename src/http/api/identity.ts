import { path } from '@sluice/kernel/endpoints';
import { Hono } from 'hono';
import type { CatalogContext } from '../../catalog/catalog-context.ts';
import * as ExampleRequest from '../../catalog/example-request.ts';
import * as AuthMd from '../../discovery/auth-md.ts';
import * as AccessToken from '../../identity/access-token.ts';
import type * as Form from '../../identity/form.ts';
import { tokenResponse } from '../../identity/grant.ts';
import type { IdentityContext } from '../../identity/identity-context.ts';
import * as Metadata from '../../identity/metadata.ts';
import * as Registration from '../../identity/registration.ts';
import * as WalletRequest from '../../identity/wallet-request.ts';
import type { Recognition } from '../../identity/web-bot-auth.ts';
import * as AccountKeys from '../../journeys/account-keys.ts';
import type { OAuthContext } from '../../journeys/oauth.ts';
import * as Registering from '../../journeys/registration.ts';
import type { WalletSignInContext } from '../../journeys/wallet-sign-in.ts';
import type { Texts } from '../../text/texts.ts';
import type { TextsContext } from '../../text/texts-context.ts';
import { error, json, type Reply } from '../reply.ts';
import {
  address,
  bytes,
  type Call,
  type Env,
  lines,
  parseJson,
  requestId,
  send,
  unprocessable,
} from '../request-context.ts';
import * as Static from './static.ts';
import { trialMember, trialPlan } from './trial-member.ts';
import * as WalletSignIn from './wallet-sign-in.ts';

const noStore = { 'cache-control': 'no-store' };

/** Registration, tokens, and the documents that describe them. */
export function identityRoutes(
  shop: Registering.AgentRegisterContext &
    IdentityContext &
    OAuthContext &
    WalletSignInContext &
    Pick<CatalogContext, 'description'> &
    TextsContext,
  clientAddressHeader: string | null,
): Hono<Env> {
  const app = new Hono<Env>();
  const { publicUrl, catalog } = shop;
  const offers = { claim: shop.claiming !== null };

  app.post(path.register, async (c) => {
    const body = await bytes(c);
    if (!Buffer.isBuffer(body)) return send(c, body);
    const parsed = parseJson(c, body);
    if (!('value' in parsed)) return send(c, parsed);
    if (WalletRequest.isOne(parsed.value))
      return send(c, await WalletSignIn.answer(shop, c, parsed.value, clientAddressHeader));
    const request = Registration.parse(parsed.value);
    if (request.kind === 'fault') return send(c, unprocessable(c, request.faults));
    return send(c, await register(shop, c, clientAddressHeader, request));
  });

  app.post(path.token, async (c) => {
    const body = await bytes(c);
    if (!Buffer.isBuffer(body)) return send(c, body);
    const granted = await Registering.exchange(shop, body.toString());
    return send(
      c,
      granted.kind === 'fault' ? oauthFault(granted) : json(200, tokenResponse(granted), noStore),
    );
  });

  app.post(path.revoke, async (c) => {
    const body = await bytes(c);
    if (!Buffer.isBuffer(body)) return send(c, body);
    const revoked = await Registering.revoke(shop, body.toString());
    return send(c, revoked.kind === 'fault' ? oauthFault(revoked) : json(200, {}, noStore));
  });

  app.get(path.keys, (c) =>
    c.json(shop.tokenVerifier.ring.jwks, 200, { 'cache-control': 'public, max-age=300' }),
  );
  const name = catalog.storefront.name;
  Static.serveDocument(
    app,
    path.protectedResource,
    Static.jsonDocument(Metadata.protectedResource(publicUrl, name, offers)),
  );
  const mcp = Metadata.protectedResource(publicUrl, name, offers, publicUrl + path.mcp);
  Static.serveDocument(app, path.protectedMcp, Static.jsonDocument(mcp));
  Static.serveDocument(
    app,
    path.authorizationServer,
    Static.jsonDocument(Metadata.authorizationServer(publicUrl, offers)),
  );
  const guide = AuthMd.render({ name, publicUrl, plans: catalog.plans, example: example(shop), offers });
  Static.serveDocument(app, path.guide, Static.documentOf('text/markdown; charset=utf-8', guide));
  return app;
}

/** Opens an anonymous account. */
export async function register(
  shop: Registering.AgentRegisterContext & IdentityContext & TextsContext,
  c: Call,
  clientAddressHeader: string | null,
  { work, credentialType }: Omit<Registration.Registration, 'kind'>,
): Promise<Reply> {
  const { agent, outcome: registered } = await Registering.registerAgent(
    shop,
    address(c, clientAddressHeader),
    work,
    {
      method: c.req.method,
      origin: shop.publicUrl,
      target: c.env.incoming.url ?? '',
      // Tools register by other routes, where one signature could cover several calls.
      values: (name) => (c.req.path === path.register ? lines(c, name) : []),
    },
  );
  if (registered.kind !== 'registered')
    return notRegistered(shop.texts, registered, requestId(c), agentMember(agent));
  const { account, access, assertion, claim, trial, trialState } = registered;
  c.get('entry').account = account;
  const key = credentialType === 'api_key' ? await AccountKeys.makeForRegistration(shop, account) : null;
  return json(
    201,
    {
      success: true,
      account,
      registration_id: access.claims.sid,
      registration_type: 'anonymous',
      access_token: access.token,
      token_type: 'Bearer',
      expires_in: AccessToken.lifeSeconds,
      // The same credential under the names of the published auth.md.
      credential_type: credentialType,
      credential: key?.key ?? access.token,
      credential_expires: key ? null : new Date(access.claims.expiresMs).toISOString(),
      scopes: [],
      identity_assertion: assertion.token,
      assertion_expires: new Date(assertion.claims.expiresMs).toISOString(),
      ...(claim && {
        claim_url: shop.publicUrl + path.claim,
        claim_token: claim.token,
        claim_token_expires: new Date(claim.claims.expiresMs).toISOString(),
      }),
      plan: trialPlan(trial),
      ...trialMember(shop, trialState),
      ...agentMember(agent),
    },
    noStore,
  );
}

/** The result of a signature for the response; nothing for a request without one. */
function agentMember(agent: Recognition): { agent?: Record<string, unknown> } {
  switch (agent.kind) {
    case 'unsigned':
      return {};
    case 'unrecognised':
      return { agent: { recognised: false, reason: agent.reason } };
    case 'recognised':
      return { agent: { recognised: true, origin: agent.agent } };
  }
}

function notRegistered(
  texts: Texts,
  refused: Registering.RegistrationRefusal,
  id: string,
  more: ReturnType<typeof agentMember>,
): Reply {
  if (refused.kind === 'refused') {
    const why =
      refused.reason === 'address'
        ? texts.text('api.registration_limited')
        : texts.text('api.registration_limited.today');
    return error(429, 'registration_limited', why, id, more, {
      'retry-after': String(refused.retryAfterSeconds),
    });
  }
  const { challenge, bits, expiresMs } = refused.challenge;
  const isBad = refused.kind === 'bad_work';
  return error(
    isBad ? 403 : 429,
    isBad ? 'proof_of_work_invalid' : 'proof_of_work_required',
    isBad ? texts.text('api.proof_of_work_invalid') : texts.text('api.proof_of_work_required'),
    id,
    {
      ...more,
      proof_of_work: {
        algorithm: 'sha256',
        challenge,
        leading_zero_bits: bits,
        expires_at: new Date(expiresMs).toISOString(),
        instructions: `Find a text of at most 64 characters for which SHA-256(challenge + "." + text) begins with ${bits} zero bits, for example by counting up from 0. Then send {"type":"anonymous","proof_of_work":{"challenge":"<challenge>","solution":"<text>"}}. A solution can be used once.`,
      },
    },
    isBad ? {} : { 'retry-after': '1' },
  );
}

/** An error with OAuth's body (RFC 6749, section 5.2). */
function oauthFault(fault: Form.FormFault) {
  return json(400, { error: fault.error, error_description: fault.description }, noStore);
}

/** The operation of the example call, with the example body of its description. */
function example({
  catalog,
  description,
}: Pick<CatalogContext, 'catalog' | 'description'>): AuthMd.Guide['example'] {
  const operation = ExampleRequest.exampleOperation(catalog);
  const { method, path } = operation;
  const body = ExampleRequest.describedBody(operation, description) ?? {};
  return { method, path, ...(method !== 'GET' && { body }) };
}
