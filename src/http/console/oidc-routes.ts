import { id } from '@sluice/kernel/id';
import type { Hono } from 'hono';
import type { Oidc, OidcPerson } from '../../identity/operators/oidc.ts';
import type { Operator } from '../../identity/operators/operator.ts';
import type { AdminGuard } from '../api/admin-guard.ts';
import * as BrowserSession from '../pages/browser-session.ts';
import * as Cookies from '../pages/cookies.ts';
import type { Call, Env } from '../request-context.ts';
import { consolePath } from './console-path.ts';
import * as ConsoleFrame from './pages/frame.ts';
import * as LoginPage from './pages/login-page.ts';
import type { ConsoleResponse } from './response.ts';
import * as Sessions from './sessions.ts';

const base = '/admin/console/oidc';
/** `Lax`, because the browser comes back from another site. Lasts as long as a sign-in at the provider may take. */
const attemptCookie: Cookies.Cookie = { name: 'sluice_oidc', maxAgeSeconds: 600, sameSite: 'Lax' };
const attemptForm = /^([\w-]{16,200})\.([\w-]{16,200})\.([\w-]{43,128})\.([\w-]{1,3000})$/;

type Parts = {
  guard: AdminGuard;
  login: (c: Call, status: number, to: string, problem: string | null) => Promise<Response>;
  respond: (shown: ConsoleResponse) => Response;
  limited: (work: (c: Call) => Promise<Response>) => (c: Call) => Promise<Response>;
};

/** Adds the sign-in with an OpenID Connect provider. */
export function addOidc(
  app: Hono<Env>,
  shop: Sessions.ConsoleSessionContext,
  oidc: Oidc,
  { guard, login, respond, limited }: Parts,
): void {
  const failed = (c: Call, problem: string, to = ConsoleFrame.front) => login(c, 401, to, problem);

  app.post(
    `${base}/start`,
    limited(async (c) => {
      const to = consolePath((await BrowserSession.fields(c)).get('to'));
      const attempt = await oidc.start().catch(() => null);
      if (attempt === null)
        return failed(c, 'The sign-in provider cannot be reached. Try again, or sign in another way.', to);
      const { address, state, nonce, verifier } = attempt;
      const way = Buffer.from(to).toString('base64url');
      const cookie = Cookies.setCookie(shop, attemptCookie, `${state}.${nonce}.${verifier}.${way}`);
      // A redirect of the form would be subject to `form-action`, which allows no other site.
      return respond({
        title: 'Sign in',
        main: LoginPage.leave(address),
        cookies: [cookie],
        refresh: address,
      });
    }),
  );
  app.get(
    `${base}/callback`,
    limited(async (c) => {
      const [, state, nonce, verifier, way = ''] =
        attemptForm.exec(Cookies.readCookie(shop, attemptCookie, c) ?? '') ?? [];
      if (state === undefined || nonce === undefined || verifier === undefined)
        return failed(c, 'This sign-in has expired or began in another browser. Try again.');
      const to = consolePath(Buffer.from(way, 'base64url').toString());
      const person = await oidc.finish(new URL(c.req.url), { state, nonce, verifier }).catch(() => null);
      if (person === null) return failed(c, 'The provider did not confirm this sign-in. Try again.', to);
      const found = await operatorOf(
        shop,
        person,
        Sessions.whoOf(guard, c, person.email ?? 'single sign-on'),
      );
      if (typeof found === 'string') return failed(c, found, to);
      const cookies = [
        ...(await Sessions.start(shop, guard, c, found)),
        Cookies.eraseCookie(shop, attemptCookie),
      ];
      // Not a redirect: the request came from another site, so the browser would follow it without the `Strict` cookie.
      const main = LoginPage.arrived(to);
      return respond({ title: 'Signed in', main, cookies, refresh: to });
    }),
  );
}

/** Finds the operator of a person whom the provider has identified, or says why there is none. */
async function operatorOf(
  { operators }: Sessions.ConsoleSessionContext,
  { subject, email, name, role }: OidcPerson,
  who: string,
): Promise<Operator | string> {
  if (role !== null && email !== null) {
    const draft = { id: id('opr'), subject, email, name: name || email, role };
    const provisioned = await operators.provision(draft, who);
    if (provisioned === 'last_owner')
      return 'The provider no longer names you an owner, but you are the last one. Make another person an owner first.';
    if (provisioned === null) return 'This address belongs to another person of the provider.';
    return provisioned;
  }
  const found = await operators.findByOidc(subject, email, who);
  if (found !== null) return found;
  return email === null
    ? 'The provider has not verified your address. Verify it there, and sign in again.'
    : `No invitation for ${email}. Ask an owner to invite you, or sign out at the provider and use another account.`;
}
