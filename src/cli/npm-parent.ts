import { readFileSync } from 'node:fs';

const pollMs = 200;

/**
 * Settles when the npm that started this process has exited; never settles without npm. npm forwards signals to a shell between the two,
 * which exits without passing them on.
 */
export function gone(): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  if (process.env.npm_lifecycle_event) {
    const first = parents();
    const timer = setInterval(() => {
      if (parents() === first) return;
      clearInterval(timer);
      resolve();
    }, pollMs);
    timer.unref();
  }
  return promise;
}

/** Returns the process ids of the parent and, if available, of its parent: the shell and npm. */
function parents(): string {
  try {
    // The fields after the name, which is in parentheses and may hold any character: state, parent ... (proc(5)).
    const stat = readFileSync(`/proc/${process.ppid}/stat`, 'utf8');
    return `${process.ppid} ${stat.slice(stat.lastIndexOf(')')).split(' ')[2]}`;
  } catch {
    return String(process.ppid);
  }
}
