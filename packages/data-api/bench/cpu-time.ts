import { readdirSync, readFileSync } from 'node:fs';
import type { Sql } from '../src/adapters/database.ts';

/** Wall time and CPU time used so far, in seconds. */
export type Reading = { wall: number; node: number; postgres: number };
export type Meter = { read(): Reading };

/** The unit of CPU times in /proc on Linux. */
const ticksPerSecond = 100;

/** Reads the CPU time of this process and of the PostgreSQL server behind `sql`, with all of its processes. */
export async function meter(sql: Sql): Promise<Meter> {
  const [row] = await sql<{ pid: number }[]>`select pg_backend_pid() as pid`;
  const server = statOf(String(row?.pid))?.parent;
  if (server === undefined)
    throw new Error('The processes of PostgreSQL must be on this machine, under Linux');
  return {
    read() {
      const { user, system } = process.cpuUsage();
      return {
        wall: performance.now() / 1_000,
        node: (user + system) / 1e6,
        postgres: ticks(server) / ticksPerSecond,
      };
    },
  };
}

/** CPU time of the server, of its current processes and of those that ended. */
function ticks(server: string): number {
  let sum = 0;
  for (const pid of readdirSync('/proc')) {
    const stat = /^\d+$/.test(pid) ? statOf(pid) : null;
    if (stat === null || (pid !== server && stat.parent !== server)) continue;
    sum += stat.own + (pid === server ? stat.ended : 0);
  }
  return sum;
}

/** Fields of /proc/<pid>/stat: the parent, the process's own CPU time, and that of its ended children; null if it ended. */
function statOf(pid: string): { parent: string; own: number; ended: number } | null {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name in parentheses may contain spaces.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    const number = (at: number) => Number(fields[at]);
    return { parent: fields[1] ?? '', own: number(11) + number(12), ended: number(13) + number(14) };
  } catch {
    return null;
  }
}
