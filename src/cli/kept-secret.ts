import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { secret } from '../kernel/id.ts';

/**
 * The secret in the file `name` of `folder`, made with `prefix` at the first call; its owner alone may read it.
 * `isNew` tells whether this call made it.
 */
export async function keep(
  folder: string,
  name: string,
  prefix: string,
): Promise<{ value: string; isNew: boolean }> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, name);
  const made = await writeFile(path, `${secret(prefix)}\n`, { mode: 0o600, flag: 'wx' }).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
      return false;
    },
  );
  return { value: (await readFile(path, 'utf8')).trim(), isNew: made };
}
