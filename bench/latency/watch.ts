import { readdirSync, readFileSync } from 'node:fs';
import postgres from 'postgres';
import type { Disturbance, Part } from './causes.ts';
import { nowMs } from './span.ts';

/** A process whose waits for a core are watched, with its children. */
export type Watched = { pid: number; part: Part; name: string };

const everyMs = 4;
/** A process waits for a core if it was ready to run, but did not, for this long between two samples. */
const waitMsMin = 1;
const childrenEveryMs = 1_000;
const nsAMs = 1e6;
const msATick = 10;

/**
 * Samples, every few milliseconds: how long processes waited for a core, time that the host took from this machine, and what PostgreSQL's
 * connections wait for. Call the result to stop, and to get the disturbances.
 */
export function start(processes: readonly Watched[], databaseUrl: string): () => Promise<Disturbance[]> {
  const found: Disturbance[] = [];
  const sql = postgres(databaseUrl, { max: 1, onnotice: () => {} });
  let watched = withChildren(processes);
  const waitedMs = new Map<number, number>();
  let [stolenMs, atMs, childrenAtMs] = [stolen(), nowMs(), nowMs()];
  let asking = Promise.resolve();
  let isAsking = false;
  const sample = () => {
    const now = nowMs();
    const add = (part: Part, cause: string) => found.push({ startMs: atMs, endMs: now, part, cause });
    if (now - childrenAtMs > childrenEveryMs) [watched, childrenAtMs] = [withChildren(processes), now];
    for (const { pid, part, name } of watched) {
      const total = coreWaitMs(pid);
      const before = waitedMs.get(pid);
      if (before !== undefined && total - before >= waitMsMin) add(part, `${name} waited for a core`);
      waitedMs.set(pid, total);
    }
    const taken = stolen();
    if (taken - stolenMs >= msATick) add('machine', 'the host took the core');
    stolenMs = taken;
    if (!isAsking) {
      isAsking = true;
      const fromMs = now;
      asking = waits(sql).then((causes) => {
        for (const cause of causes) found.push({ startMs: fromMs, endMs: nowMs(), part: 'commit', cause });
        isAsking = false;
      });
    }
    atMs = now;
  };
  const timer = setInterval(sample, everyMs);
  return async () => {
    clearInterval(timer);
    await asking;
    await sql.end();
    return found;
  };
}

/** Returns what the connections of PostgreSQL wait for: a flush of the log, a lock. */
async function waits(sql: postgres.Sql): Promise<string[]> {
  const rows = await sql<{ wait: string }[]>`
    SELECT DISTINCT wait_event_type || ' ' || wait_event AS wait FROM pg_stat_activity
    WHERE backend_type = 'client backend' AND state = 'active' AND pid <> pg_backend_pid() AND wait_event IS NOT NULL`;
  return rows.map(({ wait }) =>
    /^(?:IO WALSync|LWLock WALWrite)$/i.test(wait)
      ? 'the disk flushed the log'
      : `PostgreSQL waited: ${wait}`,
  );
}

function withChildren(processes: readonly Watched[]): Watched[] {
  const parents = new Map(processes.map((one) => [one.pid, one]));
  const children = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      const stat = read(`/proc/${name}/stat`);
      const parent = parents.get(Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]));
      return parent === undefined ? [] : [{ ...parent, pid: Number(name) }];
    });
  return [...processes, ...children];
}

/** Returns how long the main thread of a process was ready and had no core, so far. */
function coreWaitMs(pid: number): number {
  return Number(read(`/proc/${pid}/schedstat`).split(' ')[1] ?? 0) / nsAMs;
}

function stolen(): number {
  return Number(read('/proc/stat').split('\n', 1)[0]?.split(/ +/)[8] ?? 0) * msATick;
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    // The process has ended.
    return '';
  }
}
