import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
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
