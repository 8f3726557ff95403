import { expect, it } from 'vitest';
import * as Config from '../../src/config.ts';

const complete = {
  DATABASE_URL: 'postgres://localhost/sluice',
  UPSTREAM_URL: 'https://api.example.com/',
  UPSTREAM_API_KEY: 'key',
  STRIPE_SECRET_KEY: 'sk_live_x',
  STRIPE_WEBHOOK_SECRET: 'whsec_x',
  STRIPE_NETWORK_ID: 'profile_x',
};

function faults(env: Record<string, string>): string[] {
  const parsed = Config.parse(env);
  return parsed.ok ? [] : parsed.faults;
}

it('takes a complete environment, and freezes it', () => {
  const parsed = Config.parse(complete);
  expect(parsed.ok && parsed.config).toMatchObject({
    port: 4020,
    publicUrl: 'http://localhost:4020',
    upstream: { url: 'https://api.example.com', key: 'key' },
  });
  expect(parsed.ok && Object.isFrozen(parsed.config)).toBe(true);
});

it('names every missing setting at once', () => {
  const named = faults({}).map((fault) => fault.split(' ')[0]);
  expect(named).toEqual([
    'DATABASE_URL',
    'UPSTREAM_URL',
    'STRIPE_SECRET_KEY',
    'STRIPE_WEBHOOK_SECRET',
    'STRIPE_NETWORK_ID',
  ]);
});

it.each([
  ['PORT', 'eighty'],
  ['PORT', '70000'],
  ['PUBLIC_URL', 'localhost:4020'],
  ['PUBLIC_URL', 'https://shop.example.com/path'],
  ['DATABASE_URL', 'mysql://localhost'],
  ['UPSTREAM_URL', 'ftp://example.com'],
  ['REDIS_URL', 'localhost:6379'],
  ['LOG_LEVEL', 'loud'],
])('says what is wrong with %s=%s', (name, value) => {
  const said = faults({ ...complete, [name]: value });
  expect(said).toHaveLength(1);
  expect(said[0]).toContain(name);
});

it.each([
  ['an http public URL', { PUBLIC_URL: 'http://shop.example.com' }],
  ['no public URL', {}],
  ['the card sandbox', { PUBLIC_URL: 'https://shop.example.com', STRIPE_SECRET_KEY: 'sk_test_sandbox' }],
  [
    'a processor without TLS',
    { PUBLIC_URL: 'https://shop.example.com', STRIPE_API_BASE: 'http://localhost:4022' },
  ],
  ['no upstream key', { PUBLIC_URL: 'https://shop.example.com', UPSTREAM_API_KEY: '' }],
])('refuses production with %s', (_, change) => {
  expect(faults({ ...complete, PUBLIC_URL: 'https://shop.example.com', NODE_ENV: 'production' })).toEqual([]);
  const { PUBLIC_URL, ...rest } = { PUBLIC_URL: '', ...complete, ...change };
  expect(
    faults({ ...rest, ...(PUBLIC_URL && { PUBLIC_URL }), NODE_ENV: 'production' }).length,
  ).toBeGreaterThan(0);
});

it('never says a secret', () => {
  expect(
    faults({ ...complete, NODE_ENV: 'production', STRIPE_SECRET_KEY: 'sk_test_sandbox_hush' }).join(),
  ).not.toContain('hush');
});
