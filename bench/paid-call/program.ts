import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** A process that the bench started, with all its descendants. */
export type Program = { pid: number; stop(): Promise<void> };

const readyMsMax = 60_000;
const stopMsMax = 15_000;
const pollMs = 20;

/** Runs a script of this repository under Node until it reports that it is ready. Its output goes to `logFile`. */
export async function node(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  logFile: string,
): Promise<Program & { child: ChildProcess }> {
  const child = launch(process.execPath, args, logFile, { env: { ...bare(), ...env } }, true);
  await ready(once(child, 'message'), child, logFile);
  return { ...running(child), child };
}

/** Runs a server until it accepts connections on `port`. */
export async function server(
  command: string,
  args: readonly string[],
  port: number,
  logFile: string,
): Promise<Program> {
  const child = launch(command, args, logFile, {}, false);
  await ready(listens(port), child, logFile);
  return running(child);
}

/** Returns the output of a command. Throws with that output when the command fails. */
export async function output(command: string, args: readonly string[], env = {}): Promise<string> {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'], env: { ...bare(), ...env } });
  let printed = '';
  let said = '';
  child.stdout.on('data', (chunk) => (printed += chunk));
  child.stderr.on('data', (chunk) => (said += chunk));
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`${command} ended with ${code}: ${said || printed}`);
  return printed;
}

/** Returns a TCP port of the loopback address that is free at the moment. */
export async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const address = probe.address();
  probe.close();
  await once(probe, 'close');
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}

function bare(): Record<string, string> {
  const { PATH = '', HOME = '' } = process.env;
  return { PATH, HOME };
}

function launch(
  command: string,
  args: readonly string[],
  logFile: string,
  options: SpawnOptions,
  speaks: boolean,
): ChildProcess {
  const log = openSync(logFile, 'a');
  try {
    return spawn(command, args, {
      ...options,
      stdio: ['ignore', log, log, ...(speaks ? ['ipc' as const] : [])],
    });
  } finally {
    closeSync(log);
  }
}

async function ready(sign: Promise<unknown>, child: ChildProcess, logFile: string): Promise<void> {
  const late = AbortSignal.timeout(readyMsMax);
  const gone = Promise.race([
    once(child, 'exit', { signal: late }),
    once(child, 'error', { signal: late }),
  ]).then(([reason]) => {
    throw new Error(`${child.spawnargs.join(' ')} ended (${reason}) before it was ready; see ${logFile}`);
  });
  gone.catch(() => {});
  await Promise.race([sign, gone]);
}

async function listens(port: number): Promise<void> {
  for (;;) {
    const socket = connect(port, '127.0.0.1');
    const [isOpen] = await Promise.race([
      once(socket, 'connect').then(() => [true]),
      once(socket, 'error').then(() => [false]),
    ]).catch(() => [false]);
    socket.destroy();
    if (isOpen) return;
    await sleep(pollMs);
  }
}

function running(child: ChildProcess): Program {
  return {
    pid: child.pid ?? 0,
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const gone = once(child, 'exit');
      child.kill('SIGTERM');
      const late = setTimeout(() => child.kill('SIGKILL'), stopMsMax);
      await gone;
      clearTimeout(late);
    },
  };
}
