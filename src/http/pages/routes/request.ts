import { id as newId } from '@sluice/kernel/id';
import { jsonFault } from '@sluice/kernel/json-fault';
import * as Money from '@sluice/kernel/money';
import { Hono } from 'hono';
import type * as Match from '../../../catalog/match.ts';
import { covers } from '../../../catalog/plan.ts';
import type { IdentityContext, RegistrationContext } from '../../../identity/identity-context.ts';
import type { CallerContext } from '../../../journeys/identification.ts';
import { identify } from '../../../journeys/identification.ts';
import type { PaidCallContext } from '../../../journeys/paid-call-context.ts';
import type * as Registering from '../../../journeys/registration.ts';
import type { LedgerContext } from '../../../ledger/ledger-context.ts';
import * as Statement from '../../../ledger/statement.ts';
import { noMoreAccounts } from '../../fault-page.ts';
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
  Pick<RegistrationContext, 'clientDocuments'> &
  Pick<LedgerContext, 'statements'>;
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
    const { isSignedIn, ...held } = await visitorOf(shop, page, c);
    return respond(200, page, Page.emptyForm(write, page, newId('try'), isSignedIn ? held : null));
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
      ...{ isBodyFaulty: false, isChecked: false },
      ...{ isSignedIn: false, ...Page.nothingHeld },
    };
    const kept = form.apiKey === '' ? Frame.keptForBack : {};
    if (form.body.trim() !== '' && jsonFault(form.body) !== null)
      return respond(422, page, { ...form, isBodyFaulty: true, ...(await visitorOf(shop, page, c)) }, kept);
    if (fields.has('fill'))
      return respond(200, page, { ...form, isChecked: true, ...(await visitorOf(shop, page, c)) }, kept);
    const known = await credentialOf(shop, c, form.apiKey, clientAddressHeader);
    if (known === 'limited') return noMoreAccounts(shop, c);
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
    const held = await heldBy(shop, page, known.account);
    const own = { outcome, isSignedIn: form.apiKey === '', ...held };
    return respond(200, page, { ...form, ...own }, { ...kept, ...known.headers });
  });
  return app;
}

function pathOf(c: Call): string {
  const [slug = '', operation] = [c.req.param('slug'), c.req.param('operation')];
  return `${home}/${slug}${operation === undefined ? '' : `/${operation}`}`;
}

/** The account of the browser, and what its plans include for the operation. */
async function visitorOf(
  shop: RequestContext,
  page: OperationPage,
  c: Call,
): Promise<Pick<Page.RequestForm, 'isSignedIn'> & Page.Held> {
  const visitor = await BrowserSession.readSession(shop, c);
  return { isSignedIn: visitor !== null, ...(await heldBy(shop, page, visitor?.account ?? null)) };
}

/** Returns the included units and dollars of an account that pay for calls of an operation. */
async function heldBy(
  { statements, clock, catalog }: RequestContext,
  { sold }: OperationPage,
  account: string | null,
): Promise<Page.Held> {
  if (account === null || sold === null) return Page.nothingHeld;
  const plans = [...catalog.plans, ...catalog.retired].filter((plan) => covers(plan, sold.service));
  const lots = (await statements.of(account)).filter((lot) => plans.some(({ id }) => id === lot.plan));
  const nowMs = clock();
  const usd = Money.ofMicro(Statement.includedUsd(lots, nowMs) ?? 0);
  return { left: Statement.remaining(lots, 'unit', nowMs), usd };
}

/** `account`: of the browser; null for a key that was pasted. */
type Credential = { token: string; account: string | null; headers: Readonly<Record<string, string>> };

/** The key that was pasted, if it is valid; without one, the token of the visitor's account, which is opened where there is none. */
async function credentialOf(
  shop: CallerContext & Registering.RegisterContext & IdentityContext,
  c: Call,
  apiKey: string,
  clientAddressHeader: string | null,
): Promise<Credential | 'invalid' | 'limited'> {
  if (apiKey !== '') {
    const { kind } = await identify(shop, `Bearer ${apiKey}`, shop.clock());
    return refusedKinds.has(kind) ? 'invalid' : { token: apiKey, account: null, headers: {} };
  }
  const account = await VisitorAccount.accountOf(shop, c, clientAddressHeader);
  if (account.kind === 'limited') return 'limited';
  const { access, account: id } = account.visitor;
  return { token: access.token, account: id, headers: account.headers };
}
