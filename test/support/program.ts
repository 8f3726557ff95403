import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { fileURLToPath } from 'node:url';

const src = fileURLToPath(new URL('../../src/', import.meta.url));
const readyWaitMs = 60_000;
const stopWaitMs = 15_000;

/** A program of ours as a process of its own. */
export type Program = {
  child: ChildProcess;
  /** All that it has printed so far. */
  output(): string;
  /** SIGTERM, and its exit code; SIGKILL where it does not end in time. */
  stop(): Promise<number | null>;
  /** SIGKILL: no chance to tidy up. */
  kill(): Promise<void>;
};

/** Starts `src/<script>`, of this tree or of another, and resolves when it says that it is ready; rejects with its output when it does not. */
export async function start(script: string, env: Record<string, string>, folder = src): Promise<Program> {
  const child = spawn(process.execPath, [folder + script], {
    env: { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '', ...env },
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

/** A TCP port of the loopback address that nobody listens on now. */
export async function freePort(): Promise<number> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}
