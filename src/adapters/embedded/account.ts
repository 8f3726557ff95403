import { spawnSync } from 'node:child_process';
import { statSync } from 'node:fs';

/** The system account that PostgreSQL runs under; null is the one we run under ourselves. */
export type Account = { uid: number; gid: number } | null;

/**
 * Who runs the server whose files are in `data`: PostgreSQL refuses to run as root, so for root it is the owner of
 * `data`, or `nobody` where there is none yet. Throws where there is no `nobody`.
 */
export function choose(data: string): Account {
  if (process.getuid?.() !== 0) return null;
  const found = statSync(data, { throwIfNoEntry: false });
  if (found && found.uid !== 0) return { uid: found.uid, gid: found.gid };
  const [uid, gid] = ['-u', '-g'].map((what) => {
    const asked = spawnSync('id', [what, 'nobody'], { encoding: 'utf8' });
    return asked.status === 0 ? Number(asked.stdout) : 0;
  });
  if (uid && gid) return { uid, gid };
  throw new Error(
    'PostgreSQL does not run as root and there is no account "nobody": start as another user or set DATABASE_URL',
  );
}

/** Whether `account` may run the program at `path`: every folder above it must let the account pass. */
export function canRun(account: Account, path: string): boolean {
  if (account === null) return true;
  return spawnSync('/bin/sh', ['-c', 'test -x "$1"', 'sh', path], { ...account, cwd: '/' }).status === 0;
}

/** Gives `path` and all below it to `account`. */
export function give(account: Account, path: string): void {
  if (account === null) return;
  const done = spawnSync('chown', ['-R', `${account.uid}:${account.gid}`, path], { encoding: 'utf8' });
  if (done.status !== 0) throw new Error(`cannot give ${path} to user ${account.uid}: ${done.stderr}`);
}
