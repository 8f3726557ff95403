import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import * as NamedVariables from '../../src/catalog/named-variables.ts';
import * as Person from '../purchase/person.ts';
import { freePorts } from '../support/free-port.ts';

const root = join(import.meta.dirname, '../..');
const page = readFileSync(join(root, 'docs/llm-shop.md'), 'utf8');
/** The commands of the page, in order: the upstream, the shop, the purchase, the stream. */
const commands = [...page.matchAll(/^```sh\n(.*?)^```/gms)].map(([, text = '']) => text);
const startMsMax = 120_000;

const folder = mkdtempSync(join(tmpdir(), 'sluice-llm-guide-'));
const children: ChildProcess[] = [];
let ports: { shop: number; usage: number };

beforeAll(async () => {
  const [shop = 0, upstream = 0, usage = 0, sandbox = 0, mailbox = 0, smtp = 0] = await freePorts(6);
  ports = { shop, usage };
  const env = {
    ...{ PORT: `${shop}`, PUBLIC_URL: `http://localhost:${shop}`, DATA_DIR: folder },
    ...{ SANDBOX_PORT: `${sandbox}`, MAILBOX_PORT: `${mailbox}`, MAILBOX_SMTP_PORT: `${smtp}` },
  };
  start(commands[0] ?? '', { PORT: `${upstream}`, USAGE_PORT: `${usage}` });
  const address = `http://127.0.0.1:${upstream}`;
  const urls = ['UPSTREAM_URL', 'UPSTREAM_ANTHROPIC_URL', 'UPSTREAM_GEMINI_URL'].map((name) => [
    name,
    address,
  ]);
  start(commands[1] ?? '', { ...env, ...Object.fromEntries(urls) });
});
afterAll(async () => {
  for (const child of children) {
    const exited = new Promise((resolve) => child.once('exit', resolve));
    if (child.exitCode !== null) continue;
    process.kill(-(child.pid ?? 0), 'SIGTERM');
    await exited;
  }
  rmSync(folder, { recursive: true, force: true });
});

function start(command: string, env: Readonly<Record<string, string>>): void {
  const options = { cwd: root, env: { ...process.env, ...env }, detached: true, stdio: 'ignore' } as const;
  children.push(spawn('sh', ['-c', command], options));
}

async function run(command: string): Promise<string> {
  const text = command.replaceAll('http://localhost:4020', `http://localhost:${ports.shop}`);
  return (await promisify(execFile)('sh', ['-c', text])).stdout;
}

test(
  'the commands of the guide lead from the start to a stream whose charge is the usage of the upstream',
  async () => {
    await expect
      .poll(
        () =>
          fetch(`http://localhost:${ports.shop}/readyz`).then(
            ({ status }) => status,
            () => 0,
          ),
        { timeout: startMsMax },
      )
      .toBe(200);
    const [, , buy = '', stream = ''] = commands;
    const bought = (await run(`${buy}\necho "$TOKEN"`)).trim().split('\n');
    const [checkoutUrl = '', token = ''] = bought;
    expect((await fetch(await Person.pay(await Person.open(checkoutUrl)))).status).toBe(200);
    const text = await run(`SHOP=http://localhost:4020 TOKEN=${token}\n${stream}`);
    expect(text).toContain('data: [DONE]');
    expect(text).toMatch(/^storefront-cost-usd: 0\.000004\r?$/m);
    expect(text).toMatch(/^storefront-usage: input=11, cached_input=2, output=4\r?$/m);
    const usage = await (await fetch(`http://127.0.0.1:${ports.usage}/usage`)).json();
    expect(usage).toMatchObject({ calls: [{ model: 'small-1' }] });
  },
  2 * startMsMax,
);

test('the settings provide every variable that the catalogue names', () => {
  const { variables } = NamedVariables.read(join(root, 'examples/llm-shop/catalog.yaml'));
  const text = readFileSync(join(root, 'examples/llm-shop/shop.env'), 'utf8');
  const settings = [...text.matchAll(/^([A-Z_]+)=/gm)].map(([, name]) => name);
  expect(settings).toEqual(expect.arrayContaining([...variables]));
});
