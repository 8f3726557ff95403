import { type Handler, Hono } from 'hono';
import { getCookie } from 'hono/cookie';
import * as SellerSession from '../identity/seller-session.ts';
import type { Shop } from '../journeys/shop.ts';
import type { AdminGuard } from './admin-guard.ts';
import { type Call, type Env, requestId, send } from './edge.ts';
import * as Fault from './fault.ts';
import * as Door from './pages/console/door.ts';
import * as ConsoleFrame from './pages/console/frame.ts';
import * as Frame from './pages/frame.ts';
import * as Visitor from './visitor.ts';

/** What is shown: a page, or an answer of another kind. */
export type Shown = { title: string; main: Frame.Html; status?: number } | Response;
export type Show = (c: Call) => Promise<Shown>;
/** What a form does; `who` is for the audit log. */
export type Act = (c: Call, form: URLSearchParams, who: string) => Promise<Shown>;

/**
 * The seller's console, as its pages hang themselves into it. Whoever is not signed in sees the door in their place; a form from another
 * site is refused (CSRF); what goes wrong is a page too.
 */
export type Console = {
  readonly shop: Shop;
  /** A page with a place in the navigation, in the order in which they are made. Paths are below `/admin/console/`. */
  room(name: string, path: string, show: Show): void;
  page(path: string, show: Show): void;
  /** What a form that is sent to `path` does, and the page that tells of it. */
  form(path: string, act: Act): void;
};

const cookieName = 'sluice_seller';
const signInPath = '/admin/console/sign-in';
const signOutPath = '/admin/console/sign-out';

/** An empty console with its door. `report` is told of faults. */
export function open(
  shop: Shop,
  guard: AdminGuard,
  report: (fault: unknown, requestId: string) => void,
): { console: Console; app: Hono<Env> } {
  const app = new Hono<Env>();
  const rooms: ConsoleFrame.Room[] = [];
  const { storefront } = shop.catalog;

  const respond = (at: string | null, shown: Shown): Response => {
    if (shown instanceof Response) return shown;
    const { status = 200, ...page } = shown;
    const around = ConsoleFrame.around(storefront.name, rooms, at);
    return Frame.respond(status, storefront, { ...page, around });
  };
  const door = (status: number, to: string, notice: string | null) =>
    respond(null, { status, title: 'Sign in', main: Door.door(to, notice) });
  const isSignedIn = (c: Call) =>
    SellerSession.isGood(
      getCookie(c, cookieName) ?? '',
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
      const notice = isForm ? 'You were not signed in any more: nothing was done.' : null;
      if (!isSignedIn(c)) return door(401, c.req.path, notice);
      try {
        return respond(c.req.path, await work(c));
      } catch (fault) {
        report(fault, requestId(c));
        const { status, body } = Fault.reply(fault, requestId(c));
        const main = Door.told('That did not work', `${body.message} (${requestId(c)})`);
        return respond(c.req.path, { status, title: 'That did not work', main });
      }
    };
  const page: Console['page'] = (path, show) => void app.get(path, signedIn(show));

  app.use('/admin/console/*', Visitor.guard(shop));
  // Where a person comes by a reload or by hand.
  for (const path of [`${ConsoleFrame.front}/`, '/admin/console', signInPath, signOutPath])
    app.get(path, () => onward(ConsoleFrame.front));

  app.post(signInPath, async (c) => {
    const slow = guard.slowed(c);
    if (slow !== null) return send(c, slow);
    const form = await Visitor.fields(c);
    const to = inside(form.get('to'));
    if (!guard.opens(form.get('token')?.trim() ?? '')) return door(401, to, 'This is not the admin token.');
    const entry = await shop.audit.open(guard.who(c), 'signed_in', 'console', {});
    await shop.audit.close(entry, { hours: SellerSession.lifeSeconds / 3_600 });
    const proof = SellerSession.issue(shop.console.secret, guard.tokenDigest, shop.clock());
    return onward(to, cookie(shop, proof, SellerSession.lifeSeconds));
  });
  app.post(signOutPath, () => onward(ConsoleFrame.front, cookie(shop, '', 0)));

  return {
    app,
    console: {
      shop,
      room(name, path, show) {
        rooms.push({ name, path });
        page(path, show);
      },
      page,
      form: (path, act) =>
        void app.post(
          path,
          signedIn(async (c) => act(c, await Visitor.fields(c), guard.who(c))),
        ),
    },
  };
}

/** A path of the console, whatever a form says. */
function inside(to: string | null): string {
  return to !== null && /^\/admin(\/console\/[\w/.:-]{1,200})?$/.test(to) ? to : ConsoleFrame.front;
}

function onward(location: string, setCookie?: string): Response {
  const headers = { location, 'cache-control': 'no-store', ...(setCookie && { 'set-cookie': setCookie }) };
  return new Response(null, { status: 303, headers });
}

function cookie({ publicUrl }: Shop, value: string, maxAgeSeconds: number): string {
  const secure = publicUrl.startsWith('https:') ? '; Secure' : '';
  return `${cookieName}=${value}; Path=/admin; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=Strict${secure}`;
}
