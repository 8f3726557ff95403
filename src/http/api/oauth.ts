import { path } from '@sluice/kernel/endpoints';
import * as Money from '@sluice/kernel/money';
import { policy } from '@sluice/kernel/page-style';
import { Hono } from 'hono';
import type { CatalogContext } from '../../catalog/catalog-context.ts';
import { isTrialImmediate, trialOf } from '../../catalog/plan.ts';
import { sharedUnit, unitOfPlan } from '../../catalog/plan-unit.ts';
import * as Form from '../../identity/form.ts';
import { usable } from '../../journeys/balance.ts';
import type { CallerContext } from '../../journeys/identification.ts';
import * as OAuth from '../../journeys/oauth.ts';
import * as Registering from '../../journeys/registration.ts';
import type { LedgerContext } from '../../ledger/ledger-context.ts';
import { includedText } from '../../text/included-text.ts';
import type { TextsContext } from '../../text/texts-context.ts';
import * as Page from '../pages/authorize.ts';
import * as BrowserSession from '../pages/browser-session.ts';
import * as Frame from '../pages/frame.ts';
import * as ReturnTo from '../pages/return-to.ts';
import * as SignInPage from '../pages/sign-in.ts';
import { json, type Reply } from '../reply.ts';
import {
  address,
  bytes,
  type Call,
  caller,
  type Env,
  parseJson,
  record,
  send,
  unidentified,
} from '../request-context.ts';

const noStore = { 'cache-control': 'no-store' };
/** The dependencies of the consent page, where a person can also open an account. */
type AuthorizeContext = OAuth.OAuthContext &
  Registering.RegisterContext &
  Pick<LedgerContext, 'statements'> &
  TextsContext;
type Ready = Extract<OAuth.Authorization, { kind: 'ready' }>;

/** OAuth 2.1 for standard clients: authorization code with PKCE, dynamic registration, introspection. */
export function oauthRoutes(
  shop: CallerContext & AuthorizeContext,
  clientAddressHeader: string | null,
): Hono<Env> {
  const app = new Hono<Env>();

  app.get(path.authorize, async (c) => {
    const query = new URL(c.req.url).searchParams;
    const checked = await OAuth.authorization(shop, query);
    if (checked.kind !== 'ready') return refuse(shop, checked);
    return consent(shop, c, 200, { ready: checked, request: query.toString() });
  });

  app.post('/shop/authorize', (c) => decide(shop, c, clientAddressHeader));

  app.post(path.registerClient, async (c) => send(c, await registerClient(shop, c)));

  app.post(path.introspect, async (c) => {
    const known = await caller(shop, c);
    if (known.kind === 'refused') return send(c, known.reply);
    if (known.kind === 'absent') return send(c, unidentified(shop, c, { kind: 'absent' }));
    const body = await bytes(c);
    if (!Buffer.isBuffer(body)) return send(c, body);
    const form = Form.parse(body.toString());
    const token = form.kind === 'form' ? form.values.get('token') : undefined;
    if (token === undefined)
      return send(c, json(400, { error: 'invalid_request', error_description: 'token is missing' }, noStore));
    return send(c, json(200, await OAuth.introspect(shop, known.account, token), noStore));
  });
  return app;
}

/** Performs the choice that a person made on the consent page. */
async function decide(
  shop: AuthorizeContext,
  c: Call,
  clientAddressHeader: string | null,
): Promise<Response> {
  const form = await BrowserSession.fields(c);
  const request = form.get('request') ?? '';
  const checked = await OAuth.authorization(shop, new URLSearchParams(request));
  if (checked.kind !== 'ready') return refuse(shop, checked);
  const shown = { ready: checked, request };
  const done = ReturnTo.forgotten(shop);
  const visitor = await BrowserSession.readSession(shop, c);
  switch (form.get('action')) {
    case 'deny':
      return redirect(OAuth.deny(shop, checked), done);
    case 'start': {
      if (visitor !== null) return consent(shop, c, 200, shown);
      const opened = await Registering.register(shop, address(c, clientAddressHeader));
      if (opened.kind !== 'registered')
        return consent(shop, c, 429, {
          ...shown,
          problem: shop.texts.text('connect.too_many_accounts'),
        });
      const cookie = BrowserSession.remembered(shop, opened.assertion.token);
      return redirect(
        await OAuth.approve(shop, Registering.newAccount(opened.account), checked),
        done,
        cookie,
      );
    }
    case 'allow':
      if (visitor === null)
        return consent(shop, c, 401, {
          ...shown,
          problem: shop.texts.text('connect.signed_out'),
        });
      if (!OAuth.mayConnect(shop, visitor))
        return consent(shop, c, 403, { ...shown, problem: shop.texts.text('connect.frozen') });
      await record(shop, c, 'POST /shop/authorize', { ...visitor, key: null }, checked.client.name);
      return redirect(await OAuth.approve(shop, visitor, checked), done);
    default:
      return consent(shop, c, 422, { ...shown, problem: shop.texts.text('connect.choose') });
  }
}

type ConsentRequest = { ready: Ready; request: string; problem?: string };

async function consent(
  shop: AuthorizeContext,
  c: Call,
  status: number,
  { ready, request, problem }: ConsentRequest,
): Promise<Response> {
  const visitor = await BrowserSession.readSession(shop, c);
  const trial = trialOf(shop.catalog.plans);
  const returnsTo = new URL(ready.request.redirectUri);
  const left = visitor && (await usable(shop, visitor.account));
  const usd = (money: Money.Money) => shop.texts.usd(Money.format(money));
  const main = Page.consent(shop.texts, {
    client: ready.client.name,
    returnsTo: returnsTo.host || returnsTo.protocol,
    request,
    visitor: visitor &&
      left && {
        account: (visitor.member && (await shop.team.find(visitor.member.id))?.email) || null,
        credit: usd(left.credit),
        included: [
          ...(left.units > 0 ? [shop.texts.quantity(left.units, sharedUnit(shop.catalog.services))] : []),
          ...(left.includedUsd > 0
            ? [shop.texts.text('format.usage', { amount: usd(left.includedUsd) })]
            : []),
        ].join(' · '),
      },
    trial:
      trial === null || !isTrialImmediate(shop.catalog.plans)
        ? null
        : includedText(shop.texts, trial.included, unitOfPlan(trial, shop.catalog.services)),
    byMail: shop.claiming !== null,
    problem: problem ?? null,
  });
  const more = {
    'content-security-policy': policy(`'self' ${origin(returnsTo)}`),
    'set-cookie': ReturnTo.remembered(shop, `${path.authorize}?${request}`),
  };
  return Frame.respondWithPage(status, shop, {
    ...{ title: shop.texts.text('connect.title'), main, more },
    style: SignInPage.style,
  });
}

function refuse(
  shop: Pick<CatalogContext, 'catalog'> & TextsContext,
  checked: Exclude<OAuth.Authorization, Ready>,
): Response {
  if (checked.kind === 'redirect') return redirect(checked.url);
  const { texts } = shop;
  const main = Page.unusable(
    texts,
    checked.kind === 'too_long' ? texts.text('connect.too_long') : checked.description,
  );
  return Frame.respondWithPage(400, shop, {
    ...{ title: texts.text('connect.title'), main },
    style: SignInPage.style,
  });
}

async function registerClient(shop: OAuth.OAuthContext, c: Call): Promise<Reply> {
  const body = await bytes(c);
  if (!Buffer.isBuffer(body)) return body;
  const parsed = parseJson(c, body);
  if (!('value' in parsed)) return parsed;
  const registered = await OAuth.registerClient(shop, parsed.value);
  if (registered.kind === 'fault')
    return json(400, { error: registered.error, error_description: registered.description }, noStore);
  const { client, issuedMs } = registered;
  const answer = {
    client_id: client.id,
    client_id_issued_at: Math.floor(issuedMs / 1_000),
    client_name: client.name,
    redirect_uris: client.redirectUris,
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
  };
  return json(201, answer, noStore);
}

/** The source expression that lets a browser follow the redirect of the form to the client (`form-action`, CSP 3). */
function origin({ protocol, host }: URL): string {
  return protocol === 'https:' || protocol === 'http:' ? `${protocol}//${host}` : protocol;
}

function redirect(location: string, ...cookies: readonly string[]): Response {
  const headers = new Headers({ location, 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' });
  for (const cookie of cookies) headers.append('set-cookie', cookie);
  return new Response(null, { status: 303, headers });
}
