import type { Browser, CDPSession, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as Upstream from '../proxy/scripted-upstream.ts';
import * as Agent from '../purchase/agent.ts';
import { launch, look, type Screen, screens } from '../support/chromium.ts';
import * as Shop from '../support/shop.ts';

const token = 'adm_of_the_console_and_long_enough';

let upstream: Upstream.ScriptedUpstream;
let shop: Shop.Shop;
let browser: Browser;
beforeAll(async () => {
  upstream = await Upstream.scripted(({ socket }) => socket.write(Upstream.http(200, '{"count":1}')));
  const env = { ...Agent.shopEnv, ADMIN_TOKEN: token, CONSOLE_ADMIN_TOKEN: 'off' };
  [shop, browser] = await Promise.all([
    Shop.open({ upstream: { url: upstream.url, key: 'upk_1' }, catalog: 'periods.yaml', env }),
    launch(),
  ]);
});
afterAll(async () => {
  await browser?.close();
  await shop?.stop();
  await upstream?.close();
});

/** Gives a page an authenticator that confirms everything, as a phone with a fingerprint does. */
async function authenticator(page: Page): Promise<{ cdp: CDPSession; id: string }> {
  const cdp = await page.context().newCDPSession(page);
  await cdp.send('WebAuthn.enable');
  const { authenticatorId } = await cdp.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  return { cdp, id: authenticatorId };
}

describe.each(['desktop', 'phone'] satisfies Screen[])('on a %s screen', (screen) => {
  test('the first owner and an invited person register passkeys in Chromium and sign in with them', async () => {
    await shop.sql`DELETE FROM shop.operator`;
    const email = (name: string) => `${name}.${screen}@example.com`;
    // No bypass of the content security policy: the script of passkeys must run under it.
    const context = await browser.newContext(screens[screen]);
    const page = await context.newPage();
    const problems: string[] = [];
    page.on('console', (message) => message.type() === 'error' && problems.push(message.text()));
    const press = (name: string) => page.getByRole('button', { name, exact: true }).click();
    const seen = async (name: string) => {
      const shown = await browser.newContext({ ...screens[screen], bypassCSP: true });
      await shown.addCookies(await context.cookies());
      const other = await shown.newPage();
      await other.goto(page.url());
      await look(other, name, screen);
      await shown.close();
    };
    try {
      const { cdp, id } = await authenticator(page);
      await page.goto(`${shop.url}/admin/console/team`);
      await page.getByLabel('Admin token').fill(token);
      await press('Sign in');
      await page.getByText('Only the admin token has access yet').waitFor();
      const invite = async (who: string, name: string, role: string) => {
        await page.goto(`${shop.url}/admin/console/team`);
        await page.getByLabel('Email address').fill(who);
        await page.getByLabel('Name').fill(name);
        await page.getByLabel('Role', { exact: true }).selectOption(role);
        await press('Invite');
        return (await page.locator('pre.secret').textContent()) ?? '';
      };
      const link = await invite(email('ada'), 'Ada Lovelace', 'owner');
      await press('Sign out');
      await page.goto(link);
      await seen('console-invitation');
      await page.getByLabel('Name of this passkey').fill('Work laptop');
      await press('Create passkey and sign in');
      await page.getByRole('link', { name: 'Ada Lovelace (owner)' }).click();
      await page.getByText('Work laptop').first().waitFor();
      await seen('console-me');
      await press('Sign out');
      expect(await page.getByLabel('Admin token').count()).toBe(0);
      await seen('console-login-passkey');
      await press('Sign in with a passkey');
      await page.getByRole('heading', { name: 'First steps' }).waitFor();
      const { credentials } = await cdp.send('WebAuthn.getCredentials', { authenticatorId: id });
      expect(credentials).toHaveLength(1);
      const second = await invite(email('grace'), 'Grace Hopper', 'viewer');
      await page.goto(`${shop.url}/admin/console/team`);
      await seen('console-team-people');
      await press('Sign out');
      // Another person at another device.
      await cdp.send('WebAuthn.clearCredentials', { authenticatorId: id });
      await page.goto(second);
      await press('Create passkey and sign in');
      await page.getByRole('link', { name: 'Grace Hopper (viewer)' }).waitFor();
      await page.goto(`${shop.url}/admin/console/catalogue/plans`);
      await page.getByText('Your role (viewer) does not allow this').waitFor();
      await seen('console-forbidden');
      // A device whose copy of the passkey has an older counter.
      await press('Sign out');
      const [copy] = (await cdp.send('WebAuthn.getCredentials', { authenticatorId: id })).credentials;
      await press('Sign in with a passkey');
      await page.getByRole('link', { name: 'Grace Hopper (viewer)' }).waitFor();
      await press('Sign out');
      await cdp.send('WebAuthn.clearCredentials', { authenticatorId: id });
      if (copy) await cdp.send('WebAuthn.addCredential', { authenticatorId: id, credential: copy });
      await press('Sign in with a passkey');
      expect(await page.getByRole('alert').first().textContent()).toContain('may have been copied');
      expect(problems.filter((text) => /Content Security Policy/.test(text))).toEqual([]);
    } finally {
      await context.close();
    }
  });
});
