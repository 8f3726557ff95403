import { spawnSync } from 'node:child_process';
import { statSync } from 'node:fs';

/** The system account for a new data folder of root. */
const fallbackAccount = 'nobody';

/** The system account that PostgreSQL runs under; null is the one we run under ourselves. */
export type SystemAccount = { uid: number; gid: number } | null;

/**
 * Returns the account for the server with the files in `data`. PostgreSQL refuses to run as root, so for root this is the owner of `data`,
 * or the account `nobody` when the folder is new. Throws when there is no such account.
 */
export function choose(data: string): SystemAccount {
  if (process.getuid?.() !== 0) return null;
  const found = statSync(data, { throwIfNoEntry: false });
  if (found && found.uid !== 0) return { uid: found.uid, gid: found.gid };
  const [uid, gid] = ['-u', '-g'].map((what) => {
    const asked = spawnSync('id', [what, fallbackAccount], { encoding: 'utf8' });
    return asked.status === 0 ? Number(asked.stdout) : 0;
  });
  if (uid && gid) return { uid, gid };
  throw new Error(
    `PostgreSQL does not run as root, and the account ${fallbackAccount} does not exist. Start as another user, or set DATABASE_URL`,
  );
}

/** Returns true when `account` may run the program at `path`: it needs access to every folder above. */
export function canRun(account: SystemAccount, path: string): boolean {
  if (account === null) return true;
  return spawnSync('/bin/sh', ['-c', 'test -x "$1"', 'sh', path], { ...account, cwd: '/' }).status === 0;
}

/** Makes `account` the owner of `path` and everything below. */
export function give(account: SystemAccount, path: string): void {
  if (account === null) return;
  const done = spawnSync('chown', ['-R', `${account.uid}:${account.gid}`, path], { encoding: 'utf8' });
  if (done.status !== 0) throw new Error(`cannot give ${path} to user ${account.uid}: ${done.stderr}`);
}
