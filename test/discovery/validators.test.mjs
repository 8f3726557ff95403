import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import * as Discovery from '@agentcash/discovery';
import { validate } from 'mppx/discovery';
import * as Shop from '../mppx/shop.mjs';

const cliMsMax = 60_000;
const pagesMax = 50;

let shop;
let folder;
/** The addresses of all pages, as the pages themselves link them. */
let pages;
before(async () => {
  shop = await Shop.open();
  folder = await mkdtemp(join(tmpdir(), 'sluice-discovery-'));
  pages = [];
  for (let next = `${shop.url}/openapi.json`; next !== null && pages.length < pagesMax; ) {
    pages.push(next);
    next = (await read(next)).info['x-next'];
  }
});
after(async () => {
  await shop?.close();
  if (folder) await rm(folder, { recursive: true, force: true });
});

test('mppx discover validate has nothing to say about the description, nor its library about any page', async () => {
  const { code, stdout, log } = await run('mppx', 'discover', 'validate', pages[0], '--json');
  assert.equal(code, 0, log);
  assert.deepEqual(JSON.parse(stdout), { errorCount: 0, issues: [], valid: true, warningCount: 0 });
  assert.ok(pages.length > 1);
  for (const page of [...pages, `${shop.url}/openapi.json?page=all`, `${shop.url}/openapi.json?q=email`])
    assert.deepEqual(validate(await read(page)), [], page);
});

test('the command of @agentcash/discovery finds the shop and warns of nothing', async () => {
  const { stdout, log } = await run('discovery', 'discover', shop.url, '--json');
  const { ok, resources, warnings, meta } = JSON.parse(stdout);
  assert.equal(ok, true, log);
  const { paths } = await read(pages[0]);
  const described = Object.entries(paths).flatMap(([path, item]) =>
    Object.keys(item).map((method) => `${shop.url} ${method.toUpperCase()} ${path}`),
  );
  assert.deepEqual(resources.map(({ resourceKey }) => resourceKey).sort(), described.sort());
  assert.deepEqual(warnings, []);
  assert.ok(meta.guidanceTokens > 50);
});

test('the validators of @agentcash/discovery take every page', async () => {
  for (const page of pages) {
    const source = (await Discovery.getOpenAPI(shop.url, {}, undefined, page))._unsafeUnwrap();
    assert.ok(source !== null && !Discovery.isOpenApiParseFailure(source), page);
    const routes = Discovery.checkL2ForOpenAPI(source);
    const warnings = [
      ...Discovery.getWarningsForOpenAPI(source),
      ...Discovery.getWarningsForL2(routes),
      ...Discovery.getWarningsForL4(Discovery.checkL4ForOpenAPI(source)),
    ];
    // It knows API keys and wallets, and takes what asks for a bearer alone and sells nothing for undeclared.
    const bearer = new Set(
      Object.entries(source.raw.paths).flatMap(([path, item]) =>
        Object.values(item).some((it) => 'planAccess' in (it.security[0] ?? {}) && !it['x-payment-info'])
          ? [path]
          : [],
      ),
    );
    const known = ({ code, path }) =>
      (code === 'L2_AUTH_MODE_MISSING' && bearer.has(path)) || code === 'L2_NO_PAID_ROUTES';
    assert.deepEqual(
      warnings.filter((it) => !known(it)),
      [],
      page,
    );
    for (const [path, item] of Object.entries(source.raw.paths))
      for (const [method, operation] of Object.entries(item)) {
        if (!operation['x-payment-info']) continue;
        const info = Discovery.PaymentInfoSchema.parse(operation['x-payment-info']);
        assert.ok(info.protocols.length > 0, path);
        const advice = Discovery.getL3ForOpenAPI(source, path, method.toUpperCase());
        assert.equal(advice.authMode.endsWith('paid'), true, path);
        assert.match(advice.estimatedPrice, /USD$/);
      }
  }
});

test('the linter passes every page, and everything in one', async () => {
  const addresses = [
    ...pages,
    `${shop.url}/openapi.json?page=all`,
    `${shop.url}/services/work-email/openapi.json`,
    // Short pages, whose references lead to other documents of the shop.
    `${shop.url}/openapi.json?path=/v2/search/people`,
    `${shop.url}/openapi.json?path=/v2/enrichment/email`,
    `${shop.url}/openapi.json?path=/account/keys`,
  ];
  const files = await Promise.all(
    addresses.map(async (address, at) => {
      const file = join(folder, `page-${at}.json`);
      await writeFile(file, JSON.stringify(await read(address)));
      return file;
    }),
  );
  const config = join(import.meta.dirname, 'redocly.yaml');
  const { code, stdout, log } = await run('redocly', 'lint', '--config', config, ...files);
  assert.equal(code, 0, stdout + log);
});

async function read(url) {
  const answer = await fetch(url, { signal: AbortSignal.timeout(10_000) });
  assert.equal(answer.status, 200, url);
  return answer.json();
}

/** Runs a stock command of this package, with a home of its own. */
function run(name, ...args) {
  const file = join(import.meta.dirname, 'node_modules/.bin', name);
  const env = {
    ...process.env,
    HOME: folder,
    REDOCLY_TELEMETRY: 'off',
    REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true',
  };
  return new Promise((resolve) => {
    const options = { cwd: folder, env, timeout: cliMsMax, maxBuffer: 64 * 1024 * 1024 };
    execFile(file, args, options, (error, stdout, log) => {
      resolve({ code: error === null ? 0 : error.code, stdout, log });
    });
  });
}
