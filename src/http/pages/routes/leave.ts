import { Hono } from 'hono';
import type { IdentityContext } from '../../../identity/identity-context.ts';
import * as AccountJourney from '../../../journeys/account.ts';
import * as Registering from '../../../journeys/registration.ts';
import type { Call, Env } from '../../request-context.ts';
import * as BrowserSession from '../browser-session.ts';
import * as FormResult from '../form-result.ts';
import * as LeavePage from '../leave.ts';
import * as SignInPage from '../sign-in.ts';
import { respondInSection } from './account-page.ts';

type LeaveContext = AccountJourney.AccountContext &
  Registering.RegisterContext &
  IdentityContext &
  Parameters<typeof Registering.revoke>[0] &
  Parameters<typeof respondInSection>[0];

/** The pages that sign a browser out. */
export function leavePages(shop: LeaveContext): Hono<Env> {
  const app = new Hono<Env>();

  app.get('/shop/leave', async (c) => {
    const visitor = await BrowserSession.readSession(shop, c);
    const lost = await losses(shop, c);
    if (visitor === null || lost === null)
      return new Response(null, { status: 303, headers: { location: '/shop/account' } });
    const main = LeavePage.leave(shop.texts, lost);
    return respondInSection(shop, visitor, 'settings', { title: shop.texts.text('leave.title'), main });
  });

  app.post('/shop/leave', async (c) => {
    const form = await BrowserSession.fields(c);
    const lost = await losses(shop, c);
    if (form.get('confirm') !== 'yes' && lost !== null)
      return new Response(null, { status: 303, headers: { location: '/shop/leave' } });
    const assertion = BrowserSession.assertionOf(shop, c);
    if (assertion !== null)
      await Registering.revoke(shop, new URLSearchParams({ token: assertion }).toString());
    const text = shop.texts.text(lost === null ? 'leave.signed_out' : 'leave.done');
    const result = { text, secret: null, isBad: false };
    const cookies = [BrowserSession.forgotten(shop)];
    return FormResult.redirect(shop, '/shop/left', result, cookies, BrowserSession.cleared);
  });

  app.get('/shop/left', (c) =>
    FormResult.respondOnce(
      shop,
      c,
      { title: shop.texts.text('sign_in.submit'), style: SignInPage.style },
      ({ text }) => LeavePage.left(shop.texts, text),
    ),
  );
  return app;
}

/** Returns the losses of leaving an account that no email address can sign in to later; null for a claimed account, and for a visitor without one. */
async function losses(
  shop: AccountJourney.AccountContext & IdentityContext,
  c: Call,
): Promise<LeavePage.Losses | null> {
  const visitor = await BrowserSession.readSession(shop, c);
  if (visitor === null) return null;
  const { claimed, balance_usd, subscriptions } = await AccountJourney.overview(shop, visitor.account);
  const renews = (subscriptions as readonly { renews: boolean }[]).some((one) => one.renews);
  return claimed === true ? null : { balance: String(balance_usd), renews };
}
