import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import * as Settings from '../../src/process/settings.ts';

let folder: string;
let file: string;
let key: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sluice-settings-'));
  [file, key] = [join(folder, 'settings.env'), join(folder, 'key')];
  await writeFile(key, 'upk_of_a_file\n');
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const gather = async (lines: string, env: Settings.Env = {}) => {
  await writeFile(file, lines);
  return Settings.gather({ SETTINGS_FILE: file, ...env });
};

it('takes from the file what the environment does not say', async () => {
  const found = await gather('PORT=5000\nLOG_LEVEL="debug" # loud\nDIRECT_PORT=1\n', {
    PORT: '6000',
    LOG_LEVEL: '',
  });
  expect(found).toMatchObject({ ok: true, env: { PORT: '6000', LOG_LEVEL: 'debug', DIRECT_PORT: '1' } });
});

it('takes a secret from a file of its own, wherever that is named', async () => {
  const named = `UPSTREAM_API_KEY_FILE=${key}\n`;
  expect(await gather(named)).toMatchObject({ env: { UPSTREAM_API_KEY: 'upk_of_a_file' } });
  expect(await gather('', { UPSTREAM_API_KEY_FILE: key })).toMatchObject({
    env: { UPSTREAM_API_KEY: 'upk_of_a_file' },
  });
  expect(await gather(named, { UPSTREAM_API_KEY: 'upk' })).toMatchObject({
    env: { UPSTREAM_API_KEY: 'upk' },
  });
  expect(await gather('UPSTREAM_API_KEY=x\n', { UPSTREAM_API_KEY_FILE: key })).toMatchObject({
    env: { UPSTREAM_API_KEY: 'upk_of_a_file' },
  });
});

it('says all that is wrong at once, by name', async () => {
  const found = await gather(
    `UPSTREM_URL=x\nADMIN_TOKEN=a\nADMIN_TOKEN_FILE=${key}\nSMTP_URL_FILE=/nowhere\n`,
  );
  expect(found).toEqual({
    ok: false,
    faults: [
      `UPSTREM_URL in ${file} is not a setting. Did you mean "UPSTREAM_URL"?`,
      'SMTP_URL_FILE: /nowhere cannot be read (ENOENT)',
      'ADMIN_TOKEN and ADMIN_TOKEN_FILE are both set: remove one of them',
    ],
  });
  expect(await Settings.gather({ SETTINGS_FILE: '/nowhere' })).toMatchObject({ ok: false });
});

it('refuses lines without an equals sign by their number, and does not repeat them', async () => {
  const lines = `# a comment\n\nexport PORT=1\nSTRIPE_SECRET_KEY sk_live_hush\nMAIL_FROM="one\ntwo"\nsk_live_hush\nHOST='::1'\n`;
  const found = await gather(lines);
  const faults = found.ok ? [] : found.faults;
  expect(faults.map((fault) => fault.split(' ')[0])).toEqual([`${file}:4`, `${file}:7`]);
  for (const fault of faults) expect(fault).toContain('has no "="');
  expect(faults.join()).not.toContain('hush');
});

it('warns about variables of the environment that are nearly settings, and about no others', async () => {
  const found = await Settings.gather({
    UPSTREM_URL: 'x',
    X402_PAYTO: 'x',
    HOME: '/root',
    LC_ALL: 'C',
    REDIS_PORT: 'tcp://10.0.0.1:6379',
    UPSTREAM_SERVICE_HOST: '10.0.0.2',
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://127.0.0.1:4318',
    SANDBOX_PORT: '4022',
  });
  expect(found).toEqual({
    ok: true,
    env: expect.anything(),
    warnings: [
      'UPSTREM_URL in the environment is not a setting. Did you mean "UPSTREAM_URL"?',
      'X402_PAYTO in the environment is not a setting. Did you mean "X402_PAY_TO"?',
    ],
  });
});

it('refuses a settings file that names another', async () => {
  expect(await gather('SETTINGS_FILE=other.env\n')).toMatchObject({ ok: false });
});

it('names what is another, and what a process that runs cannot be told', () => {
  const before = { PORT: '1', UPSTREAM_API_KEY: 'a', LOG_LEVEL: '' };
  expect(Settings.changed(before, { PORT: '2', UPSTREAM_API_KEY: 'b' })).toEqual([
    'PORT',
    'UPSTREAM_API_KEY',
  ]);
  expect(['PORT', 'UPSTREAM_API_KEY'].map(Settings.isFixed)).toEqual([true, false]);
});
