import { id } from '@sluice/kernel/id';
import { afterAll, beforeAll, expect, test } from 'vitest';
import * as Upstream from '../proxy/scripted-upstream.ts';
import * as Agent from '../purchase/agent.ts';
import { Browser } from '../support/browser.ts';
import { type OidcProvider, openOidcProvider, type Said } from '../support/oidc-provider.ts';
import * as Shop from '../support/shop.ts';

const token = 'adm_of_the_console_and_long_enough';
const callback = '/admin/console/oidc/callback';

let upstream: Upstream.ScriptedUpstream;
let provider: OidcProvider;
let shop: Shop.Shop;
let addresses = 0;
beforeAll(async () => {
  upstream = await Upstream.scripted(({ socket }) => socket.write(Upstream.http(200, '{"count":1}')));
  provider = await openOidcProvider('console');
  const env = {
    ...{ ...Agent.shopEnv, ADMIN_TOKEN: token, OIDC_ROLE_CLAIM: 'groups' },
    ...{ OIDC_ISSUER: provider.issuer, OIDC_CLIENT_ID: 'console', OIDC_CLIENT_SECRET: 'a secret' },
  };
  shop = await Shop.open({ upstream: { url: upstream.url, key: 'upk_1' }, catalog: 'periods.yaml', env });
});
afterAll(async () => {
  await shop?.stop();
  await provider?.close();
  await upstream?.close();
});

function browser(): Browser {
  addresses += 1;
  return new Browser(shop.url, { 'x-forwarded-for': `198.51.100.${addresses % 250}` });
}

/** Starts a sign-in. Returns the address at the provider. */
async function started(at: Browser, to = ''): Promise<string> {
  const page = await at.open('/admin/console/oidc/start', { to });
  return (page.headers.get('refresh') ?? '').replace('0; url=', '');
}

async function signIn(said: Said, at = browser()) {
  const query = provider.consent(await started(at), said);
  return { at, query, page: await at.open(`${callback}?${query}`) };
}

/** Invites a person. Returns the claims with which the provider names them. */
async function invited(role: string) {
  const owner = browser();
  await owner.open('/admin/console/sign-in', { token, to: '/admin' });
  const email = `${id('x')}@example.com`;
  await owner.open('/admin/console/team', { act: 'invite', email, name: 'Ada', role });
  return { email, email_verified: true };
}

test('an invited person signs in with the verified address, and later with the subject alone', async () => {
  const claims = await invited('finance');
  const sub = id('sub');
  const { at, page } = await signIn({ sub, claims });
  expect([page.status, page.headers.get('refresh')]).toEqual([200, '0; url=/admin']);
  expect((await at.open('/admin')).html).toContain('Ada (finance)');
  const again = await signIn({ sub, claims: { email: 'renamed@example.com', email_verified: true } });
  expect((await again.at.open('/admin')).html).toContain('Ada (finance)');
  // Another subject with the same address is another person.
  expect((await signIn({ sub: id('sub'), claims })).page.status).toBe(401);
});

test('a sign-in leads back to the page that was asked for, and to no other site', async () => {
  const claims = await invited('finance');
  const sub = id('sub');
  const back = async (to: string) => {
    const at = browser();
    const query = provider.consent(await started(at, to), { sub, claims });
    return (await at.open(`${callback}?${query}`)).headers.get('refresh');
  };
  expect(await back('/admin/console/payments?state=refunded')).toBe(
    '0; url=/admin/console/payments?state=refunded',
  );
  expect(await back('https://evil.example/admin')).toBe('0; url=/admin');
});

test('a token of another issuer, audience, nonce, key or time signs nobody in', async () => {
  const claims = await invited('owner');
  for (const said of [
    { iss: 'http://127.0.0.1:1' },
    { aud: 'another-client' },
    { nonce: 'replayed' },
    { isForged: true },
    { expiresIn: '-10m' },
  ]) {
    const { at, page } = await signIn({ sub: id('sub'), claims, ...said });
    expect([said, page.status, (await at.open('/admin')).status]).toEqual([said, 401, 401]);
  }
});

test('a callback belongs to the browser and the attempt that it was started for, and counts once', async () => {
  const claims = await invited('viewer');
  const attacker = browser();
  const query = provider.consent(await started(attacker), { sub: id('sub'), claims });
  const victim = browser();
  expect((await victim.open(`${callback}?${query}`)).status).toBe(401);
  await started(victim);
  expect((await victim.open(`${callback}?${query}`)).status).toBe(401);
  const { at, query: used } = await signIn({ sub: id('sub'), claims });
  expect((await at.open('/admin')).status).toBe(200);
  expect((await at.open(`${callback}?${used}`)).status).toBe(401);
});

test('nobody without an invitation, with an unverified address, or with an unknown role comes in', async () => {
  const { email } = await invited('viewer');
  const stranger = { email: 'stranger@example.com', email_verified: true };
  for (const claims of [
    stranger,
    { ...stranger, groups: ['admin', 'Owner'] },
    { email },
    { email, email_verified: 'true' },
  ]) {
    const { page } = await signIn({ sub: id('sub'), claims });
    expect([claims, page.status]).toEqual([claims, 401]);
  }
});

test('a claim gives a role without an invitation, follows its changes, and does not remove the last owner', async () => {
  await shop.sql`DELETE FROM shop.operator`;
  const sub = id('sub');
  const claims = (groups: unknown) => ({
    email: `${sub}@example.com`,
    email_verified: true,
    name: 'Grace',
    groups,
  });
  const owner = await signIn({ sub, claims: claims(['staff', 'viewer', 'owner']) });
  expect((await owner.at.open('/admin')).html).toContain('Grace (owner)');
  expect((await signIn({ sub, claims: claims('viewer') })).page.html).toContain('you are the last one');
  const other = id('sub');
  const second = { email: `${other}@example.com`, email_verified: true, groups: 'owner' };
  expect((await signIn({ sub: other, claims: second })).page.status).toBe(200);
  const demoted = await signIn({ sub, claims: claims('viewer') });
  expect((await demoted.at.open('/admin')).html).toContain('Grace (viewer)');
  expect((await owner.at.open('/admin/console/catalogue/plans')).status).toBe(403);
});
