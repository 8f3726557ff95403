import { join } from 'node:path';
import { openStoredSecrets, type StoredSecrets } from '../identity/stored-secret.ts';
import * as Settings from '../process/settings.ts';
import * as Compose from './compose.ts';
import * as LocalSecret from './local-secret.ts';

/** Opens the secrets in the database with ENCRYPTION_KEYS and the key that `sluice start` keeps in DATA_DIR. Throws when the setting is wrong. */
export async function read(env: NodeJS.ProcessEnv): Promise<StoredSecrets> {
  const kept = await LocalSecret.findEncryptionKey(join(Compose.read(env).dataDir, 'secrets'));
  const faults: string[] = [];
  const keys = Settings.reader(
    { ENCRYPTION_KEYS: Compose.encryptionKeys(env, kept) },
    faults,
  )('ENCRYPTION_KEYS');
  if (faults.length > 0) throw new Error(faults.join('\n'));
  return openStoredSecrets(keys ?? []);
}
