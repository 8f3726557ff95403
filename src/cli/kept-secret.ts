import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sha256Hex } from '../kernel/digest.ts';
import { secret } from '../kernel/id.ts';

/** The secret in the file `name` of `folder`, made with `prefix` at the first call; its owner alone may read it. */
export async function keep(folder: string, name: string, prefix: string): Promise<string> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, name);
  await writeFile(path, `${secret(prefix)}\n`, { mode: 0o600, flag: 'wx' }).catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    },
  );
  return (await readFile(path, 'utf8')).trim();
}

/** What the file `name` of `folder` holds; empty where there is none yet. */
export async function find(folder: string, name: string): Promise<string> {
  return (await readFile(join(folder, name), 'utf8').catch(() => '')).trim();
}

/**
 * The digest, in the file `name` of `folder`, of a secret that is kept nowhere; `fresh` is the secret itself at the first call, to be
 * shown once. Without its file there is another one.
 */
export async function keepDigest(
  folder: string,
  name: string,
  prefix: string,
): Promise<{ digest: string; fresh: string | null }> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, name);
  const fresh = secret(prefix);
  const isFirst = await writeFile(path, `${sha256Hex(fresh)}\n`, { mode: 0o600, flag: 'wx' }).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
      return false;
    },
  );
  return { digest: (await readFile(path, 'utf8')).trim(), fresh: isFirst ? fresh : null };
}
