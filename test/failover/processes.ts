import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';

export type Account = { uid: number; gid: number };

const started = new Set<ChildProcess>();
/** Ends everything that the run started, also after an error. */
process.once('exit', () => {
  for (const { pid } of started) if (pid !== undefined) signal(pid, 'SIGKILL');
});

/** Starts a program that logs to a file. */
export function start(
  program: string,
  args: string[],
  env: Record<string, string>,
  log: string,
  account: Account,
  cwd: string,
): ChildProcess {
  const file = openSync(log, 'a');
  const child = spawn(program, args, {
    env: { PATH: process.env.PATH ?? '', LC_ALL: 'C.UTF-8', ...env },
    stdio: ['ignore', file, file],
    cwd,
    ...account,
  });
  closeSync(file);
  started.add(child);
  child.once('exit', () => started.delete(child));
  child.once('error', () => started.delete(child));
  return child;
}

/** Ends a process and waits until it has ended. A stopped process is continued first, and one that does not end in time is killed. */
export async function stop(child: ChildProcess, name: NodeJS.Signals, waitMs: number): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
  const exited = once(child, 'exit');
  signal(child.pid, 'SIGCONT');
  signal(child.pid, name);
  const late = setTimeout(() => signal(child.pid ?? 0, 'SIGKILL'), waitMs);
  await exited;
  clearTimeout(late);
}

/** Sends a signal to one process. Returns false if there is none with this id. */
export function signal(pid: number, name: NodeJS.Signals | 0): boolean {
  if (pid <= 1) return false;
  try {
    return process.kill(pid, name);
  } catch {
    return false;
  }
}

/**
 * Kills processes and all their descendants. The parents are stopped first: a process that PostgreSQL starts after the descendants were listed would
 * survive, wait for a lock of the dead ones for ever, and keep the server from starting again.
 */
export async function killFamilies(parents: readonly (number | null)[]): Promise<void> {
  const there = parents.filter((pid) => pid !== null);
  for (const pid of there) signal(pid, 'SIGSTOP');
  const all = await Promise.all(there.map((pid) => family(pid)));
  for (const pid of all.flat()) signal(pid, 'SIGKILL');
}

/** Returns the ids of a process and of all its descendants, parents first. */
async function family(pid: number): Promise<number[]> {
  const all = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
  const parents = new Map<number, number>();
  for (const each of all) {
    const status = await readFile(`/proc/${each}/status`, 'utf8').catch(() => '');
    parents.set(each, Number(/^PPid:\s+(\d+)/m.exec(status)?.[1] ?? 0));
  }
  const found = [pid];
  for (let at = 0; at < found.length; at++)
    found.push(...all.filter((each) => parents.get(each) === found[at]));
  return found;
}
