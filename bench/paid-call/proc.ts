import { readdirSync, readFileSync } from 'node:fs';

/** One process from `/proc` (proc(5)). CPU in milliseconds, of its threads and of the children that it has waited for. */
type Stat = { pid: number; parent: number; ownMs: number; waitedMs: number };

/** The kernel counts in hundredths of a second, whatever its own clock is. */
const msATick = 10;
const bytesAPage = 4096;

/** Returns the CPU milliseconds that a process and all its descendants have used so far. */
export function cpuMs(root: number): number {
  return tree(root).reduce((sum, { pid, ownMs, waitedMs }) => sum + ownMs + (pid === root ? waitedMs : 0), 0);
}

/** Returns the resident bytes of a process and all its descendants. */
export function residentBytes(root: number): number {
  return tree(root).reduce((sum, { pid }) => sum + residentPages(pid) * bytesAPage, 0);
}

function residentPages(pid: number): number {
  try {
    return Number(readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1]);
  } catch {
    return 0;
  }
}

function tree(root: number): Stat[] {
  const all = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => read(Number(name)) ?? []);
  const found = all.filter(({ pid }) => pid === root);
  for (const { pid } of found) found.push(...all.filter(({ parent }) => parent === pid));
  return found;
}

function read(pid: number): Stat | null {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The process name may contain any character, including spaces and parentheses, so parse after its end.
    const fields = text
      .slice(text.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number);
    const [, parent = 0, , , , , , , , , , user = 0, system = 0, waitedUser = 0, waitedSystem = 0] = fields;
    return {
      pid,
      parent,
      ownMs: (user + system) * msATick,
      waitedMs: (waitedUser + waitedSystem) * msATick,
    };
  } catch {
    return null;
  }
}
