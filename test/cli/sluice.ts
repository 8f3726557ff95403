import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { vi } from 'vitest';
import { Misuse } from '../../src/cli/command.ts';
import * as Table from '../../src/cli/table.ts';

const script = fileURLToPath(new URL('../../src/cli/sluice.ts', import.meta.url));

/** What a command said, and its exit code. */
export type Run = { code: number | null; out: string; err: string };

export type Around = {
  env?: Readonly<Record<string, string>>;
  cwd?: string;
  /** What is piped in; nothing where it is left out. */
  input?: string;
};

/** Runs `sluice` to its end as a process, with nothing of our environment but the path. */
export async function run(args: readonly string[], { env = {}, cwd, input }: Around = {}): Promise<Run> {
  const child = spawn(process.execPath, [script, ...args], {
    env: { PATH: process.env.PATH ?? '', ...env },
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

/** Runs a command in this process, which is the faster way to its many cases. */
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
