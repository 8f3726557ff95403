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

it('reads trusted agents with their registrations per day', () => {
  const parsed = Config.parse({
    ...complete,
    WEB_BOT_AUTH_AGENTS: 'https://a.example/, https://b.example=50',
  });
  expect(parsed.ok && parsed.config.trustedAgents).toEqual([
    { origin: 'https://a.example', perDay: 1_000 },
    { origin: 'https://b.example', perDay: 50 },
  ]);
});

it('names every missing setting at once', () => {
  const named = faults({}).map((fault) => fault.split(' ')[0]);
  expect(named).toEqual(['DATABASE_URL', 'UPSTREAM_URL', 'STRIPE_SECRET_KEY', 'STRIPE_WEBHOOK_SECRET']);
});

it.each([
  ['PORT', 'eighty'],
  ['PORT', '70000'],
  ['PUBLIC_URL', 'localhost:4020'],
  ['PUBLIC_URL', 'https://shop.example.com/path'],
  ['FORMER_PUBLIC_URLS', 'https://old.example,old.example.com'],
  ['FORMER_PUBLIC_URLS', 'https://old.example/path'],
  ['WEB_BOT_AUTH_AGENTS', 'http://agent.example'],
  ['WEB_BOT_AUTH_AGENTS', 'https://10.0.0.1'],
  ['WEB_BOT_AUTH_AGENTS', 'https://agent.example/path'],
  ['WEB_BOT_AUTH_AGENTS', 'https://agent.example=0'],
  ['WEB_BOT_AUTH_AGENTS', 'https://agent.example='],
  ['WEB_BOT_AUTH_AGENTS', 'https://agent.example=10=20'],
  ['WEB_BOT_AUTH_AGENTS', 'https://agent.example,https://agent.example/=5'],
  ['ENCRYPTION_KEYS', 'no key'],
  ['ENCRYPTION_KEYS', 'a=c2hvcnQ='],
  ['ENCRYPTION_KEYS', `a=${'A'.repeat(43)}=,a=${'B'.repeat(43)}=`],
  ['DATABASE_URL', 'mysql://localhost'],
  ['UPSTREAM_URL', 'ftp://example.com'],
  ['REDIS_URL', 'localhost:6379'],
  ['LOG_LEVEL', 'loud'],
  ['PAYMENT_RAILS', 'card,mppp'],
  ['CONNECTIONS_MAX', '0'],
  ['REQUEST_BODY_MEMORY_MB', '1'],
  ['HTTP_FAST_PATH', 'yes'],
  ['UNPAID_CALLS_MAX', '-1'],
  ['WITHHELD_CALLS_MAX', '0'],
  ['ADMIN_TOKEN', 'short'],
  ['ADMIN_TOKEN_DIGEST', 'ABC'],
  ['DATABASE_OWNER_URL', 'localhost'],
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

it('traces only where a collector is named, and as many as the variables of OpenTelemetry say', () => {
  const tracing = (env: Record<string, string>) => {
    const parsed = Config.parse({ ...complete, ...env });
    return parsed.ok ? parsed.config.tracing : parsed.faults.map((fault) => fault.split(' ')[0]);
  };
  const OTEL_EXPORTER_OTLP_ENDPOINT = 'http://127.0.0.1:4318/';
  const named = { OTEL_EXPORTER_OTLP_ENDPOINT };
  expect(tracing({ OTEL_TRACES_SAMPLER: 'always_on' })).toBeNull();
  expect(tracing({ ...named, OTEL_SDK_DISABLED: 'true' })).toBeNull();
  expect(tracing(named)).toEqual({
    url: 'http://127.0.0.1:4318/v1/traces',
    serviceName: 'sluice',
    ratio: 1,
    delayMs: 5_000,
    tellsUpstream: false,
  });
  expect(tracing({ ...named, OTEL_TRACES_SAMPLER: 'parentbased_always_off' })).toMatchObject({ ratio: 0 });
  const share = { OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: '0.25' };
  expect(tracing({ ...named, ...share })).toMatchObject({ ratio: 0.25 });
  expect(
    tracing({
      OTEL_EXPORTER_OTLP_ENDPOINT: 'localhost:4318',
      OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc',
      OTEL_TRACES_SAMPLER: 'sometimes',
      OTEL_BSP_SCHEDULE_DELAY: 'soon',
    }),
  ).toEqual([
    'OTEL_EXPORTER_OTLP_ENDPOINT',
    'OTEL_EXPORTER_OTLP_PROTOCOL',
    'OTEL_TRACES_SAMPLER',
    'OTEL_BSP_SCHEDULE_DELAY',
  ]);
  expect(tracing({ ...named, ...share, OTEL_TRACES_SAMPLER_ARG: '2' })).toEqual(['OTEL_TRACES_SAMPLER_ARG']);
});

it('names the nearest of the values that a setting can have', () => {
  expect(faults({ ...complete, LOG_LEVEL: 'inof', PAYMENT_RAILS: 'x420' })).toEqual([
    'PAYMENT_RAILS has "x420", which is unknown. Did you mean "x402"?',
    'LOG_LEVEL must be one of debug, info, warn, error. Did you mean "info"?',
  ]);
});

it('never says a secret', () => {
  expect(
    faults({ ...complete, NODE_ENV: 'production', STRIPE_SECRET_KEY: 'sk_test_sandbox_hush' }).join(),
  ).not.toContain('hush');
});
