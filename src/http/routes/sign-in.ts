import { Hono } from 'hono';
import { getCookie } from 'hono/cookie';
import * as Email from '../../identity/email.ts';
import * as SignIn from '../../identity/sign-in.ts';
import * as Registering from '../../journeys/registration.ts';
import type { Shop } from '../../journeys/shop.ts';
import * as SigningIn from '../../journeys/signing-in.ts';
import { address, type Call, type Env } from '../edge.ts';
import * as Frame from '../pages/frame.ts';
import * as Page from '../pages/sign-in.ts';
import * as Visitor from '../visitor.ts';

/** Makes the browser known that asks for a link. */
const asker: Visitor.Kept = {
  name: 'sluice_asked',
  path: '/shop/account',
  maxAgeSeconds: SignIn.linkLifeMs / 1_000,
};
const title = 'Your account';
const noMail = 'This shop sends no mail.';
const used = 'This link is of no use any more: it works once, for a while. Ask for another.';

/** How a person gets in: by a link that comes by mail, or with an assertion. */
export function routes(shop: Shop, clientAddressHeader: string | null): Hono<Env> {
  const app = new Hono<Env>();

  app.post('/shop/account/sign-in', async (c) => {
    const assertion = (await Visitor.fields(c)).get('assertion')?.trim() ?? '';
    const granted = await Registering.renew(shop, assertion);
    return granted.kind === 'granted'
      ? enter(Visitor.remembered(shop, assertion))
      : door(401, `This opens nothing: ${granted.description}.`);
  });

  app.post(SigningIn.path, async (c) => {
    if (shop.claiming === null) return door(501, noMail);
    const email = Email.parse((await Visitor.fields(c)).get('email') ?? '');
    if (email === null) return door(422, 'This is no email address.');
    // One that asks twice can open either link.
    const browser = SignIn.readBrowser(getCookie(c, asker.name)) ?? SignIn.newBrowser();
    const from = address(c, clientAddressHeader);
    const asked = await SigningIn.ask(shop, shop.claiming, { email, browser }, from);
    switch (asked.kind) {
      case 'limited': {
        const more = { 'retry-after': String(asked.retryAfterSeconds) };
        return door(429, 'Enough links were sent for now. Try again later, or sign in with a token.', more);
      }
      case 'away':
        return door(503, 'The mail could not be sent; nothing has happened. Try again.');
      case 'sent':
        return respond(200, Page.sent(email, SignIn.linkLifeMs / 60_000), {
          'set-cookie': Visitor.cookie(shop, asker, browser),
        });
    }
  });

  app.get(SigningIn.path, async (c) => {
    if (shop.claiming === null) return door(501, noMail);
    const token = c.req.query('token') ?? '';
    const look = await SigningIn.look(shop.claiming, token, getCookie(c, asker.name) ?? null);
    return look === 'gone' ? door(410, used) : arrival(c, 200, token, look === 'here', null);
  });

  app.post(`${SigningIn.path}/open`, async (c) => {
    if (shop.claiming === null) return door(501, noMail);
    const form = await Visitor.fields(c);
    const token = form.get('token') ?? '';
    const email = Email.parse(form.get('email') ?? '');
    const browser = getCookie(c, asker.name) ?? null;
    const entered = await SigningIn.enter(shop, shop.claiming, { token, browser, email });
    switch (entered.kind) {
      case 'gone':
        return door(410, used);
      case 'elsewhere':
        return arrival(c, 403, token, false, 'The mail with this link was not sent to that address.');
      case 'entered':
        c.get('entry').account = entered.account;
        return enter(
          Visitor.remembered(shop, entered.assertion),
          Visitor.cookie(shop, { ...asker, maxAgeSeconds: 0 }, ''),
        );
    }
  });
  return app;

  async function arrival(c: Call, status: number, token: string, isHere: boolean, notice: string | null) {
    const visitor = (await Visitor.of(shop, c))?.account ?? null;
    return respond(status, Page.arrival({ token, isHere, visitor, notice }));
  }

  function door(status: number, notice: string, more: Readonly<Record<string, string>> = {}): Response {
    return respond(status, Page.door(shop.claiming !== null, notice), more);
  }

  function respond(status: number, main: Frame.Html, more: Readonly<Record<string, string>> = {}): Response {
    return Frame.respond(status, shop.catalog.storefront, { title, main, more });
  }
}

/** To the account, with these cookies. */
function enter(...cookies: readonly string[]): Response {
  const headers = new Headers({ location: '/shop/account', 'cache-control': 'no-store' });
  for (const cookie of cookies) headers.append('set-cookie', cookie);
  return new Response(null, { status: 303, headers });
}
