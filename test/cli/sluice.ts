import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Misuse } from '@sluice/kernel/command-line';
import { vi } from 'vitest';
import * as Table from '../../src/cli/table.ts';
import * as BuiltPrograms from '../support/built-programs.ts';
import type { Shop } from '../support/shop.ts';

/** The output of a command, and its exit code. */
export type Run = { code: number | null; out: string; err: string };

export type Around = {
  env?: Readonly<Record<string, string>>;
  cwd?: string;
  /** Text for standard input; nothing when it is absent. */
  input?: string;
};

/** Runs `sluice` as a process until it ends. Of the test's environment it gets the path and the compile cache. */
export async function run(args: readonly string[], { env = {}, cwd, input }: Around = {}): Promise<Run> {
  const script = await BuiltPrograms.pathOf('src/cli/sluice.ts');
  const child = spawn(process.execPath, [script, ...args], {
    env: { ...inherited(), ...env },
    ...(cwd !== undefined && { cwd }),
    stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
  });
  const run: Run = { code: null, out: '', err: '' };
  child.stdout?.on('data', (chunk) => {
    run.out += chunk;
  });
  child.stderr?.on('data', (chunk) => {
    run.err += chunk;
  });
  child.stdin?.end(input);
  [run.code] = await once(child, 'close');
  return run;
}

/** Runs `sluice` beside a shop, on its database and card sandbox. */
export function runBeside(
  { databaseUrl, sandboxUrl }: Pick<Shop, 'databaseUrl' | 'sandboxUrl'>,
  ...args: readonly string[]
): Promise<Run> {
  return run(args, {
    env: {
      DATABASE_URL: databaseUrl,
      STRIPE_SECRET_KEY: 'sk_test_sandbox',
      STRIPE_API_BASE: sandboxUrl,
    },
  });
}

/** Returns the only variables of the test run that the command gets. */
function inherited(): Record<string, string> {
  const { PATH = '', NODE_COMPILE_CACHE } = process.env;
  return { PATH, ...(NODE_COMPILE_CACHE && { NODE_COMPILE_CACHE }) };
}

/** Runs a command in this process, which is faster for its many cases. */
export async function here(
  words: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Run> {
  const found = Table.find(words);
  if (found === null) throw new Error(`no command ${words.join(' ')}`);
  const run: Run = { code: null, out: '', err: '' };
  const log = vi.spyOn(console, 'log').mockImplementation((text) => {
    run.out += `${text}\n`;
  });
  const error = vi.spyOn(console, 'error').mockImplementation((text) => {
    run.err += `${text}\n`;
  });
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
  try {
    run.code = await (await found.entry.load()).run(found.rest);
  } catch (fault) {
    if (!(fault instanceof Misuse)) throw fault;
    run.code = 2;
    run.err += fault.message;
  } finally {
    log.mockRestore();
    error.mockRestore();
    vi.unstubAllEnvs();
  }
  return run;
}
