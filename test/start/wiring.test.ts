import { createServer } from 'node:net';
import { expect, test } from 'vitest';
import * as Compose from '../../src/cli/compose.ts';
import * as Port from '../../src/cli/port.ts';

const secrets = { direct: 'd', webhook: 'w', encryptionKey: 'e', adminDigest: 'a', directAdminDigest: 'e' };

function programs(env: NodeJS.ProcessEnv): Map<string, NodeJS.ProcessEnv> {
  const all = Compose.programs(Compose.read(env), env, 'postgres://here/sluice', secrets);
  return new Map(all.map((program) => [program.name, program.env]));
}

test('with no settings at all every part is opened and knows the others', () => {
  const all = programs({});
  expect([...all.keys()]).toEqual(['storefront', 'direct', 'sandbox', 'mailbox']);
  expect(all.get('storefront')).toMatchObject({
    PORT: '4020',
    HOST: '127.0.0.1',
    DATABASE_URL: 'postgres://here/sluice',
    UPSTREAM_URL: 'http://127.0.0.1:4021',
    STRIPE_API_BASE: 'http://127.0.0.1:4022',
    SMTP_URL: 'smtp://127.0.0.1:4024',
  });
  expect(all.get('direct')?.DIRECT_API_KEY).toBe(all.get('storefront')?.UPSTREAM_API_KEY);
  expect(all.get('sandbox')?.SANDBOX_WEBHOOK_SECRET).toBe(all.get('storefront')?.STRIPE_WEBHOOK_SECRET);
  expect(all.get('sandbox')?.SANDBOX_WEBHOOK_URL).toBe('http://127.0.0.1:4020/webhooks/stripe');
});

test('each part is replaced by its one setting', () => {
  const upstream = programs({ UPSTREAM_URL: 'https://data.example', UPSTREAM_API_KEY: 'mine' });
  expect([...upstream.keys()]).toEqual(['storefront', 'sandbox', 'mailbox']);
  expect(upstream.get('storefront')).toMatchObject({
    UPSTREAM_URL: 'https://data.example',
    UPSTREAM_API_KEY: 'mine',
  });
  const cards = programs({ STRIPE_SECRET_KEY: 'sk_live_1' });
  expect([...cards.keys()]).toEqual(['storefront', 'direct', 'mailbox']);
  expect(cards.get('storefront')?.STRIPE_API_BASE).toBeUndefined();
  const mail = programs({ SMTP_URL: 'smtps://mail.example', MAIL_FROM: 'shop@shop.example' });
  expect([...mail.keys()]).toEqual(['storefront', 'direct', 'sandbox']);
  expect(mail.get('storefront')?.SMTP_URL).toBe('smtps://mail.example');
  expect(Compose.read({ DATABASE_URL: 'postgres://there/x' }).embedded).toBe(false);
});

test('the kept key encrypts secrets until the setting is given, and decrypts from then on', () => {
  const keysOf = (env: NodeJS.ProcessEnv) => programs(env).get('storefront')?.ENCRYPTION_KEYS;
  expect(keysOf({})).toBe('e');
  expect(keysOf({ ENCRYPTION_KEYS: 'mine' })).toBe('mine,e');
  expect(keysOf({ ENCRYPTION_KEYS: 'mine, e' })).toBe('mine, e');
});

test('production is never given play money', () => {
  expect([...programs({ NODE_ENV: 'production' }).keys()]).toEqual(['storefront', 'direct']);
});

test("the storefront's secrets are kept from the other parts", () => {
  const all = programs({ ADMIN_TOKEN: 's', SMTP_URL: 's', X402_PAY_TO: 's', PATH: '/bin', DIRECT_X: '1' });
  expect(all.get('direct')).toEqual({
    PATH: '/bin',
    DIRECT_X: '1',
    DATABASE_URL: 'postgres://here/sluice',
    DIRECT_PORT: '4021',
    DIRECT_API_KEY: 'd',
    DIRECT_ADMIN_TOKEN_DIGEST: 'e',
  });
  const given = programs({ DIRECT_ADMIN_TOKEN: 'mine' });
  expect(given.get('direct')).toMatchObject({ DIRECT_ADMIN_TOKEN: 'mine' });
  expect(given.get('direct')).not.toHaveProperty('DIRECT_ADMIN_TOKEN_DIGEST');
  expect(given.get('storefront')?.DIRECT_ADMIN_TOKEN_DIGEST).toBeUndefined();
  expect(all.get('sandbox')).not.toHaveProperty('ADMIN_TOKEN');
});

test('the sandbox reaches a storefront that listens everywhere, or on IPv6 alone', () => {
  expect(programs({ HOST: '0.0.0.0' }).get('sandbox')?.SANDBOX_WEBHOOK_URL).toMatch(
    /^http:\/\/127\.0\.0\.1:4020\//,
  );
  expect(programs({ HOST: '::1' }).get('sandbox')?.SANDBOX_WEBHOOK_URL).toMatch(/^http:\/\/\[::1\]:4020\//);
});

test.each(['0', '65536', '40 20', 'http', '-1'])('PORT=%s is refused by name', (text) => {
  expect(() => Compose.read({ PORT: text })).toThrow(`PORT=${text} is not a port`);
});

test('a taken port is refused, naming the setting to change', async () => {
  const holder = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => holder.once('listening', resolve));
  const address = holder.address();
  const number = typeof address === 'object' ? (address?.port ?? 0) : 0;
  await expect(Port.requireFree([{ setting: 'DIRECT_PORT', number, host: '127.0.0.1' }], 0)).rejects.toThrow(
    `Port ${number} is in use by another program: stop it, or choose another with DIRECT_PORT`,
  );
  holder.close();
});

test('two settings with one port are refused', async () => {
  const host = '127.0.0.1';
  const number = 47_613;
  const ports = [
    { setting: 'PORT', number, host },
    { setting: 'DIRECT_PORT', number, host },
  ];
  await expect(Port.requireFree(ports, 0)).rejects.toThrow(/DIRECT_PORT/);
  await Port.requireFree(ports.slice(0, 1), 0);
});
