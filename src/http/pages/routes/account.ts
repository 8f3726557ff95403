import { Hono } from 'hono';
import { html } from 'hono/html';
import { findForSale } from '../../../catalog/plan.ts';
import * as AccountJourney from '../../../journeys/account.ts';
import * as BillingPortal from '../../../journeys/billing-portal.ts';
import * as Receipts from '../../../journeys/receipts.ts';
import * as Team from '../../../journeys/team.ts';
import { ObjectUnknown } from '../../../payment/processor.ts';
import { willRenew } from '../../../payment/subscription.ts';
import { routeOf } from '../../account-rights.ts';
import * as CallsCsv from '../../api/calls-csv.ts';
import { deviceOf } from '../../device.ts';
import { type Env, record } from '../../request-context.ts';
import * as Section from '../account/frame.ts';
import { question } from '../account/question.ts';
import { closing } from '../account/settings.ts';
import * as Awaited from '../awaited-code.ts';
import * as BrowserSession from '../browser-session.ts';
import * as FormResult from '../form-result.ts';
import * as Frame from '../frame.ts';
import { isFrozenFor } from '../visitor-rights.ts';
import * as Actions from './account-actions.ts';
import * as Cancel from './account-cancel.ts';
import { confirmCode, sendCode } from './account-claim.ts';
import { ownerOfOther } from './account-facts.ts';
import { bad, badField, good, type Result, type Submission } from './account-form.ts';
import {
  type AccountPagesContext,
  page,
  refused,
  respondInSection,
  signedIn,
  type Visitor,
} from './account-page.ts';
import * as Plan from './account-plan.ts';
import * as Questions from './account-questions.ts';
import * as TeamForms from './account-team.ts';
import * as AccountUsage from './account-usage.ts';
import { startPurchase } from './buy.ts';

type Action = (shop: AccountPagesContext, submission: Submission) => Promise<Result>;

type Form = {
  act: Action;
  section: Section.Section;
  /** The field with the id that the activity of the account names; by default it names the account. */
  subject?: string;
};

/** The forms of an account, by their path below `/shop/account/`, and the section that each belongs to. */
const actions: Readonly<Record<string, Form>> = {
  keys: { act: Actions.createKey, section: 'keys' },
  'keys/end': { act: Actions.revokeKey, section: 'keys' },
  'connections/end': { act: Actions.disconnect, section: 'settings' },
  'sessions/end': { act: TeamForms.endSession, section: 'settings' },
  'sessions/end-others': { act: TeamForms.endOtherSessions, section: 'settings' },
  cancel: { act: Actions.cancel, section: 'billing', subject: 'subscription' },
  change: { act: Plan.changePlan, section: 'billing' },
  card: { act: Actions.changeCard, section: 'billing', subject: 'subscription' },
  resume: { act: Actions.resume, section: 'billing', subject: 'subscription' },
  promotion: { act: Actions.redeemCode, section: 'billing' },
  details: { act: Actions.changeDetails, section: 'billing' },
  'top-up': { act: Actions.startTopUp, section: 'billing' },
  'top-up/end': { act: Actions.endTopUp, section: 'billing' },
  refund: { act: Actions.requestRefund, section: 'billing', subject: 'purchase' },
  team: { act: TeamForms.invite, section: 'team' },
  'team/resend': { act: TeamForms.resend, section: 'team' },
  'team/withdraw': { act: TeamForms.withdraw, section: 'team' },
  'team/role': { act: TeamForms.setRole, section: 'team' },
  'team/remove': { act: TeamForms.remove, section: 'team' },
  'team/leave': { act: TeamForms.leave, section: 'team' },
  'team/transfer': { act: TeamForms.transfer, section: 'team' },
  'team/tokens': { act: TeamForms.endTokens, section: 'team' },
  claim: { act: sendCode, section: 'overview' },
  'claim/complete': { act: confirmCode, section: 'overview' },
};

/** The pages of an account and their forms: the same journeys as under `/account`, for people. */
export function accountPages(shop: AccountPagesContext, clientAddressHeader: string | null): Hono<Env> {
  const app = new Hono<Env>();
  addSections(app, shop);
  addQuestions(app, shop);
  addForms(app, shop, clientAddressHeader);
  addMoney(app, shop, clientAddressHeader);

  app.post('/shop/account/switch', (c) =>
    signedIn(shop, c, 401, async ({ access }) => {
      const account = (await BrowserSession.fields(c)).get('account') ?? '';
      const device = deviceOf(c.req.header('user-agent')) || null;
      const assertion = await Team.switchTo(shop, access.claims, account, device);
      if (assertion === null) return FormResult.redirect(shop, Section.sections.overview, null);
      const result = good(shop.texts.text('result.switched'));
      const cookies = [BrowserSession.remembered(shop, assertion)];
      return FormResult.redirect(shop, Section.sections.overview, result, cookies);
    }),
  );

  app.get('/shop/account/calls.csv', (c) =>
    signedIn(shop, c, 401, async ({ account }) => {
      const { period, selection } = AccountUsage.select(shop, c.req.query());
      if (period === null) return FormResult.redirect(shop, Section.sections.usage, null);
      return CallsCsv.respondWithCalls(shop, account, period, selection);
    }),
  );
  return app;
}

function addSections(app: Hono<Env>, shop: AccountPagesContext): void {
  for (const [section, path] of Object.entries(Section.sections) as [Section.Section, string][])
    app.get(path, (c) =>
      signedIn(shop, c, 200, async (visitor) => {
        const sent = FormResult.read(shop, c);
        const codeSentTo = c.req.query('claim') === 'new' ? null : Awaited.read(shop, c);
        const result = sent ?? (await confirmed(shop, visitor, c.req.query('paid')));
        const cookies = sent === null ? [] : [FormResult.forgotten(shop)];
        return page(shop, c, visitor, section, { result, codeSentTo, cookies });
      }),
    );
}

/** Adds the pages that ask before something ends. */
function addQuestions(app: Hono<Env>, shop: AccountPagesContext): void {
  app.get(Cancel.path, (c) =>
    signedIn(shop, c, 200, (visitor) =>
      Cancel.respondWithQuestion(shop, visitor, c.req.query('subscription') ?? ''),
    ),
  );
  app.get(Plan.path, (c) =>
    signedIn(shop, c, 200, (visitor) => Plan.respondWithQuestion(shop, visitor, c.req.query('plan') ?? '')),
  );
  app.get('/shop/account/close', (c) =>
    signedIn(shop, c, 200, async (visitor) => {
      // Only an owner decides about the account.
      if ((await ownerOfOther(shop, visitor)) !== null)
        return FormResult.redirect(shop, Section.sections.settings, null);
      const overview = await AccountJourney.overview(shop, visitor.account);
      const balance = String(overview.balance_usd);
      const renews = (await shop.subscriptions.of(visitor.account)).some(willRenew);
      const account = { account: visitor.account, balance, renews };
      const main = closing(shop.texts, account, shop.catalog.storefront.contact);
      return respondInSection(shop, visitor, 'settings', { title: shop.texts.text('settings.close'), main });
    }),
  );
  for (const path of Object.keys(Questions.fields))
    app.get(`/shop/account/${path}`, (c) =>
      signedIn(shop, c, 200, async (visitor) => {
        const asked = await Questions.questionOf(shop, visitor, path, c.req.query('id') ?? '');
        if (asked === null) return FormResult.redirect(shop, Section.sections[sectionOf(path)], null);
        const main = question(shop.texts, asked);
        return respondInSection(shop, visitor, sectionOf(path), { title: asked.title, main });
      }),
    );
}

function addForms(app: Hono<Env>, shop: AccountPagesContext, clientAddressHeader: string | null): void {
  for (const [path, { act, section, subject }] of Object.entries(actions))
    app.post(`/shop/account/${path}`, (c) =>
      signedIn(shop, c, 401, async (visitor) => {
        const form = await BrowserSession.fields(c);
        const asks = form.get('confirm') === 'yes' ? null : questionAbout(path, form);
        if (asks !== null) return FormResult.redirect(shop, asks, null);
        const { account } = visitor;
        const who = { account, key: null, member: visitor.member };
        const result = isFrozenFor(shop, c, visitor)
          ? bad(shop.texts.text('result.frozen'))
          : await act(shop, { c, visitor, account, form, clientAddressHeader }).catch(gone(shop));
        if (result.isBad) return refused(shop, c, visitor, { section, path, input: form, result });
        await record(shop, c, routeOf(c), who, subjectOf(form, subject, account), result.detail);
        return path === 'team/leave' ? left(shop, result) : done(shop, visitor, path, form, result);
      }),
    );
}

/** The result of a form about what the card processor no longer has; other faults are thrown on. */
function gone({ texts }: AccountPagesContext): (fault: unknown) => Result {
  return (fault) => {
    if (!(fault instanceof ObjectUnknown)) throw fault;
    return bad(texts.text('result.gone'));
  };
}

function refusedPortal(fault: unknown): BillingPortal.PortalResult {
  if (!(fault instanceof ObjectUnknown)) throw fault;
  return { kind: 'refused' };
}

/** Returns the id in the field of a form that its action has checked; the account for a form without one. */
function subjectOf(form: URLSearchParams, field: string | undefined, account: string): string {
  return (field === undefined ? null : form.get(field)) ?? account;
}

/** The path of the question that a form without a confirmation leads to; null when it asks none. */
function questionAbout(path: string, form: URLSearchParams): string | null {
  if (path === 'change') return Plan.questionPath(form.get('plan') ?? '');
  if (path === 'cancel') return Cancel.questionPath(form.get('subscription') ?? '');
  const field = Questions.fields[path];
  return field === undefined ? null : Questions.pathOf(path, form.get(field) ?? '');
}

/** Adds the ways to pages of the card processor. */
function addMoney(app: Hono<Env>, shop: AccountPagesContext, clientAddressHeader: string | null): void {
  const { texts } = shop;

  app.post('/shop/account/credit', (c) =>
    signedIn(shop, c, 401, async (visitor) => {
      const form = await BrowserSession.fields(c);
      const again = (result: Result) =>
        refused(shop, c, visitor, { section: 'billing', path: 'credit', input: form, result });
      const plan = findForSale(shop.catalog.plans, form.get('plan') ?? '');
      if (isFrozenFor(shop, c, visitor)) return again(bad(texts.text('result.frozen')));
      if (plan?.kind !== 'credit') return again(bad(texts.text('buy.unknown_plan')));
      const started = await startPurchase(shop, c, { plan, form, visitor, clientAddressHeader });
      if (started.kind === 'order') {
        await record(shop, c, routeOf(c), { ...visitor, key: null }, started.order);
        return FormResult.redirect(shop, started.location, null);
      }
      return again(started.kind === 'fault' ? badField(started.text, 'amount_usd') : bad(started.text));
    }),
  );

  app.get('/shop/account/portal', (c) =>
    signedIn(shop, c, 401, async (visitor) => {
      const subscription = c.req.query('subscription') ?? '';
      const back = `${shop.publicUrl}${Section.sections.billing}`;
      const opened = isFrozenFor(shop, c, visitor)
        ? { kind: 'refused' as const }
        : await BillingPortal.open(shop, visitor, subscription, back).catch(refusedPortal);
      if (opened.kind === 'page') {
        await record(shop, c, routeOf(c), { ...visitor, key: null }, subscription);
        return FormResult.redirect(shop, opened.url, null);
      }
      const result = bad(texts.text('result.no_portal'));
      return refused(shop, c, visitor, {
        section: 'billing',
        path: 'portal',
        input: new URLSearchParams(),
        result,
      });
    }),
  );
}

function sectionOf(path: string): Section.Section {
  return actions[path]?.section ?? 'overview';
}

/** Redirects to the form's section, which shows the result once: a reload of that page repeats nothing. */
async function done(
  shop: AccountPagesContext,
  visitor: Visitor,
  path: string,
  form: URLSearchParams,
  result: Result,
): Promise<Response> {
  const location = `${Section.sections[sectionOf(path)]}${path === 'claim' ? '#claim' : ''}`;
  const cookies = [await BrowserSession.prolonged(shop, visitor)];
  if (path === 'claim') cookies.push(Awaited.remembered(shop, form.get('email') ?? ''));
  if (path === 'claim/complete') cookies.push(Awaited.forgotten(shop));
  // The section of the code says that it was sent, and the page of the terms what a cardholder agrees to.
  if (path === 'claim') return FormResult.redirect(shop, location, null, cookies);
  if (path === 'card' && result.link !== undefined) return toCardPage(shop, result.link.url, cookies);
  if (path === 'top-up' && result.link !== undefined)
    return FormResult.redirect(shop, result.link.url, null, cookies);
  return FormResult.redirect(shop, location, result, cookies);
}

/** Leads to the page of the card processor. A form cannot be redirected there: the content security policy lets forms end on this site only. */
function toCardPage(shop: AccountPagesContext, url: string, cookies: readonly string[]): Response {
  const main = html`<section><h1>${shop.texts.text('result.card_page_title')}</h1><p>${shop.texts.text('result.card_page')}</p><a class="button" href="${url}">${shop.texts.text('result.card_page_link')}</a></section>`;
  const title = shop.texts.text('result.card_page_title');
  const response = Frame.respondWithPage(200, shop, { title, main, more: { refresh: `0; url=${url}` } });
  for (const cookie of cookies) response.headers.append('set-cookie', cookie);
  return response;
}

/** Redirects a person who has left the account: their session there has ended. */
function left(shop: AccountPagesContext, result: Result): Response {
  const cookies = [BrowserSession.forgotten(shop)];
  return FormResult.redirect(shop, Section.sections.overview, result, cookies, BrowserSession.cleared);
}

/** Confirms a purchase of the visitor's own account that was just paid. */
async function confirmed(
  shop: AccountPagesContext,
  { account }: Visitor,
  purchase: string | undefined,
): Promise<Result | null> {
  const receipt = purchase === undefined ? null : await Receipts.ofPurchase(shop, account, purchase);
  if (receipt === null) return null;
  const { texts } = shop;
  const text = await Plan.paidText(shop, account, receipt);
  const link = { url: receipt.url, text: texts.text('result.paid_receipt') };
  return { ...good(text), link };
}
