import { id as newId } from '@sluice/kernel/id';
import { jsonFault } from '@sluice/kernel/json-fault';
import { Hono } from 'hono';
import type * as Match from '../../../catalog/match.ts';
import type { IdentityContext, RegistrationContext } from '../../../identity/identity-context.ts';
import type { CallerContext } from '../../../journeys/identification.ts';
import { identify } from '../../../journeys/identification.ts';
import type { PaidCallContext } from '../../../journeys/paid-call-context.ts';
import type * as Registering from '../../../journeys/registration.ts';
import { laterPage } from '../../fault-page.ts';
import type { RefusalContext } from '../../plans-on-offer.ts';
import type { Call, Env } from '../../request-context.ts';
import * as BrowserSession from '../browser-session.ts';
import * as Frame from '../frame.ts';
import { canBeTried } from '../reference/operation.ts';
import { home, type OperationPage, pagesOf } from '../reference/outline.ts';
import * as Page from '../reference/request-form.ts';
import * as TryIt from '../try-it.ts';
import * as VisitorAccount from '../visitor-account.ts';
import { framed, noPage, type ReferenceContext, type ReferencePages } from './docs.ts';

/** Idempotency keys of the form. */
const onceKey = /^try_[0-9a-f]{32}$/;
/** Longer credentials are no keys. */
const apiKeyCharsMax = 4_096;
const refusedKinds: ReadonlySet<string> = new Set(['invalid', 'absent', 'expired', 'revoked']);

type RequestContext = ReferenceContext &
  CallerContext &
  PaidCallContext &
  RefusalContext &
  Registering.RegisterContext &
  Pick<RegistrationContext, 'clientDocuments'>;
type RouteOptions = { matcher: Match.Matcher; clientAddressHeader: string | null };

/**
 * The pages that send requests to sold operations, with the visitor's session or a key that is pasted. The key is sent in the body of the
 * form and returned in the page alone: never in an address, a cookie or a log.
 */
export function requestPages(
  shop: RequestContext,
  { outline, write }: ReferencePages,
  { matcher, clientAddressHeader }: RouteOptions,
): Hono<Env> {
  const app = new Hono<Env>();
  const byPath = new Map(
    pagesOf(outline)
      .filter((page) => canBeTried(write, page))
      .map((page) => [page.path, page]),
  );
  const respond = (status: number, page: OperationPage, form: Page.RequestForm, more = {}) =>
    Frame.respondWithPage(status, shop, {
      title: page.title,
      main: Page.requestPage(write, page, form),
      more,
      ...framed(shop, outline, { chapter: page.chapter, page }),
    });

  app.get('/shop/request/:slug/:operation?', async (c) => {
    const page = byPath.get(pathOf(c));
    if (page === undefined) return noPage(c, shop.texts);
    const isSignedIn = (await BrowserSession.readSession(shop, c)) !== null;
    return respond(200, page, { ...Page.emptyForm(write, page, newId('try')), isSignedIn });
  });

  app.post('/shop/request/:slug/:operation?', async (c) => {
    const page = byPath.get(pathOf(c));
    if (page?.sold == null) return noPage(c, shop.texts);
    const fields = await BrowserSession.fields(c);
    const typed = (name: string) => fields.get(name) ?? '';
    const form: Page.RequestForm = {
      path: typed('path'),
      body: typed('body'),
      apiKey: typed('api_key').trim().slice(0, apiKeyCharsMax),
      once: newId('try'),
      outcome: null,
      fault: null,
      isBodyFaulty: false,
      isSignedIn: false,
    };
    const isSigned = async () => (await BrowserSession.readSession(shop, c)) !== null;
    if (form.body.trim() !== '' && jsonFault(form.body) !== null)
      return respond(422, page, { ...form, isBodyFaulty: true, isSignedIn: await isSigned() });
    if (fields.has('fill')) return respond(200, page, { ...form, isSignedIn: await isSigned() });
    const known = await credentialOf(shop, c, form.apiKey, clientAddressHeader);
    if (known === 'limited') return laterPage(shop, c, 429, shop.texts.text('buy.too_many_accounts'));
    if (known === 'invalid')
      return respond(422, page, { ...form, fault: shop.texts.text('reference.key_invalid') });
    // A reload sends the key of the form again, and gets the stored response.
    const outcome = await TryIt.tryOperation(shop, matcher, c, {
      operation: page.sold,
      path: form.path,
      body: form.body,
      token: known.token,
      key: onceKey.test(typed('once')) ? typed('once') : null,
    });
    return respond(200, page, { ...form, outcome, isSignedIn: form.apiKey === '' }, known.headers);
  });
  return app;
}

function pathOf(c: Call): string {
  const [slug = '', operation] = [c.req.param('slug'), c.req.param('operation')];
  return `${home}/${slug}${operation === undefined ? '' : `/${operation}`}`;
}

type Credential = { token: string; headers: Readonly<Record<string, string>> };

/** The key that was pasted, if it is valid; without one, the token of the visitor's account, which is opened where there is none. */
async function credentialOf(
  shop: CallerContext & Registering.RegisterContext & IdentityContext,
  c: Call,
  apiKey: string,
  clientAddressHeader: string | null,
): Promise<Credential | 'invalid' | 'limited'> {
  if (apiKey !== '') {
    const { kind } = await identify(shop, `Bearer ${apiKey}`, shop.clock());
    return refusedKinds.has(kind) ? 'invalid' : { token: apiKey, headers: {} };
  }
  const account = await VisitorAccount.accountOf(shop, c, clientAddressHeader);
  if (account.kind === 'limited') return 'limited';
  return { token: account.visitor.access.token, headers: account.headers };
}
