import { afterAll, beforeAll, test } from 'vitest';
import * as Customer from '../support/customer.ts';
import { type OidcProvider, openOidcProvider } from '../support/oidc-provider.ts';
import { at, front, openSite, type Site, token, Visitor } from './history.ts';

let provider: OidcProvider;
let site: Site;
beforeAll(async () => {
  provider = await openOidcProvider('console');
  const env = {
    ...{ CONSOLE_ADMIN_TOKEN: 'off', OIDC_ROLE_CLAIM: 'groups' },
    ...{ OIDC_ISSUER: provider.issuer, OIDC_CLIENT_ID: 'console', OIDC_CLIENT_SECRET: 'a secret' },
  };
  site = await openSite({ env });
});
afterAll(async () => {
  await site?.close();
  await provider?.close();
});

/** Lets the provider name a person, or nothing: then the browser stays on the page that leads to it. */
async function says({ page }: Visitor, claims: Record<string, unknown> | null): Promise<void> {
  await page.route(`${provider.issuer}/authorize*`, (route) => {
    if (claims === null) return route.fulfill({ status: 204 });
    const query = provider.consent(route.request().url(), { sub: String(claims.email), claims });
    const to = JSON.stringify(`${site.shop.url}${at('oidc/callback')}?${query}`);
    return route.fulfill({ contentType: 'text/html', body: `<script>location.replace(${to})</script>` });
  });
}

/** Invites a person and returns the link that is shown. */
async function invite(owner: Visitor, email: string, name: string, role: string): Promise<string> {
  await owner.open(at('team'));
  await owner.fill({ 'Email address': email, Name: name });
  await owner.page.locator('#invite-role').selectOption(role);
  await owner.press('Invite');
  return (await owner.page.locator('pre.secret').textContent()) ?? '';
}

test('the ways to sign in, and why each of them is refused', async () => {
  const first = await Visitor.at(site);
  first.group = 'console-sign-in';
  await first.see(front, 'admin token and single sign-on, before there is an owner');
  await first.unfold('Where is the token?');
  await first.shot('where the token is');
  await first.fill({ 'Admin token': 'wrong' });
  await first.press('Sign in');
  await first.shot('wrong admin token');
  for (let tries = 0; tries < 30; tries += 1)
    await Customer.call({ token: 'wrong' }, 'GET', `${site.shop.url}/admin/purchases`, undefined, {
      'x-forwarded-for': '192.0.2.1',
    });
  await first.fill({ 'Admin token': token });
  await first.press('Sign in');
  await first.shot('too many tries from one address');
  await first.leave();

  const ada = await Visitor.at(site);
  const { cdp, authenticatorId } = await ada.device();
  await ada.signIn();
  const link = await invite(ada, 'ada@lovelace.example', 'Ada Lovelace', 'owner');
  await ada.press('Sign out');
  ada.group = 'console-sign-in';
  await ada.shot('after signing out');
  ada.group = 'console-invitation';
  await ada.see(link, 'welcome of the first owner');
  await cdp.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: false });
  await ada.press('Create passkey and sign in');
  await ada.page.locator('[role=alert]:visible').first().waitFor();
  await ada.shot('the device did not confirm');
  await cdp.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: true });
  await ada.open(link);
  await ada.fill({ 'Name of this passkey': 'Work laptop' });
  await ada.press('Create passkey and sign in');
  await ada.page.getByRole('link', { name: 'Ada Lovelace (owner)' }).waitFor();
  ada.group = 'console-overview';
  await ada.shot('first sign-in of an owner');
  const late = await invite(ada, 'late@example.com', 'Late Person', 'viewer');
  await site.shop.sql`UPDATE shop.operator_invitation SET expires_at = now() - interval '1 day'`;
  await ada.press('Sign out');
  ada.group = 'console-invitation';
  await ada.see(link, 'link was used');
  await ada.see(late, 'link has expired');
  await ada.see(`${link.slice(0, -6)}abcdef`, 'link does not work');

  ada.group = 'console-sign-in';
  await ada.see(at('payments?state=refunded'), 'passkey or single sign-on');
  await cdp.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: false });
  await ada.press('Sign in with a passkey');
  await ada.page.locator('[role=alert]:visible').first().waitFor();
  await ada.shot('passkey not confirmed by the device');
  await cdp.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: true });
  await ada.open(front);
  const [copy] = (await cdp.send('WebAuthn.getCredentials', { authenticatorId })).credentials;
  await ada.press('Sign in with a passkey');
  await ada.page.getByRole('button', { name: 'Sign out' }).waitFor();
  await site.shop.sql`DELETE FROM shop.operator_session`;
  await ada.see(at('accounts'), 'session has ended');
  await cdp.send('WebAuthn.clearCredentials', { authenticatorId });
  if (copy) await cdp.send('WebAuthn.addCredential', { authenticatorId, credential: copy });
  await ada.press('Sign in with a passkey');
  await ada.page.getByText('may have been copied').waitFor();
  await ada.shot('passkey may have been copied');
  await cdp.send('WebAuthn.clearCredentials', { authenticatorId });
  const credentialId = Buffer.alloc(32, 7).toString('base64');
  if (copy)
    await cdp.send('WebAuthn.addCredential', { authenticatorId, credential: { ...copy, credentialId } });
  await ada.open(front);
  await ada.press('Sign in with a passkey');
  await ada.page.getByText('not registered here').waitFor();
  await ada.shot('passkey of a person without access');
  await ada.leave();

  const sso = await Visitor.at(site);
  sso.group = 'console-sign-in';
  await says(sso, null);
  await sso.open(front);
  await sso.page.getByRole('button', { name: 'Sign in with single sign-on' }).click();
  await sso.page.getByText('You are sent to your sign-in provider').waitFor();
  await sso.shot('on the way to the provider');
  await sso.page.unrouteAll();
  await says(sso, { email: 'stranger@example.com', email_verified: true });
  await sso.open(front);
  await sso.press('Sign in with single sign-on');
  await sso.page.getByRole('alert').waitFor();
  await sso.shot('single sign-on of a stranger');
  await sso.see(at('oidc/callback?code=old&state=old'), 'single sign-on that was not started here');
  await sso.page.unrouteAll();
  await says(sso, {
    email: 'grace@hopper.example',
    email_verified: true,
    name: 'Grace Hopper',
    groups: ['viewer'],
  });
  await sso.open(front);
  await sso.press('Sign in with single sign-on');
  await sso.page.getByRole('button', { name: 'Sign out' }).waitFor();
  sso.group = 'console-overview';
  await sso.shot('viewer in a new shop');
  await sso.leave();
});
