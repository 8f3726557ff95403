import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

/**
 * The commit that processes are upgraded from: the last one that was released or, before the first release, the last state of the main
 * branch whose database this version can take over. Set it to the commit of each release.
 */
const commit = 'e0ba7fa493d1df6627c8c7cf0263f6ae38a45ccd';

const root = resolve(import.meta.dirname, '../..');

export type Tree = {
  /** The folder of the tree, with a slash at its end. */
  folder: string;
  remove(): Promise<void>;
};

/** Extracts the previous release from the history of this repository. It uses its own packages, and the installed dependencies. */
export async function extract(): Promise<Tree> {
  const archive = spawnSync('git', ['archive', commit], { cwd: root, maxBuffer: 256 * 1024 * 1024 });
  if (archive.status !== 0)
    throw new Error(`this test needs commit ${commit} in the history of a full clone: ${archive.stderr}`);
  const folder = await mkdtemp(join(tmpdir(), 'sluice-previous-'));
  const unpacked = spawnSync('tar', ['-x', '-C', folder], { input: archive.stdout });
  if (unpacked.status !== 0) throw new Error(`tar: ${unpacked.stderr}`);
  const [installed, modules] = [join(root, 'node_modules'), join(folder, 'node_modules')];
  await mkdir(join(modules, '@sluice'), { recursive: true });
  const links = (await readdir(installed))
    .filter((name) => name !== '@sluice')
    .map((name) => symlink(join(installed, name), join(modules, name)));
  const own = (await readdir(join(folder, 'packages'))).map((name) =>
    symlink(join(folder, 'packages', name), join(modules, '@sluice', name)),
  );
  await Promise.all([...links, ...own]);
  return { folder: `${folder}/`, remove: () => rm(folder, { recursive: true }) };
}
