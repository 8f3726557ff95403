import { sha256Hex } from '@sluice/kernel/digest';
import { secret } from '@sluice/kernel/id';
import type { Hono } from 'hono';
import type { Operator } from '../../identity/operators/operator.ts';
import * as Passkey from '../../identity/operators/passkey.ts';
import { english } from '../../text/texts.ts';
import type { AdminGuard } from '../api/admin-guard.ts';
import { deviceOf } from '../device.ts';
import * as BrowserSession from '../pages/browser-session.ts';
import * as Cookies from '../pages/cookies.ts';
import { type Call, type Env, send } from '../request-context.ts';
import { consolePath } from './console-path.ts';
import * as Flash from './flash.ts';
import { addOidc } from './oidc-routes.ts';
import * as ConsoleFrame from './pages/frame.ts';
import * as LoginPage from './pages/login-page.ts';
import * as PasskeyScript from './pages/passkey-script.ts';
import { refused } from './refused.ts';
import type { ConsoleResponse } from './response.ts';
import * as Sessions from './sessions.ts';

const base = '/admin/console';
const foreignForm =
  'This form was not sent from a page of the console. Open the console and try again there.';
/** Binds the challenges of passkeys to the browser that they were issued to. */
const browserCookie: Cookies.Cookie = { name: 'sluice_passkey', maxAgeSeconds: 3_600, sameSite: 'Strict' };

type Respond = (shown: ConsoleResponse) => Response;
/** Shows the login page; `to` is the path to open afterwards, with its query. */
type Login = (c: Call, status: number, to: string, problem: string | null) => Promise<Response>;

/** The login page has the address of the page that opens after the sign-in, so its outcomes are bound to no address. */
const loginPlace = { path: 'sign-in', owner: 'visitor' } as const;
const wrongToken: Flash.Flash = {
  text: 'That admin token is wrong. See “Where is the token?” below.',
  isBad: true,
  fix: { id: 'token', name: 'Admin token' },
};

/** Returns the browser's value of the passkey cookie, or a new one with its `Set-Cookie`. */
export function browserOf(
  shop: Sessions.ConsoleSessionContext,
  c: Call,
): { browser: string; cookies: string[] } {
  const known = Cookies.readCookie(shop, browserCookie, c);
  if (known) return { browser: known, cookies: [] };
  const browser = secret('psk');
  return { browser, cookies: [Cookies.setCookie(shop, browserCookie, browser)] };
}

/** The relying party of the console's passkeys. */
export function passkeyContext(shop: Sessions.ConsoleSessionContext): Passkey.PasskeyContext {
  const { publicUrl, clock, operators } = shop;
  return { publicUrl, clock, operators, secret: shop.console.secret };
}

/** The options for a sign-in with a passkey; null while no person can have one. A member may have one before there is an owner. */
async function passkeyOptions(shop: Sessions.ConsoleSessionContext, browser: string, hasOwner: boolean) {
  const isPossible =
    Passkey.arePossible(shop.publicUrl) && (hasOwner || (await shop.operators.hasPasskeys()));
  return isPossible ? Passkey.signInOptions(passkeyContext(shop), browser) : null;
}

/** Adds the routes that work without a session: signing in and out, and invitations. */
export function addSignIn(
  app: Hono<Env>,
  shop: Sessions.ConsoleSessionContext,
  guard: AdminGuard,
  respond: Respond,
): { login: Login } {
  /** Shows the login page again with an outcome. A redirect, so that the browser's Back never sends the form again. */
  const again = (to: string, flash: Flash.Flash, cookies: readonly string[] = []) =>
    redirect(to, [...cookies, Flash.set(shop, loginPlace, flash)]);
  const login: Login = async (c, status, to, said) => {
    const { browser, cookies } = browserOf(shop, c);
    const flash = said === null ? Flash.read(shop, loginPlace, c) : null;
    const problem = said ?? (flash?.isBad ? flash.text : null);
    const isTokenWrong = flash?.fix?.id === wrongToken.fix?.id && flash !== null;
    const hasEnded = problem === null && Sessions.hadSession(shop, c);
    const notice =
      flash?.isBad === false ? flash.text : hasEnded ? 'Your session has ended. Sign in to continue.' : null;
    const hasOwner = await shop.operators.hasOwner();
    const options = await passkeyOptions(shop, browser, hasOwner);
    const main = LoginPage.login({
      ...{ to, problem, notice, isTokenWrong },
      options,
      hasOidc: shop.consoleSignIn.oidc !== null,
      acceptsToken: shop.consoleSignIn.acceptsToken || !hasOwner,
      isFirst: !hasOwner,
    });
    return respond({
      status,
      title: 'Sign in',
      main,
      hasScript: options !== null,
      cookies: [...cookies, ...(flash === null ? [] : [Flash.erase(shop)])],
    });
  };
  const limited = (work: (c: Call) => Promise<Response>) => async (c: Call) => {
    const slow = guard.slowed(c);
    return slow === null ? work(c) : send(c, slow);
  };

  app.use(
    `${base}/*`,
    BrowserSession.guard({ publicUrl: shop.publicUrl, catalog: shop.catalog, texts: english }, (status) =>
      respond(refused(status, foreignForm)),
    ),
  );
  // Addresses that a person reaches by a reload or by typing them.
  for (const path of [`${ConsoleFrame.front}/`, base, `${base}/sign-in`, `${base}/sign-out`])
    app.get(path, () => redirect(ConsoleFrame.front));
  app.get(PasskeyScript.path, () => PasskeyScript.respond());

  app.post(
    `${base}/sign-in`,
    limited(async (c) => {
      const form = await BrowserSession.fields(c);
      const to = consolePath(form.get('to'));
      if (!(await Sessions.acceptsToken(shop)))
        return login(c, 403, to, 'The admin token no longer signs in here. Use your passkey.');
      if (!guard.opens(form.get('token')?.trim() ?? '')) return again(to, wrongToken);
      return redirect(to, await Sessions.startWithToken(shop, guard, c));
    }),
  );
  app.post(
    `${base}/sign-in/passkey`,
    limited(async (c) => {
      const form = await BrowserSession.fields(c);
      const to = consolePath(form.get('to'));
      const { browser } = browserOf(shop, c);
      const found = await Passkey.signIn(passkeyContext(shop), form.get('credential') ?? '', browser);
      if (found.kind !== 'signed_in') return login(c, 401, to, await passkeyProblem(shop, guard, c, found));
      const operator = await shop.operators.find(found.passkey.operator);
      if (operator === null) return login(c, 401, to, unknownPasskey);
      return redirect(to, await Sessions.start(shop, guard, c, operator));
    }),
  );
  app.post(`${base}/sign-out`, async (c) =>
    again(ConsoleFrame.front, { text: 'You are signed out.', isBad: false }, await Sessions.end(shop, c)),
  );
  addInvitation(app, shop, guard, respond, limited);
  if (shop.consoleSignIn.oidc !== null)
    addOidc(app, shop, shop.consoleSignIn.oidc, { guard, login, respond, limited });
  return { login };
}

const unknownPasskey =
  'This passkey is not registered here, or its person was removed. Ask an owner for an invitation.';

/** Words a refused sign-in. A counter that does not rise is recorded: the passkey may have been copied. */
async function passkeyProblem(
  shop: Sessions.ConsoleSessionContext,
  guard: AdminGuard,
  c: Call,
  found: Exclude<Passkey.SignInResult, { kind: 'signed_in' }>,
): Promise<string> {
  switch (found.kind) {
    case 'unknown':
      return unknownPasskey;
    case 'refused':
      return 'This sign-in is invalid or has expired. Try again.';
    case 'cloned': {
      const entry = await shop.audit.open(guard.who(c), 'passkey_refused', found.passkey.operator, {
        passkey: found.passkey.name,
      });
      await shop.audit.close(entry, { reason: 'its signature counter did not rise' });
      return 'This passkey was refused, because it may have been copied. Sign in with another passkey and remove this one, or use “Lost your passkey?” below.';
    }
  }
}

/** Adds the page of an invitation link, on which the invited person registers a passkey. */
function addInvitation(
  app: Hono<Env>,
  shop: Sessions.ConsoleSessionContext,
  guard: AdminGuard,
  respond: Respond,
  limited: (work: (c: Call) => Promise<Response>) => (c: Call) => Promise<Response>,
): void {
  const gone = async (digest: string) => {
    const main = LoginPage.invitationGone(await shop.operators.endedInvitation(digest));
    return respond({ status: 410, title: 'Invitation', main });
  };
  const page = async (c: Call, digest: string, operator: Operator, problem: string | null) => {
    const { browser, cookies } = browserOf(shop, c);
    const options = Passkey.arePossible(shop.publicUrl)
      ? await Passkey.registrationOptions(passkeyContext(shop), operator, {
          shopName: shop.catalog.storefront.name,
          purpose: `invitation ${digest}`,
          browser,
        })
      : null;
    const hasOidc = shop.consoleSignIn.oidc !== null;
    const shown = { shop: shop.catalog.storefront.name, host: new URL(shop.publicUrl).host };
    const main = LoginPage.invitation({
      ...{ operator, options, hasOidc, problem, path: c.req.path, ...shown },
      device: deviceOf(c.req.header('user-agent')),
    });
    const status = problem === null ? 200 : 422;
    return respond({ status, title: 'Invitation', main, hasScript: options !== null, cookies });
  };
  const digestOf = (c: Call) => sha256Hex(c.req.param('token') ?? '');

  app.get(
    `${base}/invitation/:token`,
    limited(async (c) => {
      const operator = await shop.operators.invited(digestOf(c));
      return operator === null ? gone(digestOf(c)) : page(c, digestOf(c), operator, null);
    }),
  );
  app.post(
    `${base}/invitation/:token`,
    limited(async (c) => {
      const digest = digestOf(c);
      const operator = await shop.operators.invited(digest);
      if (operator === null) return gone(digest);
      const form = await BrowserSession.fields(c);
      const { browser } = browserOf(shop, c);
      const said = {
        credential: form.get('credential') ?? '',
        name: form.get('name') ?? '',
        purpose: `invitation ${digest}`,
        browser,
        invitation: digest,
      };
      const who = Sessions.whoOf(guard, c, operator.email);
      if ((await Passkey.register(passkeyContext(shop), operator, said, who)) === 'refused')
        return page(c, digest, operator, 'The passkey could not be registered. Try again.');
      return redirect(ConsoleFrame.front, await Sessions.start(shop, guard, c, operator));
    }),
  );
}

export function redirect(location: string, cookies: readonly string[] = []): Response {
  const headers = new Headers({ location, 'cache-control': 'no-store' });
  for (const cookie of cookies) headers.append('set-cookie', cookie);
  return new Response(null, { status: 303, headers });
}
