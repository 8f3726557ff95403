import { type Handler, Hono } from 'hono';
import { html } from 'hono/html';
import * as Role from '../../identity/operators/role.ts';
import { english } from '../../text/texts.ts';
import type { AdminGuard } from '../api/admin-guard.ts';
import * as Fault from '../fault.ts';
import * as BrowserSession from '../pages/browser-session.ts';
import * as Frame from '../pages/frame.ts';
import { type Call, type Env, requestId, send } from '../request-context.ts';
import * as Flash from './flash.ts';
import * as EditScript from './pages/edit-script.ts';
import { copied } from './pages/figures.ts';
import * as ConsoleFrame from './pages/frame.ts';
import * as LoginPage from './pages/login-page.ts';
import * as PasskeyScript from './pages/passkey-script.ts';
import { refusedInFrame } from './refused.ts';
import type { ConsoleResponse } from './response.ts';
import { type ActionPath, actionRight, type PagePath, pageRights } from './route-rights.ts';
import * as Sessions from './sessions.ts';
import { addSignIn, redirect } from './sign-in.ts';

/** Shows a page; `flash`: the outcome of the form that redirected to it. */
type Show = (c: Call, person: Sessions.Person, flash: Flash.Flash | null) => Promise<ConsoleResponse>;
/** Performs a form's action in the name of `person`. */
type Act = (c: Call, form: URLSearchParams, person: Sessions.Person) => Promise<ConsoleResponse>;

/**
 * Registers the pages and actions of the seller's console. Visitors who are not signed in get the login page instead; persons without the
 * right of a route (route-rights.ts) are refused; forms from other sites are rejected (CSRF); errors are shown as a page.
 */
export type Console = {
  /** Adds a page with an entry in the navigation, which lists sections in the order of the calls. */
  addSection(name: string, path: PagePath, show: Show): void;
  addPage(path: PagePath, show: Show): void;
  /** Adds the action of a form that is sent to `path`. It redirects to the page that reports its outcome; only a refused form is shown at once, with its input. */
  addAction(path: ActionPath, act: Act): void;
};

const sessionEnded = 'Your session has expired and nothing was changed. Sign in and try again.';
/** A form of a person who is signed in may contain a whole catalogue of 1 MiB, with escapes. */
const formBytesMax = 4 * 1_048_576;

/** Creates an empty console with its login page. `report` logs unexpected errors. */
export function createConsole(
  shop: Sessions.ConsoleSessionContext,
  guard: AdminGuard,
  report: (fault: unknown, requestId: string) => void,
): { console: Console; app: Hono<Env> } {
  const app = new Hono<Env>();
  const sections: ConsoleFrame.Section[] = [];
  const { storefront } = shop.catalog;

  const respond = (at: string | null, person: Sessions.Person | null, shown: ConsoleResponse): Response => {
    if (shown instanceof Response) return shown;
    if ('flash' in shown) return redirected(shop, shown, person ?? 'visitor');
    const { status = 200, canCopy = false, cookies = [], ...page } = shown;
    const layout = ConsoleFrame.layout(storefront.name, sections, at, person);
    const response = Frame.respondWithPage(
      status,
      { catalog: shop.catalog, texts: english },
      { ...page, layout, more: headersOf(shown), isScripted: canCopy },
    );
    for (const cookie of cookies) response.headers.append('set-cookie', cookie);
    return response;
  };
  const inFrame = refusedInFrame((shown) => respond(null, null, shown));
  app.use(ConsoleFrame.front, inFrame);
  app.use(`${ConsoleFrame.front}/console/*`, inFrame);
  const signIn = addSignIn(app, shop, guard, (shown) => respond(null, null, shown));

  const perform = async (
    c: Call,
    person: Sessions.Person,
    right: Role.Right | ((form: URLSearchParams) => Role.Right),
    work: Act,
  ): Promise<ConsoleResponse> => {
    try {
      const form =
        c.req.method === 'POST' ? await BrowserSession.fields(c, formBytesMax) : new URLSearchParams();
      // The person could have been removed, or lost the role, while the form arrived.
      const sender = c.req.method === 'POST' ? await Sessions.personOf(shop, guard, c) : person;
      if (sender === null) return signIn.login(c, 401, addressOf(c), sessionEnded);
      const needed = typeof right === 'function' ? right(form) : right;
      return Role.can(sender.role, needed) ? await work(c, form, sender) : refusal(sender, needed);
    } catch (fault) {
      if (fault instanceof BrowserSession.RefusedForm) throw fault;
      report(fault, requestId(c));
      const { status, body } = Fault.faultReply(english, fault, requestId(c));
      const main = LoginPage.problem(
        'Something went wrong',
        html`${body.message}<br>Request id: ${copied(requestId(c))}`,
      );
      return { status, title: 'Something went wrong', main, canCopy: true };
    }
  };
  const signedIn =
    (right: Parameters<typeof perform>[2], work: Act): Handler<Env> =>
    async (c) => {
      const slow = guard.slowed(c);
      if (slow !== null) return send(c, slow);
      const person = await Sessions.personOf(shop, guard, c);
      if (person !== null) return respond(c.req.path, person, await perform(c, person, right, work));
      return signIn.login(c, 401, addressOf(c), c.req.method === 'POST' ? sessionEnded : null);
    };
  const addPage: Console['addPage'] = (path, show) =>
    void app.get(
      path,
      signedIn(pageRights[path], async (c, _, person) => {
        const flash = Flash.read(shop, { path: c.req.path, owner: person }, c);
        const shown = await show(c, person, flash);
        if (flash === null || shown instanceof Response || 'flash' in shown) return shown;
        return { ...shown, cookies: [...(shown.cookies ?? []), Flash.erase(shop)] };
      }),
    );

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
          signedIn((form) => actionRight(path, form.get('act') ?? ''), act),
        ),
    },
  };
}

/** The headers of a page that differ from those of the others. */
function headersOf({ hasScript, isEditor, refresh }: Extract<ConsoleResponse, { main: Frame.Html }>) {
  return {
    ...(hasScript && { 'content-security-policy': PasskeyScript.policy }),
    ...(isEditor && EditScript.headers),
    ...(refresh !== undefined && { refresh: `0; url=${refresh}` }),
  };
}

function redirected(
  shop: Sessions.ConsoleSessionContext,
  { to, flash }: { to: string; flash: Flash.Flash },
  owner: Sessions.Person | 'visitor',
): Response {
  return redirect(to, [Flash.set(shop, { path: to.replace(/[?#].*$/, ''), owner }, flash)]);
}

/** The path of a request with its query. A form has no query that its page would need. */
function addressOf(c: Call): string {
  return c.req.method === 'GET' ? c.req.path + new URL(c.req.url).search : c.req.path;
}

function refusal({ role }: Sessions.Person, needed: Role.Right): ConsoleResponse {
  const able = Role.rolesWith(needed).join(' or ');
  const text = html`Your role (${role}) does not allow this. It needs the role ${able}. An owner can change roles on the page <a href="/admin/console/team">Team</a>.`;
  return { status: 403, title: 'Not allowed', main: LoginPage.problem('Not allowed', text) };
}
