import { createCipheriv, createDecipheriv, createHmac, hkdfSync } from 'node:crypto';

/** A key of 32 bytes that encrypts secrets in the database. `id` is stored with each of them. */
export type EncryptionKey = { id: string; bytes: Buffer };

/** A decrypted secret, or the reason why it cannot be decrypted. */
export type Opened = { secret: string } | { fault: string };

/** Encrypts secrets before they are stored, and decrypts them. `owner` is the row that a secret belongs to: in another row it is refused. */
export interface StoredSecrets {
  /** The reason why no secret can be stored; null if it can. */
  readonly fault: string | null;
  /** Throws `fault`. The same secret gives the same text, so that a repeated write changes nothing. */
  seal(secret: string, owner: string): string;
  /** Also reads secrets that were stored before there was a key. */
  open(stored: string, owner: string): Opened;
  /** Returns true when a stored secret is encrypted by the first key. */
  isCurrent(stored: string): boolean;
}

const settingName = 'ENCRYPTION_KEYS';
const algorithm = 'aes-256-gcm';
const keyBytes = 32;
const nonceBytes = 12;
const tagBytes = 16;
const sealedForm = /^sealed:([\w.-]+):([\w-]+)$/;
const missingKey = `${settingName} is missing: secrets are stored encrypted. Set it to ID=KEY, KEY being the output of openssl rand -base64 32`;

/**
 * Opens secrets with `keys`: the first one encrypts, and all of them decrypt.
 * AES-256-GCM has a nonce that is a keyed digest of the owner and the secret: it repeats only with the same text.
 */
export function openStoredSecrets(keys: readonly EncryptionKey[]): StoredSecrets {
  const subkeys = new Map(keys.map(({ id, bytes }) => [id, subkeysOf(bytes)]));
  const [first] = keys;
  return {
    fault: first === undefined ? missingKey : null,
    seal(secret, owner) {
      const own = first && subkeys.get(first.id);
      if (first === undefined || own === undefined) throw new Error(missingKey);
      const nonce = createHmac('sha256', own.nonce)
        .update(JSON.stringify([owner, secret]))
        .digest()
        .subarray(0, nonceBytes);
      const cipher = createCipheriv(algorithm, own.cipher, nonce).setAAD(Buffer.from(owner));
      const text = Buffer.concat([nonce, cipher.update(secret, 'utf8'), cipher.final(), cipher.getAuthTag()]);
      return `sealed:${first.id}:${text.toString('base64url')}`;
    },
    open(stored, owner) {
      const [, id, text] = sealedForm.exec(stored) ?? [];
      if (id === undefined || text === undefined) return { secret: stored };
      const own = subkeys.get(id);
      if (own === undefined)
        return { fault: `the secret is encrypted by the key "${id}", which ${settingName} does not have` };
      const bytes = Buffer.from(text, 'base64url');
      try {
        const decipher = createDecipheriv(algorithm, own.cipher, bytes.subarray(0, nonceBytes), {
          authTagLength: tagBytes,
        });
        decipher.setAAD(Buffer.from(owner)).setAuthTag(bytes.subarray(-tagBytes));
        const secret = decipher.update(bytes.subarray(nonceBytes, -tagBytes), undefined, 'utf8');
        return { secret: secret + decipher.final('utf8') };
      } catch {
        return {
          fault: `the key "${id}" of ${settingName} does not decrypt the secret: it is another key of that name, or the row was changed`,
        };
      }
    },
    isCurrent: (stored) => first !== undefined && sealedForm.exec(stored)?.[1] === first.id,
  };
}

function subkeysOf(bytes: Buffer): { cipher: Buffer; nonce: Buffer } {
  const derive = (use: string) => Buffer.from(hkdfSync('sha256', bytes, '', `sluice ${use}`, keyBytes));
  return { cipher: derive('stored secret'), nonce: derive('nonce of a stored secret') };
}

/** Reads one key, `ID=KEY` with 32 bytes in base64. Returns null if it has another form. */
export function parseKey(text: string): EncryptionKey | null {
  const [, id, key] = /^([\w.-]{1,32})=([A-Za-z0-9+/]{43}=)$/.exec(text) ?? [];
  return id === undefined || key === undefined ? null : { id, bytes: Buffer.from(key, 'base64') };
}
