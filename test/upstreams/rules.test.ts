import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import * as Fault from '../../src/catalog/fault.ts';
import * as File from '../../src/catalog/file.ts';
import * as NamedVariables from '../../src/catalog/named-variables.ts';
import * as Config from '../../src/config.ts';
import * as Settings from '../../src/process/settings.ts';
import * as UpstreamValues from '../../src/process/upstream-values.ts';

const good = `storefront: { name: Several, contact: sales@example.com }
upstreams:
  main:
    url: { env: UPSTREAM_URL }
    key: { header: x-api-key, from: { env: UPSTREAM_API_KEY } }
    forward: [openai-beta]
  backup:
    url: https://backup.example.com/api
    key: { query: api_key, from: { env: UPSTREAM_BACKUP_KEY } }
services:
  - slug: chat
    name: Chat
    price_usd: "0.01"
    upstream: main
    otherwise: [backup]
    operations: [{ call: POST /v1/chat, units: 1 }]
plans:
  - { id: credit, kind: credit, covers: "*" }
`;

function parsed(yaml: string) {
  const found = File.parse(yaml, 'catalog.yaml');
  if (!found.ok) throw new Error(found.faults.map(Fault.format).join('\n'));
  return found.catalog;
}

function faultsOf(...changes: [string, string][]): string[] {
  let yaml = good;
  for (const [from, to] of changes) {
    expect(yaml).toContain(from);
    yaml = yaml.replace(from, to);
  }
  const found = File.parse(yaml, 'catalog.yaml');
  return found.ok ? [] : found.faults.map(Fault.format);
}

test('a catalogue names upstreams, and each service its own', () => {
  const { upstreams, services } = parsed(good);
  expect([...upstreams.keys()]).toEqual(['main', 'backup']);
  expect(services[0]?.route).toEqual({ upstream: 'main', otherwise: ['backup'], bodyBytesMax: Infinity });
});

test('the lowest body limit of a route applies', () => {
  const { services } = parsed(
    good
      .replace('    forward: [openai-beta]\n', '    limits: { body_bytes: 25MB }\n')
      .replace('    key: { query', '    limits: { body_bytes: 2kB }\n    key: { query'),
  );
  expect(services[0]?.route?.bodyBytesMax).toBe(2_000);
});

test('a catalogue of version 1 has no named upstreams', () => {
  const yaml = good.replace(
    /upstreams:[\s\S]*services:/,
    'upstream: { key: { header: x-api-key } }\nservices:',
  );
  const { upstreams, services, upstream } = parsed(yaml.replace(/ {4}(upstream|otherwise): .*\n/g, ''));
  expect([upstreams.size, services[0]?.route, upstream.timeoutMs]).toEqual([0, undefined, 30_000]);
});

describe('a fault is reported at its place', () => {
  const key = '{ header: x-api-key, from: { env: UPSTREAM_API_KEY } }';
  const forward = '[openai-beta]';
  test.each([
    [
      'variables of others',
      [['env: UPSTREAM_API_KEY', 'env: STRIPE_SECRET_KEY']],
      /catalog\.yaml:5:\d+ env .*UPSTREAM_/,
    ],
    [
      'a literal key',
      [['from: { env: UPSTREAM_API_KEY }', 'from: sk_secret']],
      /catalog\.yaml:5:\d+ from is not a mapping/,
    ],
    [
      'two places for the key',
      [[key, '{ header: a, query: b, from: { env: UPSTREAM_API_KEY } }']],
      /5:\d+ key is sent in one place/,
    ],
    [
      'no place for the key',
      [[key, '{ from: { env: UPSTREAM_API_KEY } }']],
      /5:\d+ key is sent in one place/,
    ],
    [
      'a key that frames the request',
      [['header: x-api-key', 'header: Content-Length']],
      /5:\d+ header Content-Length controls/,
    ],
    [
      'an address with credentials',
      [['https://backup', 'https://u:p@backup']],
      /8:\d+ url contains credentials/,
    ],
    ['an address with a query', [['com/api', 'com/api?key=1']], /8:\d+ url has a query/],
    [
      'an upstream that does not exist',
      [['upstream: main', 'upstream: mian']],
      /14:\d+ upstream "mian" is not in upstreams.*"main"/,
    ],
    [
      'a second upstream that is the first',
      [['[backup]', '[main]']],
      /15:\d+ otherwise\[0\] "main" is the first one/,
    ],
    ['a service without an upstream', [['    upstream: main\n', '']], /upstream is missing: name the one/],
    [
      'both forms',
      [['upstreams:\n', 'upstream: { key: { header: a } }\nupstreams:\n']],
      /2:\d+ key belongs to one upstream/,
    ],
    [
      'several keys of an oauth client',
      [
        [
          '    forward',
          '    keys: round_robin\n    oauth: { token_url: "https://t", client_id: a, client_secret: { env: UPSTREAM_SECRET } }\n    forward',
        ],
      ],
      /keys does not go with oauth/,
    ],
    [
      'two users of authorization',
      [
        ['header: x-api-key', 'header: Authorization'],
        [
          '    forward',
          '    oauth: { token_url: "https://t", client_id: a, client_secret: { env: UPSTREAM_SECRET } }\n    forward',
        ],
      ],
      /oauth sends its token in the authorization header/,
    ],
    [
      'the key header from the caller',
      [[forward, '[X-API-Key]']],
      /forward names X-API-Key, which belongs to the shop and its caller/,
    ],
    [
      'the key header from the caller in another spelling',
      [[forward, '[x_api_key]']],
      /forward names x_api_key, which belongs to the shop and its caller/,
    ],
    [
      'one header twice',
      [['forward: [openai-beta]', 'headers: { OpenAI-Beta: a }\n    forward: [openai-beta]']],
      /forward names openai-beta, which headers sets/,
    ],
    [
      'the id of the buyer from the caller',
      [['forward: [openai-beta]', 'caller: { header: x-buyer, value: pairwise }\n    forward: [x-buyer]']],
      /forward names x-buyer, which caller sets/,
    ],
    [
      'a literal secret as a header',
      [['forward: [openai-beta]', 'headers: { authorization: Bearer x }']],
      /headers names authorization, which belongs to the shop/,
    ],
  ] as [string, [string, string][], RegExp][])('%s', (_, changes, reported) => {
    expect(faultsOf(...changes).join('\n')).toMatch(reported);
  });

  test.each([
    ...['authorization', 'cookie', 'forwarded', 'x-forwarded-for', 'x-real-ip', 'via', 'proxy-authorization'],
    ...['storefront-max-cost', 'Storefront_Receipt', 'payment-signature', 'x-payment', 'X-Forwarded-Host'],
    ...['connection', 'host', 'transfer-encoding', 'content-length', 'te', 'upgrade', 'keep-alive', 'expect'],
    ...[
      'accept-encoding',
      'accept',
      'range',
      'if-none-match',
      'user-agent',
      'traceparent',
      'idempotency-key',
    ],
    ...['x-http-method-override', 'X-HTTP-Method', 'x-method-override', 'x-original-url', 'x-rewrite-url'],
  ])('%s is never forwarded from the caller', (name) => {
    expect(faultsOf([forward, `[${name}]`]).join('\n')).toMatch(/6:\d+ forward names .*leave it out/);
  });
});

describe('the variables that a catalogue names', () => {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-variables-'));
  const path = join(folder, 'catalog.yaml');
  writeFileSync(path, good);
  afterAll(() => rmSync(folder, { recursive: true }));
  const env = {
    CATALOG: path,
    UPSTREAM_URL: 'http://127.0.0.1:1',
    UPSTREAM_API_KEY: 'k',
    UPSTREAM_BACKUP_KEY: 'b',
  };

  test('are found before the catalogue is loaded', () => {
    expect(NamedVariables.read(path)).toEqual({
      variables: new Set(['UPSTREAM_URL', 'UPSTREAM_API_KEY', 'UPSTREAM_BACKUP_KEY']),
      hasUpstreams: true,
    });
    expect(NamedVariables.read(join(folder, 'none.yaml')).hasUpstreams).toBe(false);
    expect(NamedVariables.read(undefined).hasUpstreams).toBe(false);
  });

  test('may be in the settings file, and their secrets in files of their own', async () => {
    const settings = join(folder, 'shop.env');
    writeFileSync(join(folder, 'key'), 'sk_from_a_file\n');
    writeFileSync(
      settings,
      `CATALOG=${path}\nUPSTREAM_BACKUP_KEY_FILE=${join(folder, 'key')}\nUPSTREAM_URL=http://a\n`,
    );
    const gathered = await Settings.gather({ SETTINGS_FILE: settings });
    expect(gathered).toMatchObject({ ok: true, env: { UPSTREAM_BACKUP_KEY: 'sk_from_a_file' } });
    writeFileSync(settings, `CATALOG=${path}\nUPSTREAM_BACKUP_KYE=x\n`);
    expect(await Settings.gather({ SETTINGS_FILE: settings })).toMatchObject({
      ok: false,
      faults: [expect.stringContaining('UPSTREAM_BACKUP_KYE')],
    });
  });

  test('count as changed settings at a reload', () => {
    expect(Settings.changed(env, { ...env, UPSTREAM_BACKUP_KEY: 'other' })).toEqual(['UPSTREAM_BACKUP_KEY']);
    expect(Settings.isFixed('UPSTREAM_BACKUP_KEY')).toBe(false);
  });

  test('replace UPSTREAM_URL, which is required only when the catalogue names it', () => {
    const { UPSTREAM_URL: _, UPSTREAM_API_KEY: __, ...rest } = env;
    const found = Config.parse({ ...rest, NODE_ENV: 'production' });
    expect(found.ok ? '' : found.faults.join('\n')).not.toContain('UPSTREAM_');
  });

  test('are all reported at once when they are missing or invalid, never with their values', () => {
    const read = UpstreamValues.read(parsed(good), {
      UPSTREAM_URL: 'http://user:sk_hidden@host',
      UPSTREAM_BACKUP_KEY: 'sk hidden',
    });
    expect(read).toEqual({
      ok: false,
      faults: [
        'UPSTREAM_URL contains credentials: send them with key (upstreams.main.url in the catalogue names it)',
        'UPSTREAM_API_KEY is missing: upstreams.main.key.from in the catalogue names it',
        'UPSTREAM_BACKUP_KEY has characters that a key cannot have: use printable ASCII without spaces',
      ],
    });
  });

  test('hold several keys, separated by commas or line breaks', () => {
    const yaml = good.replace('    forward: [openai-beta]\n', '    keys: round_robin\n');
    const read = UpstreamValues.read(parsed(yaml), { ...env, UPSTREAM_API_KEY: 'k1, k2\nk3,,k1\r\n' });
    expect(read.ok && read.values.get('main')?.keys).toEqual(['k1', 'k2', 'k3']);
  });
});
