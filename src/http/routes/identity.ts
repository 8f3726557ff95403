import { Hono } from 'hono';
import * as Description from '../../catalog/description.ts';
import * as AccessToken from '../../identity/access-token.ts';
import * as AuthMd from '../../identity/auth-md.ts';
import { path } from '../../identity/endpoint.ts';
import type * as Form from '../../identity/form.ts';
import * as Grant from '../../identity/grant.ts';
import * as Metadata from '../../identity/metadata.ts';
import * as Registration from '../../identity/registration.ts';
import * as Registering from '../../journeys/registration.ts';
import type { Shop } from '../../journeys/shop.ts';
import { address, bytes, type Call, type Env, parseJson, requestId, send, unprocessable } from '../edge.ts';
import { error, json, type Reply } from '../reply.ts';
import * as Static from '../static.ts';

const noStore = { 'cache-control': 'no-store' };

/** Who calls: registration, tokens, and the documents that tell of them. */
export function routes(shop: Shop, clientAddressHeader: string | null): Hono<Env> {
  const app = new Hono<Env>();
  const { publicUrl, catalog } = shop;
  const offers = { claim: shop.claiming !== null };

  app.post(path.register, async (c) => {
    const body = await bytes(c);
    if (!Buffer.isBuffer(body)) return send(c, body);
    const parsed = parseJson(c, body);
    if (!('value' in parsed)) return send(c, parsed);
    const request = Registration.parse(parsed.value);
    if (request.kind === 'fault') return send(c, unprocessable(c, request.faults));
    return send(c, await register(shop, c, clientAddressHeader));
  });

  app.post(path.token, async (c) => {
    const body = await bytes(c);
    if (!Buffer.isBuffer(body)) return send(c, body);
    const granted = await Registering.exchange(shop, body.toString());
    return send(
      c,
      granted.kind === 'fault' ? oauthFault(granted) : json(200, Grant.answer(granted.access), noStore),
    );
  });

  app.post(path.revoke, async (c) => {
    const body = await bytes(c);
    if (!Buffer.isBuffer(body)) return send(c, body);
    const revoked = await Registering.revoke(shop, body.toString());
    return send(c, revoked.kind === 'fault' ? oauthFault(revoked) : json(200, {}, noStore));
  });

  app.get(path.keys, (c) => c.json(shop.desk.ring.jwks, 200, { 'cache-control': 'public, max-age=300' }));
  const name = catalog.storefront.name;
  Static.get(app, path.protectedResource, Static.json(Metadata.protectedResource(publicUrl, name, offers)));
  Static.get(app, path.authorizationServer, Static.json(Metadata.authorizationServer(publicUrl, offers)));
  const guide = AuthMd.render({ name, publicUrl, plans: catalog.plans, example: example(shop), offers });
  Static.get(app, path.guide, Static.of('text/markdown; charset=utf-8', guide));
  return app;
}

/** Opens an account for whoever asks. */
export async function register(shop: Shop, c: Call, clientAddressHeader: string | null): Promise<Reply> {
  const registered = await Registering.register(shop, address(c, clientAddressHeader));
  if (registered.kind === 'refused') {
    const why =
      registered.reason === 'address'
        ? 'Too many registrations from this address.'
        : 'This shop takes no more registrations today.';
    const headers = { 'retry-after': String(registered.retryAfterSeconds) };
    return error(429, 'registration_limited', why, requestId(c), {}, headers);
  }
  const { account, access, assertion, claim, trial } = registered;
  c.get('entry').account = account;
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
      identity_assertion: assertion.token,
      assertion_expires: new Date(assertion.claims.expiresMs).toISOString(),
      ...(claim && {
        claim_url: shop.publicUrl + path.claim,
        claim_token: claim.token,
        claim_token_expires: new Date(claim.claims.expiresMs).toISOString(),
      }),
      plan:
        trial === null
          ? null
          : { id: trial.id, kind: trial.kind, status: 'active', included_remaining: trial.included },
    },
    noStore,
  );
}

/** OAuth errors have OAuth's body (RFC 6749, section 5.2). */
function oauthFault(fault: Form.Fault) {
  return json(400, { error: fault.error, error_description: fault.description }, noStore);
}

/** An operation to show a call with: the first that is forwarded, with the body that its own description shows. */
function example({ catalog, description }: Shop): AuthMd.Guide['example'] {
  const operation =
    catalog.operations.find(({ answeredBy }) => answeredBy === 'upstream') ?? catalog.operations[0];
  if (!operation) throw new Error('the catalogue sells nothing');
  const { method, path } = operation;
  const body = description.get(Description.key(method, path))?.example ?? {};
  return { method, path, ...(method !== 'GET' && { body }) };
}
