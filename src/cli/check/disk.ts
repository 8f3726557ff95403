import { stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import type postgres from 'postgres';
import * as Finding from './finding.ts';

const { ok, problem } = Finding.findingsOf('database');
const freeShareMin = 0.1;
const gib = 1024 ** 3;

/** Finds how much disk is free, where the data folder is on this machine and the role may see where it is; otherwise nothing. */
export async function check(sql: postgres.Sql): Promise<Finding.Finding[]> {
  const [row] = await sql<{ folder: string | null; is_local: boolean }[]>`SELECT setting AS folder,
    coalesce(inet_server_addr() = inet_client_addr(), true) AS is_local FROM pg_settings WHERE name = 'data_directory'`;
  if (!row?.is_local || !row.folder) return [];
  // The folder of a server in a container has the same name and is another one, or none.
  const isOurs = await stat(join(row.folder, 'postmaster.pid')).then(
    () => true,
    () => false,
  );
  if (!isOurs) return [];
  const { bavail, blocks, bsize } = await statfs(row.folder);
  return [judge(bavail * bsize, blocks * bsize)];
}

/** Judges the free space of the disk that the database is on, in bytes. */
export function judge(free: number, total: number): Finding.Finding {
  const shown = `${Math.floor(free / gib)} of ${Math.floor(total / gib)} GiB of its disk are free`;
  return free < total * freeShareMin
    ? problem(shown, 'enlarge the disk, or remove old usage (docs/capacity.md): a full disk stops all sales')
    : ok(shown);
}
