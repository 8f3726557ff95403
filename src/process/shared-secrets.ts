import type { Clock } from '@sluice/kernel/clock';
import { secret } from '@sluice/kernel/id';
import * as Accounts from '../adapters/postgres/accounts.ts';
import type { Connection } from '../adapters/postgres/connection.ts';
import * as Assertion from '../identity/assertion.ts';
import * as KeyRing from '../identity/key-ring.ts';
import * as SigningKey from '../identity/signing-key.ts';
import type { Secrets } from '../payment/challenge.ts';

/** The name of the secret of payment challenges in the database. */
export const challengeName = 'payment-challenge';
/** Minimum time between rotations. Two secrets are accepted at a time; after this, no challenge of the older one is in use. */
export const challengeRestMs = 10 * 60_000;
/** Every process knows a new secret by then: it is notified, and also polls every few seconds. */
const leadMs = 15_000;

/** The keys and secrets that all processes of a shop sign with, stored in the database. */
export type SharedSecrets = {
  readonly ring: KeyRing.KeyRing;
  /** Secrets of payment challenges. Always the same object; its members return the current values. */
  readonly challenges: Secrets;
  /** Reloads, and deletes keys whose signatures have all expired. Returns true when the ring has changed. */
  refresh(): Promise<boolean>;
};

/** Loads the secrets. The first process to start creates the first ones. */
export async function openSharedSecrets(
  sql: Connection,
  publicUrl: string,
  clock: Clock,
): Promise<SharedSecrets> {
  const keys = Accounts.openSigningKeys(sql);
  if ((await keys.all()).length === 0) {
    const fresh = await SigningKey.generate(clock());
    await keys.add(JSON.parse(await Accounts.sharedSecret(sql, 'first-signing-key', JSON.stringify(fresh))));
  }
  await Accounts.sharedSecret(sql, challengeName, secret('chs'));
  let stored = await keys.all();
  let ring = await ringOf(publicUrl, stored);
  let challenges = await Accounts.secretsOf(sql, challengeName);
  const [newest, older] = [() => challenges[0]?.value ?? '', () => challenges[1]?.value];
  /** A new secret signs only when all processes know it. */
  const isNew = () => older() !== undefined && clock() < (challenges[0]?.createdMs ?? 0) + leadMs;
  return {
    get ring() {
      return ring;
    },
    challenges: {
      get current() {
        return isNew() ? (older() ?? newest()) : newest();
      },
      get previous() {
        return isNew() ? newest() : older();
      },
    },
    async refresh() {
      challenges = await Accounts.secretsOf(sql, challengeName);
      for (const { kid } of KeyRing.spent(ring, Assertion.lifeSeconds * 1_000, clock()))
        await keys.remove(kid);
      const before = stored.map(idOf).sort().join();
      stored = await keys.all();
      if (stored.map(idOf).sort().join() === before) return false;
      ring = await ringOf(publicUrl, stored);
      return true;
    },
  };
}

async function ringOf(publicUrl: string, stored: readonly SigningKey.StoredKey[]): Promise<KeyRing.KeyRing> {
  return KeyRing.keyRing(publicUrl, await Promise.all(stored.map(SigningKey.load)));
}

function idOf({ kid, createdMs }: SigningKey.StoredKey): string {
  return `${kid} ${createdMs}`;
}
