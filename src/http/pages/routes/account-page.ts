import { html } from 'hono/html';
import { nameOf as nameOfPlan } from '../../../catalog/plan-name.ts';
import type { IdentityContext, RegistrationContext } from '../../../identity/identity-context.ts';
import type { AccountAction } from '../../../identity/permission.ts';
import type { Membership } from '../../../identity/team/team.ts';
import type * as OAuth from '../../../journeys/oauth.ts';
import type { SellerContext } from '../../../journeys/seller-context.ts';
import * as Team from '../../../journeys/team.ts';
import type { CheckoutContext } from '../../../payment/payment-context.ts';
import { outlook } from '../../../payment/subscription.ts';
import { actionOf, routeOf } from '../../account-rights.ts';
import { error } from '../../reply.ts';
import { type Call, requestId } from '../../request-context.ts';
import { billing } from '../account/billing.ts';
import * as Section from '../account/frame.ts';
import { keys } from '../account/keys.ts';
import { type OverviewFacts, overview } from '../account/overview.ts';
import { settings } from '../account/settings.ts';
import { style } from '../account/style.ts';
import * as TeamPage from '../account/team.ts';
import { usage } from '../account/usage.ts';
import * as Awaited from '../awaited-code.ts';
import * as BrowserSession from '../browser-session.ts';
import * as Frame from '../frame.ts';
import { say } from '../say.ts';
import * as SignInPage from '../sign-in.ts';
import { may, roleDenial } from '../visitor-rights.ts';
import * as Facts from './account-facts.ts';
import type { Result } from './account-form.ts';
import { readTeam } from './account-team.ts';
import * as AccountUsage from './account-usage.ts';

/** The dependencies of the pages and their forms. Each form takes only its own part. */
export type AccountPagesContext = Facts.AccountPageContext &
  CheckoutContext &
  IdentityContext &
  OAuth.OAuthContext &
  Pick<RegistrationContext, 'teamLimits' | 'workSecret'> &
  Pick<SellerContext, 'promotions'>;
export type Visitor = BrowserSession.BrowserSession;

/** Responds to a signed-in visitor who may do what the route does (account-rights.ts); visitors without a session get the sign-in page with `status`. */
export async function signedIn(
  shop: AccountPagesContext,
  c: Call,
  status: 200 | 401,
  respond: (visitor: Visitor) => Response | Promise<Response>,
): Promise<Response> {
  const visitor = await BrowserSession.readSession(shop, c);
  if (visitor !== null) {
    const action = actionOf(routeOf(c));
    const denied = roleDenial(shop, visitor, action);
    c.set('refusedMeanwhile', async () => {
      const again = await BrowserSession.readSession(shop, c);
      const message = again === null ? shop.texts.text('result.no_session') : roleDenial(shop, again, action);
      return message === null ? null : error(403, 'role_not_allowed', message, requestId(c));
    });
    return denied === null ? respond(visitor) : forbidden(shop, c, visitor, denied);
  }
  const ended = BrowserSession.assertionOf(shop, c) === null ? null : shop.texts.text('result.session_ended');
  const problem = status === 200 ? ended : shop.texts.text('result.no_session');
  const more = ended === null ? {} : BrowserSession.cleared;
  const main = SignInPage.signedOut(shop.texts, shop.catalog, shop.claiming !== null, problem);
  return Frame.respondWithPage(status, shop, {
    ...{ title: shop.texts.text('sign_in.submit'), main, more },
    style: SignInPage.style,
    layout: Frame.shopLayout(shop, 'account'),
  });
}

/** Responds to a person whose role does not include the section, or the form: the other sections and their other accounts stay reachable. */
async function forbidden(
  shop: AccountPagesContext,
  c: Call,
  visitor: Visitor,
  denied: string,
): Promise<Response> {
  const { texts } = shop;
  const asked = (Object.keys(Section.sections) as Section.Section[]).find(
    (section) => Section.sections[section] === c.req.path,
  );
  const title = asked === undefined ? texts.text('error.forbidden') : Section.titleOf(texts, asked);
  const main = html`<h1>${title}</h1>
<section><p class="note" role="alert">${denied}</p><div class="actions"><a class="button plain" href="${Section.sections.team}">${say(texts, 'account.team')}</a><a class="button plain" href="${Section.sections.overview}">${say(texts, 'paid.to_account')}</a></div></section>`;
  return respondInSection(shop, visitor, null, { title, main, status: 403 });
}

/** Responds with a page of a section that is not the section itself, such as a question: below the links to the sections and to other accounts. */
export async function respondInSection(
  shop: Frame.PageContext & Pick<IdentityContext, 'team'>,
  visitor: Pick<Visitor, 'account' | 'member'>,
  section: Section.Section | null,
  { title, main, status = 200 }: { title: string; main: Frame.Html; status?: number },
): Promise<Response> {
  const memberships = await Team.membershipsOf(shop, visitor.member);
  const switcher = Section.switcher(shop.texts, memberships, visitor.account);
  const layout = Frame.shopLayout(shop, 'account');
  return Frame.respondWithPage(status, shop, {
    title,
    main: html`${Section.navigation(shop.texts, section, sectionsOf(visitor))}${main}`,
    layout: { ...layout, header: html`${layout.header}${switcher}` },
    style,
  });
}

/** The sections that a visitor may see. */
function sectionsOf(visitor: Pick<Visitor, 'member'>): Section.Section[] {
  return (Object.keys(Section.sections) as Section.Section[]).filter(
    (section) => section === 'team' || may(visitor, sectionActions[section]),
  );
}

const sectionActions = {
  overview: 'read',
  usage: 'read',
  keys: 'read_keys',
  billing: 'read_billing',
  settings: 'read',
} as const satisfies Record<Exclude<Section.Section, 'team'>, AccountAction>;

/** A form that was refused: the section that has it, its path below `/shop/account/`, and what was typed. */
type Refused = { section: Section.Section; path: string; input: URLSearchParams; result: Result };

/** Shows the section of a refused form again, with what was typed and its faults. */
export function refused(
  shop: AccountPagesContext,
  c: Call,
  visitor: Visitor,
  { section, path, input, result }: Refused,
): Promise<Response> {
  const shown = { ...result, refused: { path, input, faults: result.faults ?? [] } };
  return page(shop, c, visitor, section, { result: shown, codeSentTo: Awaited.read(shop, c) });
}

type Shown = { result: Result | null; codeSentTo: string | null; cookies?: readonly string[] };

/** Responds with a section of the account. */
export async function page(
  shop: AccountPagesContext,
  c: Call,
  visitor: Visitor,
  section: Section.Section,
  { result, codeSentTo, cookies = [] }: Shown,
): Promise<Response> {
  c.get('entry').account = visitor.account;
  const [content, memberships] = await Promise.all([
    contentOf(shop, c, visitor, section, { result, codeSentTo }),
    Team.membershipsOf(shop, visitor.member),
  ]);
  const heading =
    section === 'overview' ? await nameOf(shop, visitor, memberships) : Section.titleOf(shop.texts, section);
  const noted = html`${result?.isBad ? '' : await frozenNote(shop, visitor)}${content}`;
  const main = Section.inSection(shop.texts, section, result, noted, sectionsOf(visitor), heading);
  const layout = Frame.shopLayout(shop, 'account');
  const switcher = Section.switcher(shop.texts, memberships, visitor.account);
  const response = Frame.respondWithPage(result?.isBad ? 422 : 200, shop, {
    title: Section.titleOf(shop.texts, section),
    main,
    layout: { ...layout, header: html`${layout.header}${switcher}` },
    style,
    isScripted: true,
    more: { 'set-cookie': await BrowserSession.prolonged(shop, visitor) },
  });
  for (const cookie of cookies) response.headers.append('set-cookie', cookie);
  return response;
}

/** Says that the seller has frozen the account. Its plans keep renewing, which the person can stop. */
async function frozenNote(
  { tokenVerifier, texts, catalog, subscriptions }: AccountPagesContext,
  visitor: Visitor,
): Promise<Frame.Html> {
  if (!tokenVerifier.frozen.has(visitor.account)) return html``;
  const link = html`<a href="${Frame.contactUrl(catalog.storefront.contact)}">${say(texts, 'account.frozen_link')}</a>`;
  const name = texts.text('account.billing');
  const billing = may(visitor, 'end_charges')
    ? html`<a href="${Section.sections.billing}#plans">${name}</a>`
    : name;
  const renewing = (await subscriptions.of(visitor.account)).filter((one) => outlook(one) === 'renews');
  const renews = renewing.map(
    ({ plan, endMs }) =>
      html` ${say(texts, 'account.frozen_renews', { plan: nameOfPlan(catalog, plan), day: texts.day(endMs), billing })}`,
  );
  return html`<p class="note" role="alert">${say(texts, 'account.frozen', { link })}${renews}</p>`;
}

/** The name of an account: the address of its owner, marked as that of another person. */
async function nameOf(
  { accounts, texts }: Pick<AccountPagesContext, 'accounts' | 'texts'>,
  { account }: Visitor,
  memberships: readonly Membership[],
): Promise<string> {
  const found = memberships.find((one) => one.account === account);
  if (found !== undefined && !found.isOwn) return texts.text('switch.of', { email: found.owner });
  return found?.owner ?? (await accounts.find(account))?.email ?? texts.text('account.unsaved');
}

async function contentOf(
  shop: AccountPagesContext,
  c: Call,
  visitor: Visitor,
  section: Section.Section,
  shown: Pick<Shown, 'result' | 'codeSentTo'>,
): Promise<Frame.Html> {
  const { texts, catalog } = shop;
  const { account, member } = visitor;
  const isFrozen = shop.tokenVerifier.frozen.has(account);
  switch (section) {
    case 'overview':
      return html`${await memberNote(shop, visitor)}${overview(texts, await overviewFacts(shop, visitor, shown), catalog)}`;
    case 'usage':
      return usage(texts, await AccountUsage.readUsage(shop, visitor, c.req.query()), catalog);
    case 'keys':
      return keys(texts, {
        ...(await Facts.readKeys(shop, visitor, c.req.query('page'))),
        result: shown.result,
      });
    case 'billing': {
      const facts = await Facts.readBilling(shop, visitor, c.req.query('before') ?? null);
      const mayChange = may(visitor, 'change_billing');
      const refundOf = c.req.query('refund') ?? null;
      return billing(texts, { ...facts, isFrozen, mayChange, refundOf, result: shown.result }, catalog);
    }
    case 'team': {
      if (member === null || !may(visitor, 'read_team'))
        return TeamPage.noPerson(texts, (await shop.accounts.find(account))?.claimedMs != null);
      return TeamPage.team(texts, {
        ...(await readTeam(shop, account, member, c.req.query('older'))),
        session: visitor.access.claims.sid,
        result: shown.result,
      });
    }
    case 'settings':
      return settings(texts, await Facts.readSettings(shop, visitor));
  }
}

/** Says as whom a person uses the account of another one. */
async function memberNote(
  shop: Pick<AccountPagesContext, 'team' | 'texts'>,
  { account, member }: Visitor,
): Promise<Frame.Html> {
  const email = await Team.emailOf(shop, member);
  const own = (await Team.membershipsOf(shop, member)).find((one) => one.account === account);
  if (email === null || member === null || own === undefined || own.owner === email) return html``;
  const role = shop.texts.text(`role.${member.role}`);
  return html`<p class="soft">${say(shop.texts, 'account.you_are', { email, role })}</p>`;
}

async function overviewFacts(
  shop: AccountPagesContext,
  visitor: Visitor,
  shown: Pick<Shown, 'result' | 'codeSentTo'>,
): Promise<OverviewFacts> {
  const isFrozen = shop.tokenVerifier.frozen.has(visitor.account);
  const allowed = {
    billing: may(visitor, 'change_billing') && !isFrozen,
    manage: may(visitor, 'end_charges'),
    keys: may(visitor, 'change_keys') && !isFrozen,
  };
  return { ...(await Facts.readOverview(shop, visitor)), isFrozen, may: allowed, ...shown };
}
