import { mkdtemp, open, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { secret } from '@sluice/kernel/id';
import * as Account from './account.ts';
import * as Server from './server.ts';

/** The superuser that initdb creates. */
export const user = 'sluice';

/** Locales that define letters for pg_trgm; the first one that the system has is used. Sorting is by code point in all of them. */
const letterLocales = ['C.UTF-8', 'en_US.UTF-8', 'C'];

/** The password of `user`. */
export async function password(place: Pick<Server.ServerFiles, 'dir'>): Promise<string> {
  return (await readFile(join(place.dir, 'password'), 'utf8')).trim();
}

/**
 * Creates the data folder if it is missing, atomically even when interrupted. Throws when it cannot be created, or when the existing one
 * belongs to another version or user.
 */
export async function ready(place: Server.ServerFiles): Promise<void> {
  const entries = await readdir(place.dir);
  if (entries.includes('data')) return check(place);
  for (const left of entries.filter((name) => name.startsWith('new-'))) {
    await rm(join(place.dir, left), { recursive: true, force: true });
  }
  const passwordFile = join(place.dir, 'password');
  await writeFile(passwordFile, `${secret('pg')}\n`, { mode: 0o600 });
  const fresh = await mkdtemp(join(place.dir, 'new-'));
  Account.give(place.account, passwordFile);
  Account.give(place.account, fresh);
  let said = '';
  for (const locale of letterLocales) {
    said = await fill(place, fresh, passwordFile, locale);
    if (said === '') return rename(fresh, Server.dataFolder(place));
    if (!said.includes('invalid locale name')) break;
  }
  throw new Error(`PostgreSQL cannot create its data folder in ${place.dir}: ${said}`);
}

/** Returns an empty text on success, or the message of initdb. */
async function fill(
  place: Server.ServerFiles,
  folder: string,
  passwordFile: string,
  locale: string,
): Promise<string> {
  const file = await open(passwordFile);
  try {
    return await Server.initdb(
      place,
      folder,
      [
        `--username=${user}`,
        // By its descriptor: the account may not have access to the folders above the file.
        `--pwfile=${place.account ? '/dev/fd/3' : passwordFile}`,
        '--auth=scram-sha-256',
        '--encoding=UTF8',
        '--locale-provider=builtin',
        '--builtin-locale=C.UTF-8',
        '--lc-collate=C',
        `--lc-ctype=${locale}`,
        ...(place.durable ? [] : ['--no-sync']),
      ],
      file.fd,
    );
  } finally {
    await file.close();
  }
}

async function check(place: Server.ServerFiles): Promise<void> {
  const data = Server.dataFolder(place);
  const version = (await readFile(join(data, 'PG_VERSION'), 'utf8')).trim();
  if (!place.binaries.version.startsWith(`${version}.`)) {
    throw new Error(
      `${place.dir} was written by PostgreSQL ${version}, and npm installed ${place.binaries.version}: ` +
        'move the data with pg_dump, or set DATA_DIR to a new folder',
    );
  }
  // A copy made by root (cp -r) belongs to root.
  if (place.account && (await stat(data)).uid !== place.account.uid) Account.give(place.account, data);
}
