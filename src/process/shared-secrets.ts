import * as Accounts from '../adapters/postgres/accounts.ts';
import type { Connection } from '../adapters/postgres/connection.ts';
import * as Assertion from '../identity/assertion.ts';
import * as KeyRing from '../identity/key-ring.ts';
import * as SigningKey from '../identity/signing-key.ts';
import { systemClock as clock } from '../kernel/clock.ts';
import { secret } from '../kernel/id.ts';
import type { Secrets } from '../payment/challenge.ts';

/** The secret of payment challenges, as the database names it. */
export const challengeName = 'payment-challenge';
/** Two are believed at a time. So long after one rotation nothing is left of what it drops at the next. */
export const challengeRestMs = 10 * 60_000;
/** Every process has heard of a new secret by then: it looks every few seconds, and is told. */
const leadMs = 15_000;

/** What the processes of a shop sign with, as the database has it. */
export type SharedSecrets = {
  readonly ring: KeyRing.KeyRing;
  /** Of payment challenges. The same object always: what it says is what is in use. */
  readonly challenges: Secrets;
  /** Looks anew, and drops keys of which nothing can be in use any more. Returns whether the ring is another one now. */
  refresh(): Promise<boolean>;
};

/** Reads them; the first of each is made at the first start, by whichever process comes first. */
export async function open(sql: Connection, publicUrl: string): Promise<SharedSecrets> {
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
  /** A new secret is known to all before it signs anything. */
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
  return KeyRing.of(publicUrl, await Promise.all(stored.map(SigningKey.load)));
}

function idOf({ kid, createdMs }: SigningKey.StoredKey): string {
  return `${kid} ${createdMs}`;
}
