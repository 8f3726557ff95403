import { Hono } from 'hono';
import type { CatalogContext } from '../../../catalog/catalog-context.ts';
import * as Email from '../../../identity/email.ts';
import type { IdentityContext, RegistrationContext } from '../../../identity/identity-context.ts';
import * as Invitation from '../../../identity/team/invitation.ts';
import type { Membership } from '../../../identity/team/team.ts';
import * as SigningIn from '../../../journeys/signing-in.ts';
import * as Team from '../../../journeys/team.ts';
import type { TextsContext } from '../../../text/texts-context.ts';
import { deviceOf } from '../../device.ts';
import { address, type Call, type Env } from '../../request-context.ts';
import * as BrowserSession from '../browser-session.ts';
import * as CardPage from '../card.ts';
import * as Cookies from '../cookies.ts';
import * as FormResult from '../form-result.ts';
import * as Frame from '../frame.ts';
import * as Page from '../invitation.ts';
import { style } from '../sign-in.ts';
import { whenAgain } from '../when-again.ts';
import { asker, askingBrowser, sentPath } from './sign-in.ts';

type Context = IdentityContext &
  Pick<CatalogContext, 'catalog'> &
  Pick<RegistrationContext, 'claiming' | 'teamLimits'> &
  TextsContext;

/**
 * The page of an invitation. Its link is not enough to join or to decline: the person proves the invited address, by their session or with a second link that is
 * sent to that address.
 */
export function invitationPages(shop: Context, clientAddressHeader: string | null): Hono<Env> {
  const app = new Hono<Env>();
  const { texts } = shop;

  app.get(Team.invitationPath, (c) => show(c, 200, c.req.query('token') ?? '', '', null));

  app.post(`${Team.invitationPath}/accept`, async (c) => {
    const token = (await BrowserSession.fields(c)).get('token') ?? '';
    const session = (await BrowserSession.readSession(shop, c))?.access.claims ?? null;
    const joined = await Team.accept(shop, session, token, deviceOf(c.req.header('user-agent')) || null);
    if (joined.kind === 'other_address')
      return show(c, 403, token, '', texts.text('invitation.other_address'));
    if (joined.kind !== 'accepted') return message(410, texts.text(`invitation.${joined.kind}`));
    const result = { text: texts.text('invitation.joined'), secret: null, isBad: false };
    const cookies = [BrowserSession.remembered(shop, joined.assertion)];
    return FormResult.redirect(shop, '/shop/account', result, cookies);
  });

  app.post(`${Team.invitationPath}/decline`, async (c) => {
    const form = await BrowserSession.fields(c);
    const token = form.get('token') ?? '';
    const member = (await BrowserSession.readSession(shop, c))?.member ?? null;
    if (form.get('confirm') !== 'yes' && (await isInvitedBy(token, member))) {
      const title = texts.text('invitation.decline_title');
      const main = Page.declining(texts, token);
      return Frame.respondWithPage(200, shop, { title, main, style: CardPage.style });
    }
    const declined = await Team.decline(shop, member, token);
    if (declined === 'other_address')
      return show(c, 403, token, '', texts.text('invitation.decline_elsewhere'));
    return message(declined === 'declined' ? 200 : 410, texts.text(`invitation.${declined}`));
  });

  app.post(`${Team.invitationPath}/link`, async (c) => {
    const form = await BrowserSession.fields(c);
    const token = form.get('token') ?? '';
    const typed = form.get('email') ?? '';
    const email = Email.parse(typed);
    const found = await shop.team.opened(Invitation.digest(token));
    if (found === null || shop.claiming === null) return message(410, texts.text('invitation.gone'));
    if (email === null) return show(c, 422, token, typed, texts.text('sign_in.invalid_email'));
    if (email !== found.email) return show(c, 422, token, typed, texts.text('invitation.other_address'));
    const asking = askingBrowser(shop, c);
    const asked = await SigningIn.sendSignInLink(
      shop,
      shop.claiming,
      { email, ...asking, invitation: found },
      address(c, clientAddressHeader),
    );
    if (asked.kind === 'limited')
      return show(c, 429, token, typed, texts.text('sign_in.too_many_links', whenAgain(shop, asked)));
    const result = { text: texts.text('sign_in.sent', { email }), secret: null, isBad: false };
    return FormResult.redirect(shop, sentPath, result, [Cookies.setCookie(shop, asker, asking.browser)]);
  });
  return app;

  /** Returns true when the open invitation of the link was sent to the person of the session. */
  async function isInvitedBy(token: string, member: { id: string } | null): Promise<boolean> {
    const found = await shop.team.opened(Invitation.digest(token));
    return found !== null && (await Team.emailOf(shop, member)) === found.email;
  }

  async function show(c: Call, status: number, token: string, email: string, problem: string | null) {
    const found = await shop.team.opened(Invitation.digest(token));
    const visitor = await BrowserSession.readSession(shop, c);
    const member = visitor?.member ?? null;
    if (found === null) {
      const joined = await Team.joinedBy(shop, member, token);
      return joined === null
        ? message(410, texts.text('invitation.gone'))
        : alreadyIn(shop, joined, joined.account === visitor?.account);
    }
    const isInvited = (await Team.emailOf(shop, member)) === found.email;
    const invited = isInvited ? found.email : null;
    const name = shop.catalog.storefront.name;
    const main = Page.invitation(texts, { invitation: found, token, shop: name, invited, email, problem });
    return Frame.respondWithPage(status, shop, {
      title: Page.titleOf(texts, found),
      main,
      style: style + Page.style,
    });
  }

  function message(status: number, text: string): Response {
    const title = texts.text(status === 200 ? 'invitation.declined_title' : 'invitation.gone_title');
    const main = Page.message(texts, title, text, status !== 200);
    return Frame.respondWithPage(status, shop, { title, main, style });
  }
}

/** The link was opened again by the person who has joined with it. */
function alreadyIn(shop: Context, joined: Membership, isHere: boolean): Response {
  const title = shop.texts.text('invitation.joined_title');
  const main = Page.alreadyIn(shop.texts, joined, isHere);
  return Frame.respondWithPage(200, shop, { title, main, style: CardPage.style });
}
