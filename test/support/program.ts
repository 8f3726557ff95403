import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import * as BuiltPrograms from './built-programs.ts';

export { freePort } from './free-port.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const readyWaitMs = 60_000;
/** Longer than all waits of a storefront that stops, one after the other. */
const stopWaitMs = 30_000;

/** A program of this repository that runs in a child process. */
export type Program = {
  child: ChildProcess;
  /** Returns everything that it has printed so far. */
  output(): string;
  /** Sends SIGTERM and returns the exit code. Sends SIGKILL when the program does not end in time. */
  stop(): Promise<number | null>;
  /** Sends SIGKILL, so that the program cannot clean up. */
  kill(): Promise<void>;
};

/** The user `nobody`, for programs that must not have the rights of a test run as root; empty where the run has no such rights. */
export const unprivileged = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};

/**
 * Starts `script` in `folder` and resolves when it reports that it is ready. Rejects with its output when it does not.
 * @param user the user that it runs as, by default that of the tests
 */
export async function start(
  script: string,
  env: Record<string, string>,
  folder = root,
  user: { uid?: number; gid?: number } = {},
): Promise<Program> {
  const path = folder === root ? await BuiltPrograms.pathOf(script) : folder + script;
  const child = spawn(process.execPath, [path], {
    ...user,
    env: { ...inherited(), ...env },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  let printed = '';
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (printed += chunk));
  const exited = once(child, 'exit');
  const program: Program = {
    child,
    output: () => printed,
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
      child.kill('SIGTERM');
      const late = setTimeout(() => child.kill('SIGKILL'), stopWaitMs);
      await exited;
      clearTimeout(late);
      return child.exitCode;
    },
    async kill() {
      child.kill('SIGKILL');
      if (child.exitCode === null && child.signalCode === null) await exited;
    },
  };
  await new Promise<void>((resolve, reject) => {
    const late = setTimeout(() => {
      child.kill('SIGKILL');
      reject(new Error(`${script} is not ready:\n${printed}`));
    }, readyWaitMs);
    child.once('message', () => resolve());
    child.once('exit', (code) => {
      clearTimeout(late);
      reject(new Error(`${script} ended with ${code}:\n${printed}`));
    });
    child.once('spawn', () => child.once('message', () => clearTimeout(late)));
  });
  return program;
}

/** Returns the only variables of the test run that programs get. */
function inherited(): Record<string, string> {
  const { PATH = '', HOME = '', NODE_COMPILE_CACHE } = process.env;
  return { PATH, HOME, ...(NODE_COMPILE_CACHE && { NODE_COMPILE_CACHE }) };
}
