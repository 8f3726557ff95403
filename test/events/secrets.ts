import { openStoredSecrets, parseKey, type StoredSecrets } from '../../src/identity/stored-secret.ts';

/** Keys of tests, as ENCRYPTION_KEYS takes them. */
export const keys = `test=${Buffer.alloc(32, 1).toString('base64')}`;

/** Opens stored secrets with keys as ENCRYPTION_KEYS takes them. */
export function secretsOf(setting: string): StoredSecrets {
  return openStoredSecrets(setting.split(',').flatMap((one) => parseKey(one) ?? []));
}

export const secrets = secretsOf(keys);
