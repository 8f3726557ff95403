import type { IdentityContext, RegistrationContext } from '../../../identity/identity-context.ts';
import { denial } from '../../../identity/permission.ts';
import * as AccountKeys from '../../../journeys/account-keys.ts';
import type * as OAuth from '../../../journeys/oauth.ts';
import type { SellerContext } from '../../../journeys/seller-context.ts';
import type { CheckoutContext } from '../../../payment/payment-context.ts';
import type { Call } from '../../request-context.ts';
import { billing } from '../account/billing.ts';
import * as Section from '../account/frame.ts';
import { keys } from '../account/keys.ts';
import { overview } from '../account/overview.ts';
import { settings } from '../account/settings.ts';
import { style } from '../account/style.ts';
import { usage } from '../account/usage.ts';
import * as Awaited from '../awaited-code.ts';
import * as BrowserSession from '../browser-session.ts';
import * as Frame from '../frame.ts';
import * as SignInPage from '../sign-in.ts';
import * as Facts from './account-facts.ts';
import type { Result } from './account-form.ts';
import * as AccountUsage from './account-usage.ts';

/** The dependencies of the pages and their forms. Each form takes only its own part. */
export type AccountPagesContext = Facts.AccountPageContext &
  CheckoutContext &
  IdentityContext &
  OAuth.OAuthContext &
  Pick<RegistrationContext, 'workSecret'> &
  Pick<SellerContext, 'promotions'>;
export type Visitor = BrowserSession.BrowserSession;

/** Responds to a signed-in visitor; others get the sign-in page with `status`. */
export async function signedIn(
  shop: AccountPagesContext,
  c: Call,
  status: 200 | 401,
  respond: (visitor: Visitor) => Response | Promise<Response>,
): Promise<Response> {
  const visitor = await BrowserSession.readSession(shop, c);
  if (visitor !== null) return respond(visitor);
  const problem = status === 200 ? null : shop.texts.text('result.no_session');
  const main = SignInPage.signedOut(shop.texts, shop.catalog.plans, shop.claiming !== null, problem);
  return Frame.respondWithPage(status, shop, { title: shop.texts.text('account.title'), main });
}

/** Returns true when the seller has frozen the account, so that it can do no such thing. */
export function isDenied(
  { tokenVerifier }: Pick<IdentityContext, 'tokenVerifier'>,
  account: string,
  action: 'change' | 'end_charges',
): boolean {
  return denial({ isFrozen: tokenVerifier.frozen.has(account), isKey: false }, action) !== null;
}

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
  const content = await contentOf(shop, c, visitor.account, section, { result, codeSentTo });
  const main = Section.inSection(shop.texts, section, result, content);
  const response = Frame.respondWithPage(result?.isBad ? 422 : 200, shop, {
    title: Section.titleOf(shop.texts, section),
    main,
    style,
    isScripted: true,
    more: { 'set-cookie': await BrowserSession.prolonged(shop, visitor) },
  });
  for (const cookie of cookies) response.headers.append('set-cookie', cookie);
  return response;
}

async function contentOf(
  shop: AccountPagesContext,
  c: Call,
  account: string,
  section: Section.Section,
  shown: Pick<Shown, 'result' | 'codeSentTo'>,
): Promise<Frame.Html> {
  const { texts, catalog } = shop;
  switch (section) {
    case 'overview':
      return overview(texts, { ...(await Facts.readOverview(shop, account)), ...shown }, catalog);
    case 'usage':
      return usage(texts, await AccountUsage.readUsage(shop, account, c.req.query()), catalog);
    case 'keys':
      return keys(texts, await AccountKeys.list(shop, account), shown.result);
    case 'billing': {
      const facts = await Facts.readBilling(shop, account, c.req.query('before') ?? null);
      return billing(texts, { ...facts, result: shown.result }, catalog);
    }
    case 'settings':
      return settings(texts, await Facts.readSettings(shop, account));
  }
}
