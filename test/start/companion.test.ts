import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import * as ChildProcess from '../../src/cli/child-process.ts';

let dir = '';
let notices: string[] = [];

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'sluice companion '));
  notices = [];
});

afterEach(() => rm(dir, { recursive: true, force: true }));

function options(manner: string): ChildProcess.Options {
  return {
    name: 'storefront',
    script: join(import.meta.dirname, 'fixtures', 'companion.ts'),
    env: { MANNER: manner, STARTS: join(dir, 'starts') },
    logFile: join(dir, 'log'),
    notice: (line) => notices.push(line),
    abandon: new AbortController().signal,
    drainMsMax: 300,
    restartMs: 10,
  };
}

async function starts(): Promise<number[]> {
  return (await readFile(join(dir, 'starts'), 'utf8')).trim().split('\n').map(Number);
}

function isAlive(pid: number | undefined): boolean {
  try {
    return pid !== undefined && process.kill(pid, 0);
  } catch {
    return false;
  }
}

test('is reached at the address it told, until it is stopped', async () => {
  const companion = await ChildProcess.start(options('good'));
  expect(await (await fetch(companion.url)).text()).toBe('here');
  await companion.stop();
  expect(isAlive((await starts())[0])).toBe(false);
  expect(notices).toEqual([]);
});

test('has its child read its files again', async () => {
  const companion = await ChildProcess.start(options('good'));
  companion.reload();
  await expect.poll(async () => (await fetch(companion.url)).text()).toBe('here, anew');
  await companion.stop();
});

test('passes on the last words of a child that ends before it listens', async () => {
  await expect(ChildProcess.start(options('fails'))).rejects.toThrow(
    /storefront did not start.*no such catalogue/s,
  );
  expect(await starts()).toHaveLength(1);
});

test('starts a killed child again', async () => {
  const companion = await ChildProcess.start(options('good'));
  process.kill((await starts())[0] ?? 0, 'SIGKILL');
  await expect.poll(async () => (await starts()).length).toBe(2);
  expect(notices).toEqual(['The storefront stopped (SIGKILL); it is started again']);
  await companion.stop();
});

test('gives up a child that keeps ending', async () => {
  const companion = await ChildProcess.start(options('ends'));
  expect((await companion.failed).message).toMatch(/storefront keeps stopping/);
  expect(await starts()).toHaveLength(7);
});

test('ends a child by force that does not end when asked', async () => {
  const companion = await ChildProcess.start(options('stubborn'));
  await companion.stop();
  expect(isAlive((await starts())[0])).toBe(false);
});

test('a child ends when the program that started it is killed', async () => {
  const parent = fork(join(import.meta.dirname, 'fixtures', 'parent.ts'), [], { env: options('good').env });
  const [url] = await once(parent, 'message');
  expect((await fetch(url)).status).toBe(200);
  parent.kill('SIGKILL');
  await expect
    .poll(() =>
      fetch(url).then(
        () => 'here',
        () => 'gone',
      ),
    )
    .toBe('gone');
});
