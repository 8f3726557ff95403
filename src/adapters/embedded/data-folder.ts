import { mkdtemp, open, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { secret } from '../../kernel/id.ts';
import * as Account from './account.ts';
import * as Server from './server.ts';

/** The superuser that initdb makes. */
export const user = 'sluice';

/** Which characters are letters, for pg_trgm; the first that the system knows. Sorting is by code point under any. */
const letterLocales = ['C.UTF-8', 'en_US.UTF-8', 'C'];

/** The password of `user`. */
export async function password(place: Pick<Server.Place, 'dir'>): Promise<string> {
  return (await readFile(join(place.dir, 'password'), 'utf8')).trim();
}

/**
 * Makes the data folder where there is none: whole or not at all, however often it is interrupted. Throws where it
 * cannot be made, or where the one that is there belongs to another version or user.
 */
export async function ready(place: Server.Place): Promise<void> {
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
  throw new Error(`PostgreSQL cannot make its data folder in ${place.dir}: ${said}`);
}

/** Empty when it went well, else what initdb said. */
async function fill(
  place: Server.Place,
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
        // By its descriptor: the folders above the file may be closed to the account.
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

async function check(place: Server.Place): Promise<void> {
  const data = Server.dataFolder(place);
  const version = (await readFile(join(data, 'PG_VERSION'), 'utf8')).trim();
  if (!place.binaries.version.startsWith(`${version}.`)) {
    throw new Error(
      `${place.dir} was written by PostgreSQL ${version}, and npm brought ${place.binaries.version}: ` +
        'move the data with pg_dump, or set DATA_DIR to a new folder',
    );
  }
  // A copy that root made (cp -r) belongs to root.
  if (place.account && (await stat(data)).uid !== place.account.uid) Account.give(place.account, data);
}
