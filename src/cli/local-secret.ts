import { randomBytes } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sha256Hex } from '@sluice/kernel/digest';
import { secret } from '@sluice/kernel/id';

/** Returns the secret in the file `name` of `folder`; creates it with `prefix` at the first call, readable by its owner only. */
export function keep(folder: string, name: string, prefix: string): Promise<string> {
  return kept(folder, name, secret(prefix));
}

const encryptionKeyFile = 'encryption-key';

/** Returns the key in `folder` that encrypts secrets in the database, as ENCRYPTION_KEYS takes it; creates it at the first call. */
export function keepEncryptionKey(folder: string): Promise<string> {
  return kept(
    folder,
    encryptionKeyFile,
    `local-${randomBytes(4).toString('hex')}=${randomBytes(32).toString('base64')}`,
  );
}

/** Returns the same key, or an empty text when there is none yet. */
export function findEncryptionKey(folder: string): Promise<string> {
  return find(folder, encryptionKeyFile);
}

async function kept(folder: string, name: string, fresh: string): Promise<string> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, name);
  await writeFile(path, `${fresh}\n`, { mode: 0o600, flag: 'wx' }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
  return (await readFile(path, 'utf8')).trim();
}

/** Returns the content of the file `name` of `folder`, or an empty text when there is none. */
export async function find(folder: string, name: string): Promise<string> {
  return (await readFile(join(folder, name), 'utf8').catch(() => '')).trim();
}

/**
 * Returns the digest of a secret from the file `name` of `folder`. The secret itself is not stored: the first call returns it as `fresh`,
 * to be shown once. When the file is deleted, a new secret is created.
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
