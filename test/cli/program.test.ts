import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import * as Command from '../../src/cli/command.ts';
import { commands } from '../../src/cli/table.ts';
import * as Sluice from './sluice.ts';

const root = resolve(import.meta.dirname, '../..');
const names = commands.map(({ name }) => name);

test('--version prints the version of the package', async () => {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
  const { code, out } = await Sluice.run(['--version']);
  expect([code, out.trim()]).toEqual([0, `sluice ${version}, Node ${process.version}`]);
});

test('has one table of commands, and the documents name no other', async () => {
  const { code, out } = await Sluice.run(['help']);
  expect(code).toBe(0);
  for (const { name, about } of commands) expect(out).toContain(`  sluice ${name.padEnd(12)} ${about}`);
  const pages = [
    'README.md',
    'docs/first-hour.md',
    'docs/backup.md',
    'docs/operations.md',
    'docs/catalog.md',
  ];
  for (const page of pages) {
    const text = await readFile(join(root, page), 'utf8');
    for (const [, said = ''] of text.matchAll(/\bnpx sluice (?:--settings FILE )?([a-z]+(?: keys)?)/g))
      if (said !== 'help') expect(names, page).toContain(said);
  }
});

test.each(commands)('$name teaches: what it does, an example, its exit codes', async ({ name, load }) => {
  const { help } = await load();
  expect(help).toContain(`  sluice ${name}`);
  expect(help).toContain('Exit code:');
});

test('the help of a subcommand is its own alone, and that of the command names the subcommands', async () => {
  const catalog = commands.find(({ name }) => name === 'catalog');
  if (catalog === undefined) throw new Error('no command');
  const command = await catalog.load();
  const verbs = ['import', 'check', 'diff', 'goals'];
  for (const verb of verbs) {
    const own = Command.helpFor(command, [verb, 'catalog.yaml', '--help']);
    expect(own).toContain(`  sluice catalog ${verb}`);
    expect(own).toContain('Exit code:');
    for (const other of verbs.filter((name) => name !== verb))
      expect(own).not.toContain(`sluice catalog ${other}`);
  }
  const all = Command.helpFor(command, ['--help']);
  for (const verb of verbs) expect(all).toContain(`  sluice catalog ${verb}`);
  expect(all).not.toContain('--price');
  expect(Command.helpFor(command, ['constructor'])).toBe(all);
});

test.each([
  [['ledger', 'verfy'], 'Did you mean "verify"?'],
  [['refund', 'pur_x', '--amonut', '1'], 'Did you mean "--amount"?'],
  [['ledger', 'verify', 'all'], 'Unexpected argument: "all"'],
  [['refund', 'pur_x', '--amount', 'much'], 'must be an amount in whole cents'],
  [['reconcile', '--days', 'many'], 'not a number of days'],
  [['accounts', 'show'], 'The account is missing'],
  [['data', 'drop', 'it'], 'Name the number of one data-set version.'],
  [['grant', 'acc_x'], 'usd'],
  [['discovery', 'check', 'nowhere'], 'The address of the shop is missing'],
  [['receipt', 'verify', 'x'], '--jwks is missing'],
])('%j is not understood: 2, and what is meant', async (words, said) => {
  const { code, out, err } = await Sluice.here(words);
  expect([code, out]).toEqual([2, '']);
  expect(err).toContain(said);
});

test.each([
  [['refnd', 'pur_x'], 'Did you mean "refund"?'],
  [['ledger', 'verfy'], 'For help: sluice help ledger'],
  [['check', '--settings', 'nowhere.env'], 'The settings cannot be read'],
])('%j, too, as a program of its own', async (args, said) => {
  const { code, out, err } = await Sluice.run(args);
  expect([code, out]).toEqual([2, '']);
  expect(err).toContain(said);
});

test('says for programs, too, why there is no answer', async () => {
  const away = { DATABASE_URL: 'postgres://127.0.0.1:1/nowhere' };
  for (const args of [
    ['ledger', 'verify'],
    ['refund', 'pur_x', '--amonut', '1'],
  ]) {
    const { code, out, err } = await Sluice.run([...args, '--json'], { env: away });
    expect([code, out]).toEqual([2, '']);
    expect(JSON.parse(err)).toEqual({ error: expect.any(String) });
  }
});

test('reads settings from a file, before which those of the environment come', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'sluice settings '));
  try {
    const catalog = join(root, 'test/fixtures/scripted.yaml');
    const file = join(folder, 'shop.env');
    await writeFile(file, `CATALOG=${catalog}\n`);
    const read = (env: Record<string, string>) =>
      Sluice.run(['catalog', 'check', '--json', '--settings', file], { env });
    expect(JSON.parse((await read({})).out).path).toBe(catalog);
    const other = join(root, 'test/fixtures/notes.yaml');
    expect(JSON.parse((await read({ CATALOG: other })).out).path).toBe(other);
  } finally {
    await rm(folder, { recursive: true });
  }
});

test('from an older Node it hands over to the one among the packages, with its words and its exit code', () => {
  const older = spawnSync('which', ['-a', 'node'], { encoding: 'utf8' })
    .stdout.split('\n')
    .filter((path) => path !== '' && !path.includes('node_modules'))
    .find(
      (path) =>
        Number.parseInt(spawnSync(path, ['-p', 'process.versions.node'], { encoding: 'utf8' }).stdout, 10) <
        24,
    );
  const { status, stdout, stderr } = spawnSync(
    older ?? process.execPath,
    [join(root, 'bin/sluice.mjs'), 'ledgr'],
    {
      encoding: 'utf8',
    },
  );
  expect([status, stdout]).toEqual([2, '']);
  expect(stderr).toContain('Did you mean "ledger"?');
});
