import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import type * as Schema from '@sluice/kernel/json-schema';
import * as Money from '@sluice/kernel/money';
import { beforeAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import * as CatalogFile from '../../src/catalog/file.ts';
import type { Finding } from '../../src/cli/check/finding.ts';
import * as Customer from '../support/customer.ts';
import * as Upstream from './described-upstream.ts';
import * as Tree from './tree.ts';

const root = resolve(import.meta.dirname, '../..');
const apis = join(root, 'test/apis');
const openMsMax = 60_000;
const hourMsMax = 120_000;

/** Descriptions of other APIs, and how a new reseller prices each: by flags, by answers, or not at all. */
const cases = [
  {
    file: '@scalar/galaxy/dist/latest.yaml',
    pricing: ['--price', '0.002', '--price', 'planets=0.02', '--trial', '0', '--min', '1.00'],
    call: '/planets',
    price: 20_000,
  },
  {
    file: '@readme/oas-examples/3.1/json/train-travel.json',
    answers: '0.05\n0.03 all\n0\n\n',
    pricing: [],
    call: '/trips',
    price: 30_000,
  },
  {
    file: '@readme/oas-examples/3.0/json/star-trek.json',
    pricing: ['--only', 'animal,book', '--trial', '0', '--yes'],
    call: '/animal/search',
    price: 1_000,
  },
];

beforeAll(() => {
  execFileSync('npm', ['ci', '--no-audit', '--no-fund'], { cwd: apis, stdio: 'ignore' });
});

test.concurrent.for(cases)(
  'the first hour with $file leads to a paid call, and books that hold',
  { timeout: hourMsMax },
  async ({ file, pricing, answers, call, price }, { onTestFinished }) => {
    const folder = await mkdtemp(join(tmpdir(), 'sluice first hour '));
    const { PATH, HOME } = process.env;
    const env: NodeJS.ProcessEnv = { PATH, HOME, ...(await Tree.freePorts()) };
    await cp(join(apis, 'node_modules', file), join(folder, basename(file)));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));

    function begin(args: readonly string[]): { child: ChildProcess; said: () => string } {
      const child = spawn(process.execPath, [join(root, 'bin/sluice.mjs'), ...args], { cwd: folder, env });
      let text = '';
      for (const stream of [child.stdout, child.stderr])
        stream?.on('data', (chunk) => {
          text += chunk;
        });
      return { child, said: () => text };
    }

    async function sluice(args: readonly string[], input = ''): Promise<string> {
      const { child, said } = begin(args);
      child.stdin?.end(input);
      const [code] = await once(child, 'close');
      if (code !== 0) throw new Error(`sluice ${args.join(' ')} ended with ${code}:\n${said()}`);
      return said();
    }

    /** Returns the findings of `check` about a part, each state once. */
    async function check(): Promise<(part: string) => string[]> {
      const said = JSON.parse(await sluice(['check', '--json', '--settings', 'shop.env']));
      const findings: Finding[] = said.findings;
      return (part) => [...new Set(findings.filter((one) => one.part === part).map(({ state }) => state))];
    }

    const out = await sluice(
      ['catalog', 'import', basename(file), '--out', 'my-catalog.yaml', ...pricing],
      answers,
    );
    expect(out).toContain('CATALOG=my-catalog.yaml');
    const { upstream: sold, operations } = await CatalogFile.load(join(folder, 'my-catalog.yaml'));
    const operation = operations.find(({ id }) => id === `GET ${call}`);
    expect(operation?.service.price).toBe(price);

    const document: Schema.Node = parse(await readFile(join(folder, basename(file)), 'utf8'));
    const { header, value } = sold.key;
    const upstream = await Upstream.open(document, { header, value: value.replace('{key}', 'my-key') });
    onTestFinished(upstream.close);
    await writeFile(
      join(folder, 'shop.env'),
      `CATALOG=my-catalog.yaml\nUPSTREAM_URL=${upstream.url}\nUPSTREAM_API_KEY=my-key\n`,
    );
    expect((await check())('settings')).toEqual(['ok']);

    const opening = begin(['start', '--settings', 'shop.env']);
    onTestFinished(async () => {
      if (opening.child.exitCode !== null) return;
      opening.child.kill('SIGTERM');
      await once(opening.child, 'exit');
    });
    await expect.poll(opening.said, { timeout: openMsMax }).toContain('Ctrl-C stops all programs');
    const url = `http://localhost:${env.PORT}`;
    const page = await (await fetch(url, { headers: { accept: 'text/html' } })).text();
    expect(page).toContain(operation?.service.name);

    const buyer = await Customer.register(url);
    const offer = await Customer.call(buyer, 'POST', `${url}/plans/credit/purchase`, {
      amount_usd: '5.00',
    });
    expect((await Customer.pay(offer.body.checkout_url)).status).toBe(200);
    const answer = await Customer.call(buyer, 'GET', `${url}${call}`);
    expect(answer.status).toBe(200);
    const units = Number(answer.headers.get('storefront-units'));
    expect(units).toBeGreaterThan(0);
    const cost = Money.times(Money.ofMicro(price), units);
    expect(answer.headers.get('storefront-cost-usd')).toBe(Money.formatExact(cost));
    expect(upstream.calls.at(-1)).toBe(`GET ${call} 200`);

    const proof = JSON.parse(await sluice(['ledger', 'verify', '--json']));
    expect(proof).toMatchObject({
      holds: true,
      totals: [{ asset: 'usd', paid_in: 5_000_000, spent: cost }],
    });
    const states = await check();
    expect(states('upstream')).not.toContain('problem');
    for (const part of ['settings', 'database', 'cards', 'mail', 'address'])
      expect([part, ...states(part)]).toEqual([part, 'ok']);
  },
);
