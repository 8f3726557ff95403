import { type Handler, Hono } from 'hono';
import type { CatalogContext } from '../../catalog/catalog-context.ts';
import type { IdentityContext } from '../../identity/identity-context.ts';
import * as SellerSession from '../../identity/seller-session.ts';
import type { SellerContext } from '../../journeys/seller-context.ts';
import { english } from '../../text/texts.ts';
import type { AdminGuard } from '../api/admin-guard.ts';
import * as Fault from '../fault.ts';
import * as BrowserSession from '../pages/browser-session.ts';
import * as Cookies from '../pages/cookies.ts';
import * as Frame from '../pages/frame.ts';
import { type Call, type Env, requestId, send } from '../request-context.ts';
import * as ConsoleFrame from './pages/frame.ts';
import * as LoginPage from './pages/login-page.ts';

/** A page of the console, or another response such as a redirect. */
export type ConsoleResponse = { title: string; main: Frame.Html; status?: number } | Response;
type Show = (c: Call) => Promise<ConsoleResponse>;
/** Performs a form's action; `who` is for the audit log. */
type Act = (c: Call, form: URLSearchParams, who: string) => Promise<ConsoleResponse>;

/**
 * Registers the pages and actions of the seller's console. Visitors who are not signed in get the login page instead; forms from other
 * sites are rejected (CSRF); errors are shown as a page.
 */
export type Console = {
  /** Adds a page with an entry in the navigation, which lists sections in the order of the calls. Paths are below `/admin/console/`. */
  addSection(name: string, path: string, show: Show): void;
  addPage(path: string, show: Show): void;
  /** Adds the action of a form that is sent to `path`; the action returns the page that reports its outcome. */
  addAction(path: string, act: Act): void;
};

/** The dependencies of the login and of the frame of all pages. */
export type ConsoleSessionContext = Pick<CatalogContext, 'catalog' | 'publicUrl'> &
  Pick<IdentityContext, 'clock'> &
  Pick<SellerContext, 'audit' | 'console'>;

const session: Cookies.Cookie = {
  name: 'sluice_seller',
  maxAgeSeconds: SellerSession.lifeSeconds,
  sameSite: 'Strict',
};
const signInPath = '/admin/console/sign-in';
const signOutPath = '/admin/console/sign-out';

/** Creates an empty console with its login page. `report` logs unexpected errors. */
export function createConsole(
  shop: ConsoleSessionContext,
  guard: AdminGuard,
  report: (fault: unknown, requestId: string) => void,
): { console: Console; app: Hono<Env> } {
  const app = new Hono<Env>();
  const sections: ConsoleFrame.Section[] = [];
  const { storefront } = shop.catalog;

  const respond = (at: string | null, shown: ConsoleResponse): Response => {
    if (shown instanceof Response) return shown;
    const { status = 200, ...page } = shown;
    const layout = ConsoleFrame.layout(storefront.name, sections, at);
    return Frame.respondWithPage(status, { catalog: shop.catalog, texts: english }, { ...page, layout });
  };
  const login = (status: number, to: string, problem: string | null) =>
    respond(null, { status, title: 'Sign in', main: LoginPage.login(to, problem) });
  const isSignedIn = (c: Call) =>
    SellerSession.isGood(
      Cookies.readCookie(shop, session, c) ?? '',
      shop.console.secret,
      guard.tokenDigest,
      shop.clock(),
    );

  const signedIn =
    (work: Show): Handler<Env> =>
    async (c) => {
      const slow = guard.slowed(c);
      if (slow !== null) return send(c, slow);
      const isForm = c.req.method === 'POST';
      const problem = isForm
        ? 'Your session has expired and nothing was changed. Sign in and try again.'
        : null;
      if (!isSignedIn(c)) return login(401, c.req.path, problem);
      try {
        return respond(c.req.path, await work(c));
      } catch (fault) {
        if (fault instanceof BrowserSession.RefusedForm) throw fault;
        report(fault, requestId(c));
        const { status, body } = Fault.faultReply(english, fault, requestId(c));
        const main = LoginPage.problem('Something went wrong', `${body.message} (${requestId(c)})`);
        return respond(c.req.path, { status, title: 'Something went wrong', main });
      }
    };
  const addPage: Console['addPage'] = (path, show) => void app.get(path, signedIn(show));

  app.use(
    '/admin/console/*',
    BrowserSession.guard({ publicUrl: shop.publicUrl, catalog: shop.catalog, texts: english }),
  );
  // Addresses that a person reaches by a reload or by typing them.
  for (const path of [`${ConsoleFrame.front}/`, '/admin/console', signInPath, signOutPath])
    app.get(path, () => redirect(ConsoleFrame.front));

  app.post(signInPath, async (c) => {
    const slow = guard.slowed(c);
    if (slow !== null) return send(c, slow);
    const form = await BrowserSession.fields(c);
    const to = consolePath(form.get('to'));
    if (!guard.opens(form.get('token')?.trim() ?? ''))
      return login(401, to, 'That admin token is wrong. Check the setting ADMIN_TOKEN.');
    const entry = await shop.audit.open(guard.who(c), 'signed_in', 'console', {});
    await shop.audit.close(entry, { hours: SellerSession.lifeSeconds / 3_600 });
    const proof = SellerSession.issue(shop.console.secret, guard.tokenDigest, shop.clock());
    return redirect(to, Cookies.setCookie(shop, session, proof));
  });
  app.post(signOutPath, () => redirect(ConsoleFrame.front, Cookies.eraseCookie(shop, session)));

  return {
    app,
    console: {
      addSection(name, path, show) {
        sections.push({ name, path });
        addPage(path, show);
      },
      addPage,
      addAction: (path, act) =>
        void app.post(
          path,
          signedIn(async (c) => act(c, await BrowserSession.fields(c), guard.who(c))),
        ),
    },
  };
}

/** Returns `to` when it is a path of the console, otherwise the front page: prevents an open redirect. */
function consolePath(to: string | null): string {
  return to !== null && /^\/admin(\/console\/[\w/.:-]{1,200})?$/.test(to) ? to : ConsoleFrame.front;
}

function redirect(location: string, setCookie?: string): Response {
  const headers = { location, 'cache-control': 'no-store', ...(setCookie && { 'set-cookie': setCookie }) };
  return new Response(null, { status: 303, headers });
}
