import { Hono } from 'hono';
import type { CatalogContext } from '../../../catalog/catalog-context.ts';
import type * as Claim from '../../../identity/claim.ts';
import * as Email from '../../../identity/email.ts';
import type { IdentityContext, RegistrationContext } from '../../../identity/identity-context.ts';
import * as SignIn from '../../../identity/sign-in.ts';
import * as Registering from '../../../journeys/registration.ts';
import * as SigningIn from '../../../journeys/signing-in.ts';
import * as Team from '../../../journeys/team.ts';
import type { TextsContext } from '../../../text/texts-context.ts';
import { deviceOf } from '../../device.ts';
import { address, type Call, type Env } from '../../request-context.ts';
import * as BrowserSession from '../browser-session.ts';
import * as Cookies from '../cookies.ts';
import * as FormResult from '../form-result.ts';
import * as Frame from '../frame.ts';
import * as ReturnTo from '../return-to.ts';
import * as Page from '../sign-in.ts';
import { whenAgain } from '../when-again.ts';

/** Identifies the browser that asked for a link. */
export const asker: Cookies.Cookie = {
  name: 'sluice_asked',
  maxAgeSeconds: SignIn.lateLinkLifeMs / 1_000,
  sameSite: 'Lax',
};

/** The mailboxes whose links a browser has opened, so that it can request further ones whatever strangers request. */
const knownTo: Cookies.Cookie = { name: 'sluice_known', maxAgeSeconds: 365 * 86_400, sameSite: 'Lax' };

/** Identifies a browser that requests a link. One that asks twice keeps its value, so that it can open either link. */
export function askingBrowser(shop: Pick<CatalogContext, 'publicUrl'>, c: Call) {
  const browser = SignIn.readBrowser(Cookies.readCookie(shop, asker, c)) ?? SignIn.newBrowser();
  return { browser, known: Cookies.readCookie(shop, knownTo, c) };
}

/** Confirms that a link was requested. */
export const sentPath = `${SigningIn.path}/sent`;

/** Signs a person in with a link sent by email, or with an identity assertion. */
export function signInPages(
  shop: IdentityContext &
    Pick<CatalogContext, 'catalog'> &
    Pick<RegistrationContext, 'claiming' | 'teamLimits'> &
    TextsContext,
  clientAddressHeader: string | null,
): Hono<Env> {
  const app = new Hono<Env>();
  const { texts } = shop;

  app.post('/shop/account/sign-in', async (c) => {
    const assertion = (await BrowserSession.fields(c)).get('assertion')?.trim() ?? '';
    const granted = await Registering.renew(shop, assertion);
    if (granted.kind !== 'granted') return respond(401, tokenRefused());
    await endReplaced(shop, c, granted.access.claims.sid);
    return enter(shop, c, BrowserSession.remembered(shop, assertion));
  });

  app.post(SigningIn.path, async (c) => {
    if (shop.claiming === null) return signedOut(501, texts.text('sign_in.no_mail'));
    const email = Email.parse((await BrowserSession.fields(c)).get('email') ?? '');
    if (email === null) return signedOut(422, texts.text('sign_in.invalid_email'));
    const from = address(c, clientAddressHeader);
    const asking = askingBrowser(shop, c);
    const asked = await SigningIn.sendSignInLink(shop, shop.claiming, { email, ...asking }, from);
    switch (asked.kind) {
      case 'limited': {
        const more = { 'retry-after': String(asked.retryAfterSeconds) };
        return signedOut(429, texts.text('sign_in.too_many_links', whenAgain(shop, asked)), more);
      }
      case 'sent': {
        const result = { text: texts.text('sign_in.sent', { email }), secret: null, isBad: false, email };
        return FormResult.redirect(shop, sentPath, result, [Cookies.setCookie(shop, asker, asking.browser)]);
      }
    }
  });

  addConfirmation(app, shop);

  app.get(SigningIn.path, async (c) => {
    if (shop.claiming === null) return signedOut(501, texts.text('sign_in.no_mail'));
    const token = c.req.query('token') ?? '';
    const look = await SigningIn.inspectLink(shop.claiming, token, Cookies.readCookie(shop, asker, c));
    return look.kind === 'gone'
      ? signedOut(410, texts.text('sign_in.link_used'))
      : openedLink(c, 200, { token, ...look, problem: null });
  });

  app.post(`${SigningIn.path}/open`, async (c) => {
    if (shop.claiming === null) return signedOut(501, texts.text('sign_in.no_mail'));
    const form = await BrowserSession.fields(c);
    const token = form.get('token') ?? '';
    const email = Email.parse(form.get('email') ?? '');
    const browser = Cookies.readCookie(shop, asker, c);
    const device = deviceOf(c.req.header('user-agent')) || null;
    const link = { token, browser, email, known: Cookies.readCookie(shop, knownTo, c), device };
    const entered = await SigningIn.enter(shop, shop.claiming, link);
    switch (entered.kind) {
      case 'gone':
        return signedOut(410, texts.text('sign_in.link_used'));
      case 'full':
        return signedOut(409, texts.text('invitation.full'));
      case 'elsewhere':
        return wrongEmail(c, token, form.get('email') ?? '', shop.claiming);
      case 'entered':
        c.get('entry').account = entered.account;
        await endReplaced(shop, c, entered.session);
        return enter(shop, c, BrowserSession.remembered(shop, entered.assertion), ...opened(shop, entered));
    }
  });
  return app;

  async function wrongEmail(c: Call, token: string, typed: string, claiming: Claim.ClaimService) {
    const joins = await SigningIn.joins(claiming, token);
    return openedLink(c, 403, {
      token,
      kind: 'elsewhere',
      joins,
      ...{ typed, problem: texts.text('sign_in.wrong_email') },
    });
  }

  async function openedLink(c: Call, status: number, link: Omit<Page.OpenedLink, 'visitor'>) {
    const visitor = (await BrowserSession.readSession(shop, c))?.account ?? null;
    return respond(status, Page.openedLink(texts, { ...link, visitor }));
  }

  function signedOut(status: number, problem: string, more: Readonly<Record<string, string>> = {}): Response {
    return respond(status, Page.signedOut(texts, shop.catalog, shop.claiming !== null, problem), more);
  }

  function tokenRefused(): Frame.Html {
    const problem = texts.text('sign_in.assertion_refused');
    return Page.signedOut(texts, shop.catalog, shop.claiming !== null, problem, true);
  }

  function respond(status: number, main: Frame.Html, more: Readonly<Record<string, string>> = {}): Response {
    return Frame.respondWithPage(status, shop, {
      ...{ title: texts.text('sign_in.submit'), main, more },
      style: Page.style,
    });
  }
}

/** Ends the session of a person that this browser had: it loses its tokens, and must not stay on the list of their browsers. */
async function endReplaced(shop: IdentityContext, c: Call, sid: string): Promise<void> {
  const before = await BrowserSession.readSession(shop, c);
  await Team.endReplaced(shop, before?.access.claims ?? null, sid);
}

/** The cookies of a browser that has opened a link. */
function opened(shop: Pick<CatalogContext, 'publicUrl'>, { known }: { known: string }): string[] {
  return [Cookies.eraseCookie(shop, asker), Cookies.setCookie(shop, knownTo, known)];
}

function addConfirmation(
  app: Hono<Env>,
  shop: Pick<CatalogContext, 'catalog' | 'publicUrl'> & TextsContext,
): void {
  const { texts } = shop;
  app.get(sentPath, (c) =>
    FormResult.respondOnce(
      shop,
      c,
      { title: texts.text('sign_in.check_email'), style: Page.style },
      ({ text, email }) => Page.sent(texts, { text, email: email ?? null }, SignIn.linkLifeMs / 60_000),
    ),
  );
}

/** Redirects to the page that the browser wanted before it signed in, or to the account page, and sets `cookies`. */
function enter(shop: Pick<CatalogContext, 'publicUrl'>, c: Call, ...cookies: readonly string[]): Response {
  const location = ReturnTo.readReturnPath(shop, c) ?? '/shop/account';
  const before = BrowserSession.assertionOf(shop, c) === null ? {} : BrowserSession.cleared;
  const headers = new Headers({ location, 'cache-control': 'no-store', ...before });
  for (const cookie of cookies) headers.append('set-cookie', cookie);
  return new Response(null, { status: 303, headers });
}
