import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as Tree from '../start/tree.ts';
import * as Customer from '../support/customer.ts';
import { createDatabase } from '../support/database.ts';
import * as FreePort from '../support/free-port.ts';
import * as ComposeRoles from './compose-roles.ts';
import * as Image from './image.ts';

const root = resolve(import.meta.dirname, '../..');
const nobody = { uid: 65_534, gid: 65_534 };
const isRoot = process.getuid?.() === 0;
const version: string = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')).version;
const bytesMax = 4_000_000;
/** Every kind of file that the package may hold. */
const allowed = [
  /^(package|npm-shrinkwrap)\.json$/,
  /^(README|CHANGELOG|SECURITY)\.md$|^LICENSE$/,
  /^bin\/sluice\.mjs$/,
  /^src\/.+\.(js|d\.ts)$/,
  /^packages\/(advisor|data-api|dev-mailbox|kernel|stripe-sandbox)\/src\/.+\.(js|d\.ts|json|wasm)$/,
  /^packages\/[a-z-]+\/(data|migrations|openapi)\/.+\.(ya?ml|json|sql|txt|csv|tsv)$/,
  /^migrations\/.+\.(sql|json|md)$/,
  /^openapi\/.+\.(ya?ml|json)$/,
  /^docs\/.+\.(md|ya?ml|json)$/,
  /^deploy\//,
];

/** A file of secrets, as somebody has who runs the shop from this checkout. */
const planted = join(root, 'deploy/kubernetes/shop/planted.env');

let folder: string;
let packed: { filename: string; size: number; files: { path: string }[] };
let user: Tree.Tree;

/** Builds and packs the package, and installs it globally as an administrator does. Install scripts do not run, as by default in npm 12. */
beforeAll(async () => {
  await writeFile(planted, 'SECRET=1');
  try {
    execFileSync(process.execPath, ['release/package.ts'], { cwd: root, stdio: 'pipe' });
  } finally {
    await rm(planted);
  }
  folder = await mkdtemp(join(tmpdir(), 'sluice package '));
  const pack = ['pack', '--json', '--pack-destination', folder, join(root, 'dist/sluice')];
  [packed] = JSON.parse(execFileSync('npm', pack, { encoding: 'utf8', stdio: 'pipe' }));
  const archive = join(folder, packed.filename);
  const flags = ['--prefix', folder, '--prefer-offline', '--ignore-scripts', '--no-audit', '--no-fund'];
  execFileSync('npm', ['install', '--global', ...flags, archive], { stdio: 'pipe' });
  await chmod(folder, 0o755);
  user = await Tree.empty(isRoot ? nobody : null);
  // npm-start.slow.ts loads the whole sample.
  const loads = { DIRECT_SAMPLE_SCALE: '0.1' };
  Object.assign(user.env, loads, {
    PATH: `${join(folder, 'bin')}:${user.env.PATH}`,
    npm_config_prefix: folder,
  });
});
afterAll(async () => {
  await user?.remove();
  await rm(folder, { recursive: true, force: true });
});

test('the package has the programs and their data: no tests, no sources, no examples, no secrets', async () => {
  const paths = packed.files.map(({ path }) => path);
  expect(paths.filter((path) => !allowed.some((kind) => kind.test(path)))).toEqual([]);
  expect(paths.filter((path) => /(^|\/)(test|bench|examples|node_modules)\/|\.env$/.test(path))).toEqual([]);
  expect(packed.size).toBeLessThan(bytesMax);
  // Also not in the folder, from which the image is made.
  const built = await readdir(join(root, 'dist/sluice'), { recursive: true });
  expect(built.filter((path) => path.endsWith('.env'))).toEqual([]);
});

test('it depends on no workspace, and on the versions that were tested', async () => {
  const read = async (path: string) => JSON.parse(await readFile(join(root, path), 'utf8'));
  const manifest = await read('dist/sluice/package.json');
  const [tested, shipped] = [await read('package-lock.json'), await read('dist/sluice/npm-shrinkwrap.json')];
  expect(manifest).not.toHaveProperty('private');
  expect(manifest).not.toHaveProperty('devDependencies');
  for (const [path, { version, integrity }] of Object.entries<Record<string, string>>(shipped.packages)) {
    if (path === '') continue;
    expect(path).not.toMatch(/@sluice\//);
    expect([path, version, integrity]).toEqual([
      path,
      tested.packages[path].version,
      tested.packages[path].integrity,
    ]);
  }
  for (const name of Object.keys(manifest.dependencies))
    expect(shipped.packages).toHaveProperty([`node_modules/${name}`]);
  const bill = await read('dist/sluice.cdx.json');
  expect(bill).toMatchObject({
    bomFormat: 'CycloneDX',
    metadata: { component: { name: 'sluice', version } },
  });
  expect(bill.components.map(({ name }: { name: string }) => name)).toEqual(
    expect.arrayContaining(['hono', 'postgres', 'stripe', 'undici']),
  );
});

test('an ordinary user starts the shop of an administrator’s installation, buys by card and calls', async () => {
  expect(await Tree.run(user, 'npx', '--offline', 'sluice', '--version')).toMatch(
    `sluice ${version}, Node v24.`,
  );
  const shop = await Tree.start(user, undefined, ['sluice', 'start']);
  const url = `http://127.0.0.1:${user.env.PORT}`;
  try {
    expect((await Customer.send({ method: 'GET', url: `${url}/healthz` })).body).toMatchObject({ version });
    const buyer = await Customer.register(url);
    const bought = await Customer.call(buyer, 'POST', `${url}/plans/credit/purchase`, { amount_usd: '0.50' });
    expect((await Customer.pay(bought.body.checkout_url)).status).toBe(200);
    expect(await firstPaidCall(url, buyer)).toMatchObject({ cost: '0.005000', balance: '0.495000' });
    await Tree.run(user, 'sluice', 'ledger', 'verify');
  } finally {
    shop.npm.kill('SIGTERM');
    if (shop.npm.exitCode === null) await once(shop.npm, 'exit');
  }
  expect(shop.npm.exitCode).toBe(0);
  expect(await Tree.serverPid(user)).toBeNull();
}, 180_000);

describe('the container image', () => {
  let database: Awaited<ReturnType<typeof createDatabase>>;
  let compose: ComposeRoles.ComposeDatabase;
  let image: Image.Image;
  const running: Image.Running[] = [];

  beforeAll(async () => {
    database = await createDatabase();
    compose = await ComposeRoles.create(database.url);
    image = await Image.build();
  });
  afterAll(async () => {
    for (const { child } of running) child.kill('SIGKILL');
    await Promise.all(running.map(({ ended }) => ended));
    await image?.remove();
    await compose?.drop();
    await database?.drop();
  });

  function start(command: readonly string[], env: Readonly<Record<string, string>>): Image.Running {
    const program = Image.run(image, command, { NODE_ENV: 'development', ...env });
    running.push(program);
    return program;
  }
  const evaluate = async (code: string) => {
    const program = Image.run(image, ['node', '-e', code], {});
    return { code: await program.ended, text: program.output() };
  };

  test('it has no shell, no package manager, no compiler, and no file that its user can change', async () => {
    const list = (...args: string[]) =>
      execFileSync('find', [image.root, '-xdev', ...args, '-printf', '/%P\n'], { encoding: 'utf8' }).split(
        '\n',
      );
    const programs = list('-type', 'f', '-perm', '/111', '-path', '*bin/*');
    expect(programs.filter(Boolean).sort()).toEqual(['/app/bin/sluice.mjs', '/usr/local/bin/node']);
    expect(list('!', '-type', 'l', '-perm', '/022').filter(Boolean).sort()).toEqual(['/data', '/tmp']);
    expect(list('!', '-uid', '0').filter(Boolean)).toEqual([]);
    expect(list('-perm', '/6000').filter(Boolean)).toEqual([]);
    const written = await evaluate("require('fs').writeFileSync('/app/x', '')");
    expect(written).toEqual({ code: 1, text: expect.stringContaining('EROFS') });
    expect(
      await evaluate("require('fs').writeFileSync('/data/x', ''); console.log(process.getuid())"),
    ).toEqual({
      code: 0,
      text: '65532\n',
    });
  });

  test('it migrates with the roles of the compose file, twice at once and again', async () => {
    const migrate = (env: Record<string, string>) => Image.run(image, ['sluice', 'migrate'], env);
    const both = { DATABASE_URL: compose.app, DATABASE_OWNER_URL: compose.owner };
    const refused = migrate({ DATABASE_URL: compose.app });
    expect([await refused.ended, refused.output()]).toEqual([
      2,
      expect.stringContaining('DATABASE_OWNER_URL'),
    ]);
    const first = [migrate(both), migrate(both)];
    expect(await Promise.all(first.map(({ ended }) => ended))).toEqual([0, 0]);
    const again = migrate(both);
    expect([await again.ended, again.output()]).toEqual([0, expect.stringContaining('up to date')]);
  });

  // Needs the database that the test before has migrated.
  test('its programs sell from a read-only root, and its health check sees it', async () => {
    const [port = 0, direct = 0, sandbox = 0] = await FreePort.freePorts(3);
    const key = `sk_${'k'.repeat(43)}`;
    const url = `http://127.0.0.1:${port}`;
    const common = { HOST: '127.0.0.1', PORT: `${port}` };
    start(['node', 'packages/data-api/src/main.js'], {
      DATABASE_URL: database.url,
      DIRECT_PORT: `${direct}`,
      DIRECT_API_KEY: key,
      DIRECT_SAMPLE_SCALE: '0.05',
    });
    start(['node', 'packages/stripe-sandbox/src/main.js'], {
      SANDBOX_PORT: `${sandbox}`,
      SANDBOX_WEBHOOK_URL: `${url}/webhooks/stripe`,
      SANDBOX_WEBHOOK_SECRET: 'whsec_x',
    });
    const settings = {
      ...common,
      DATABASE_URL: compose.app,
      MIGRATE: 'off',
      UPSTREAM_URL: `http://127.0.0.1:${direct}`,
      UPSTREAM_API_KEY: key,
      STRIPE_SECRET_KEY: 'sk_test_sandbox',
      STRIPE_WEBHOOK_SECRET: 'whsec_x',
      STRIPE_API_BASE: `http://127.0.0.1:${sandbox}`,
    };
    const shop = start(image.config.Cmd, settings);
    const status = (path: string) =>
      fetch(`${url}${path}`).then(
        (found) => found.status,
        () => 0,
      );
    await expect.poll(() => status('/readyz'), { timeout: 60_000, message: shop.output() }).toBe(200);
    const [, ...check] = image.config.Healthcheck.Test;
    expect(await Image.run(image, check, common).ended).toBe(0);
    expect(await Image.run(image, check, { ...common, PORT: '1' }).ended).toBe(1);

    const buyer = await Customer.register(url);
    const bought = await Customer.call(buyer, 'POST', `${url}/plans/credit/purchase`, { amount_usd: '0.50' });
    expect((await Customer.pay(bought.body.checkout_url)).status).toBe(200);
    expect(await firstPaidCall(url, buyer)).toMatchObject({ cost: '0.005000', balance: '0.495000' });
    const verified = Image.run(image, ['sluice', 'ledger', 'verify'], settings);
    expect([await verified.ended, verified.output()]).toEqual([0, expect.stringMatching(/\S/)]);
    shop.child.kill('SIGTERM');
    expect(await shop.ended).toBe(0);
  }, 180_000);
});

/** Calls until the trial is used up and a call costs credit. */
async function firstPaidCall(url: string, buyer: Customer.Customer) {
  const trialCalls = 5;
  for (let made = 0; made <= trialCalls; made++) {
    const { status, headers } = await Customer.call(buyer, 'POST', `${url}/v2/jobs/company`, {
      company_network_url: 'https://www.network.example/company/northwind-analytics',
      max_results: 5,
    });
    expect(status).toBe(200);
    const cost = headers.get('storefront-cost-usd');
    if (cost !== '0.000000') return { cost, balance: headers.get('storefront-balance-usd') };
  }
  throw new Error('every call was free');
}
