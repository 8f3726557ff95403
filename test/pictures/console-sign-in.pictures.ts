import { beforeAll, test } from 'vitest';
import * as Customer from '../support/customer.ts';
import { type OidcProvider, openOidcProvider } from '../support/oidc-provider.ts';
import { at, front, invited, openSite } from './history.ts';
import { adminToken, type Studio } from './studio.ts';
import type { Visitor } from './visitor.ts';

let provider: OidcProvider;
let site: Studio;
beforeAll(async () => {
  provider = await openOidcProvider('console');
  const env = {
    ...{ CONSOLE_ADMIN_TOKEN: 'off', OIDC_ROLE_CLAIM: 'groups' },
    ...{ OIDC_ISSUER: provider.issuer, OIDC_CLIENT_ID: 'console', OIDC_CLIENT_SECRET: 'a secret' },
  };
  site = await openSite({ env });
  return async () => {
    await site.close();
    await provider.close();
  };
});

const token = { 'Admin token': adminToken };
const byPasskey = 'Sign in with a passkey';
const bySingleSignOn = 'Sign in with single sign-on';

const signedIn = ({ page }: Visitor) => page.getByRole('button', { name: 'Sign out' }).waitFor();
const alerted = ({ page }: Visitor) => page.locator('[role=alert]:visible').first().waitFor();

test('the admin token', async () => {
  const address = '192.0.2.1';
  const first = await site.visitor('console-sign-in', front, {
    extraHTTPHeaders: { 'x-forwarded-for': address },
  });
  await first.shot('admin token and single sign-on, before there is an owner');
  await first.shot('where the token is', () => first.unfold('Where is the token?'));
  await first.submit(null, { 'Admin token': 'wrong' }, 'Sign in', 'wrong admin token');
  for (let tries = 0; tries < 30; tries += 1)
    await Customer.call({ token: 'wrong' }, 'GET', `${site.shop.url}/admin/purchases`, undefined, {
      'x-forwarded-for': address,
    });
  await first.submit(null, token, 'Sign in', 'too many tries from one address');
  await first.leave();
});

test('invitations and passkeys', async () => {
  const ada = await site.seller('console-sign-in');
  const invitation = ada.in('console-invitation');
  const { cdp, authenticatorId } = await ada.device();
  const verifies = (isUserVerified: boolean) =>
    cdp.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified });
  const link = await invited(ada, 'ada@lovelace.example', 'Ada Lovelace', 'owner');
  await ada.shot('after signing out', () => ada.press('Sign out'));
  await invitation.see(link, 'welcome of the first owner');
  await verifies(false);
  await invitation.shot('the device did not confirm', async () => {
    await ada.press('Create passkey and sign in');
    await alerted(ada);
  });
  await verifies(true);
  await ada.open(link);
  await ada.fill({ 'Name of this passkey': 'Work laptop' });
  await ada.press('Create passkey and sign in');
  await ada.page.getByRole('link', { name: 'Ada Lovelace (owner)' }).waitFor();
  await ada.in('console-overview').shot('first sign-in of an owner');
  const late = await invited(ada, 'late@example.com', 'Late Person', 'viewer');
  await site.shop.sql`UPDATE shop.operator_invitation SET expires_at = now() - interval '1 day'`;
  await ada.press('Sign out');
  await invitation.visits({
    'link was used': link,
    'link has expired': late,
    'link does not work': `${link.slice(0, -6)}abcdef`,
  });

  await ada.see(at('payments?state=refunded'), 'passkey or single sign-on');
  await verifies(false);
  await ada.shot('passkey not confirmed by the device', async () => {
    await ada.press(byPasskey);
    await alerted(ada);
  });
  await verifies(true);
  await ada.open(front);
  const [copy] = (await cdp.send('WebAuthn.getCredentials', { authenticatorId })).credentials;
  if (copy === undefined) throw new Error('The device has no passkey');
  await ada.press(byPasskey);
  await signedIn(ada);
  await site.shop.sql`DELETE FROM shop.operator_session`;
  await ada.see(at('accounts'), 'session has ended');
  const refused = async (credential: typeof copy, text: string, state: string) => {
    await cdp.send('WebAuthn.clearCredentials', { authenticatorId });
    await cdp.send('WebAuthn.addCredential', { authenticatorId, credential });
    await ada.open(front);
    await ada.shot(state, async () => {
      await ada.press(byPasskey);
      await ada.text(text);
    });
  };
  await refused(copy, 'may have been copied', 'passkey may have been copied');
  const unknown = { ...copy, credentialId: Buffer.alloc(32, 7).toString('base64') };
  await refused(unknown, 'not registered here', 'passkey of a person without access');
});

test('single sign-on', async () => {
  const sso = await site.visitor('console-sign-in');
  /** Lets the provider name a person, or nothing: then the browser stays on the page that leads to it. */
  const says = async (claims: Record<string, unknown> | null) => {
    await sso.page.unrouteAll();
    await sso.page.route(`${provider.issuer}/authorize*`, (route) => {
      if (claims === null) return route.fulfill({ status: 204 });
      const query = provider.consent(route.request().url(), { sub: String(claims.email), claims });
      const to = JSON.stringify(`${site.shop.url}${at('oidc/callback')}?${query}`);
      return route.fulfill({ contentType: 'text/html', body: `<script>location.replace(${to})</script>` });
    });
    await sso.open(front);
  };
  await says(null);
  await sso.shot('on the way to the provider', async () => {
    await sso.page.getByRole('button', { name: bySingleSignOn }).click();
    await sso.text('You are sent to your sign-in provider');
  });
  await says({ email: 'stranger@example.com', email_verified: true });
  await sso.shot('single sign-on of a stranger', async () => {
    await sso.press(bySingleSignOn);
    await alerted(sso);
  });
  await sso.see(at('oidc/callback?code=old&state=old'), 'single sign-on that was not started here');
  const grace = { email: 'grace@hopper.example', email_verified: true, name: 'Grace Hopper' };
  await says({ ...grace, groups: ['viewer'] });
  await sso.press(bySingleSignOn);
  await signedIn(sso);
  await sso.in('console-overview').shot('viewer in a new shop');
});
