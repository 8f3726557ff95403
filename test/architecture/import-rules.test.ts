import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));
const config = `${root}.dependency-cruiser.cjs`;
const rules: { name: string }[] = createRequire(import.meta.url)(config).forbidden;

type Violation = { from: string; rule: { name: string } };
type Report = { summary: { totalCruised: number; violations: Violation[] } };

function cruise(folder: string): Report['summary'] {
  const bin = `${root}node_modules/.bin/depcruise`;
  const { stdout } = spawnSync(bin, ['--config', config, '--output-type', 'json', 'src', 'packages'], {
    cwd: folder,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  return (JSON.parse(stdout) as Report).summary;
}

/** One violation of each rule: the file `from` imports `specifier`. */
const planted: { rule: string; from: string; specifier: string }[] = [
  { rule: 'no-cycles', from: 'src/ledger/left.ts', specifier: './right.ts' },
  { rule: 'text-imports-kernel', from: 'src/text/mails.ts', specifier: '../identity/token.ts' },
  { rule: 'catalog-imports-kernel-text', from: 'src/catalog/plan.ts', specifier: '../identity/token.ts' },
  { rule: 'identity-imports-kernel-text', from: 'src/identity/guide.ts', specifier: '../ledger/hold.ts' },
  { rule: 'ledger-imports-kernel', from: 'src/ledger/ledger-writer.ts', specifier: '../payment/order.ts' },
  {
    rule: 'payment-imports-kernel-text-catalog-identity',
    from: 'src/payment/refund.ts',
    specifier: '../ledger/hold.ts',
  },
  { rule: 'proxy-imports-kernel-catalog', from: 'src/proxy/meter.ts', specifier: '../identity/token.ts' },
  {
    rule: 'discovery-imports-kernel-text-catalog-identity-payment-proxy',
    from: 'src/discovery/openapi-page.ts',
    specifier: '../journeys/paid-call.ts',
  },
  {
    rule: 'modules-import-no-package-but-kernel',
    from: 'src/catalog/goal.ts',
    specifier: '@sluice/advisor/entry',
  },
  {
    rule: 'only-the-composition-knows-the-whole-shop',
    from: 'src/http/api/purchase.ts',
    specifier: '../../journeys/shop.ts',
  },
  { rule: 'journeys-import-modules', from: 'src/journeys/purchase.ts', specifier: '../http/app.ts' },
  {
    rule: 'http-imports-journeys-and-modules',
    from: 'src/http/routes.ts',
    specifier: '../adapters/stripe/client.ts',
  },
  {
    rule: 'adapters-import-modules',
    from: 'src/adapters/redis/count.ts',
    specifier: '../../journeys/paid-call.ts',
  },
  {
    rule: 'adapters-import-no-other-adapter',
    from: 'src/adapters/redis/charge.ts',
    specifier: '../stripe/client.ts',
  },
  { rule: 'process-imports-no-cli', from: 'src/process/start.ts', specifier: '../cli/command.ts' },
  {
    rule: 'config-imports-modules-and-process',
    from: 'src/config.ts',
    specifier: './adapters/stripe/client.ts',
  },
  { rule: 'entry-points-are-not-imported', from: 'src/cli/run.ts', specifier: '../main.ts' },
  { rule: 'only-cli-imports-cli', from: 'src/payment/print.ts', specifier: '../cli/command.ts' },
  {
    rule: 'packages-do-not-import-the-gateway',
    from: 'packages/advisor/src/order.ts',
    specifier: '../../../src/payment/order.ts',
  },
  {
    rule: 'kernel-imports-no-package',
    from: 'packages/kernel/src/id.ts',
    specifier: '@sluice/advisor/entry',
  },
  {
    rule: 'packages-import-no-package-but-kernel',
    from: 'packages/data-api/src/goal.ts',
    specifier: '@sluice/advisor/entry',
  },
  {
    rule: 'packages-are-imported-by-name',
    from: 'src/process/clock.ts',
    specifier: '../../packages/kernel/src/entry.ts',
  },
  { rule: 'programs-meet-over-http', from: 'src/http/people.ts', specifier: '@sluice/data-api/entry' },
  { rule: 'cli-imports-no-simulator', from: 'src/cli/cards.ts', specifier: '@sluice/stripe-sandbox/entry' },
  { rule: 'hono-only-in-http', from: 'src/ledger/page.ts', specifier: 'hono' },
  { rule: 'no-drawers-for-odds-and-ends', from: 'src/ledger/odds.ts', specifier: './utils.ts' },
  { rule: 'resolvable', from: 'src/ledger/lost.ts', specifier: './missing.ts' },
  // Only entry points named in a package's `exports` can be imported.
  { rule: 'resolvable', from: 'src/cli/private.ts', specifier: '@sluice/data-api/private' },
];

/** The files that the planted files import, and an allowed import beside each kind of violation. */
const sound: Readonly<Record<string, string>> = {
  'src/main.ts': '',
  'src/ledger/right.ts': "import './left.ts';",
  'src/ledger/utils.ts': '',
  'src/ledger/hold.ts': "import '@sluice/kernel/entry';",
  'src/identity/token.ts': "import type {} from '@sluice/kernel/entry';",
  'src/payment/order.ts': "import '../identity/token.ts';",
  'src/journeys/paid-call.ts': "import '../ledger/hold.ts'; import '../payment/order.ts';",
  'src/journeys/shop.ts': '',
  'src/process/compose.ts': "import '../journeys/shop.ts';",
  'src/http/app.ts': "import '../journeys/paid-call.ts'; import '../journeys/shop.ts'; import 'hono';",
  'src/adapters/stripe/client.ts': "import '../../payment/order.ts';",
  'src/cli/command.ts': "import '@sluice/data-api/entry';",
  'packages/kernel/src/entry.ts': '',
  'packages/kernel/src/private.ts': '',
  'packages/advisor/src/entry.ts': "import '@sluice/kernel/entry';",
  'packages/data-api/src/entry.ts': "import './private.ts';",
  'packages/data-api/src/private.ts': '',
  'packages/stripe-sandbox/src/entry.ts': '',
  'node_modules/hono/package.json': '{ "name": "hono", "exports": "./hono.js" }',
  'node_modules/hono/hono.js': '',
};

let folder: string;
let found: Report['summary'];

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-imports-'));
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  };
  write('package.json', JSON.stringify({ name: 'planted', workspaces: ['packages/*'] }));
  for (const [path, text] of Object.entries(sound)) write(path, `${text}\n`);
  for (const { from, specifier } of planted) write(from, `import '${specifier}';\n`);
  mkdirSync(join(folder, 'node_modules/@sluice'), { recursive: true });
  for (const name of ['kernel', 'advisor', 'data-api', 'stripe-sandbox']) {
    const manifest = { name: `@sluice/${name}`, exports: { './entry': './src/entry.ts' } };
    write(`packages/${name}/package.json`, JSON.stringify(manifest));
    symlinkSync(`../../packages/${name}`, join(folder, 'node_modules/@sluice', name));
  }
  found = cruise(folder);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it('reads every module of the source and finds no violation', () => {
  const { totalCruised, violations } = cruise(root);
  expect(totalCruised).toBeGreaterThan(700);
  expect(violations).toEqual([]);
});

describe('a planted import', () => {
  it('exists for every rule, and its modules are read', () => {
    expect(found.totalCruised).toBeGreaterThan(planted.length);
    expect([...new Set(planted.map(({ rule }) => rule))].sort()).toEqual(
      rules.map(({ name }) => name).sort(),
    );
  });

  it.each(planted)('of $specifier in $from violates $rule', ({ rule, from }) => {
    const caught = found.violations.filter((violation) => violation.from === from);
    expect(caught.map((violation) => violation.rule.name)).toContain(rule);
  });

  it('that is allowed violates nothing', () => {
    const allowed = Object.keys(sound).filter((path) => !path.startsWith('src/ledger/right'));
    expect(found.violations.filter(({ from }) => allowed.includes(from))).toEqual([]);
  });
});
