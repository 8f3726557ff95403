import { randomBytes } from 'node:crypto';
import { sha256Hex } from './digest.ts';

/** Random digits are drawn from a pool: one system call, and one turn into hex, serve hundreds of ids. */
const poolBytes = 4096;
let pool = '';
let used = 0;

/** So many random hex digits. */
function randomHex(digits: number): string {
  if (used + digits > pool.length) {
    pool = randomBytes(poolBytes).toString('hex');
    used = 0;
  }
  used += digits;
  return pool.slice(used - digits, used);
}

/** The digits of a time, which stay the same for a millisecond. */
let timeMs = Number.NaN;
let time = '';

/** The number of slots that accounts are divided into (docs/decisions/0053-ledger-cells.md). */
export const slotsMax = 256;

/** The forms of ids that carry a slot: ours, digests of our secrets, UUIDs; and our secrets themselves. */
const idWithSlot =
  /^(?:(?:[a-z]+_)+([0-9a-f]{2})[0-9a-f]{30}(?![\w-])|([0-9a-f]{2})[0-9a-f]{62}$|[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{10}([0-9a-f]{2})$)/;
const secretWithSlot = /^[a-z]+_([\w-]{2})[\w-]{41}$/;

/**
 * Returns the slot of the account that an id or secret belongs to, from 0 to 255: the first byte of an id, a secret or its digest, the last
 * one of a UUID. Other text, such as an id of the card processor, has slot 0.
 */
export function slotOf(value: string): number {
  const found = idWithSlot.exec(value);
  if (found) return Number.parseInt(found[1] ?? found[2] ?? found[3] ?? '', 16);
  const start = secretWithSlot.exec(value)?.[1];
  return start === undefined ? 0 : (Buffer.from(start, 'base64url')[0] ?? 0);
}

/** The slot of an id or secret as two hex digits. */
export function slotDigits(value: string): string {
  return slotOf(value).toString(16).padStart(2, '0');
}

/**
 * A UUID version 7 (RFC 9562): 48 bits of milliseconds, then 74 random bits; sorts by time.
 * @param owner an id whose slot the last byte carries in place of random bits
 */
export function uuidv7(nowMs: number, owner: string | null = null): string {
  if (nowMs !== timeMs) {
    const digits = nowMs.toString(16).padStart(12, '0');
    timeMs = nowMs;
    time = `${digits.slice(0, 8)}-${digits.slice(8)}`;
  }
  const random = randomHex(19);
  // The variant, 10 in binary, takes the place of two of the random bits.
  const variant = '89ab'.charAt(Number.parseInt(random.charAt(3), 16) & 3);
  const end = owner === null ? random.slice(7) : random.slice(7, 17) + slotDigits(owner);
  return `${time}-7${random.slice(0, 3)}-${variant}${random.slice(4, 7)}-${end}`;
}

/**
 * An unguessable id with a readable prefix, 128 random bits: `id('acc')` gives `acc_...`.
 * @param owner an id whose slot the first byte carries; without it, the slot is random too
 */
export function id(prefix: string, owner: string | null = null): string {
  return `${prefix}_${owner === null ? randomHex(32) : slotDigits(owner) + randomHex(30)}`;
}

/**
 * An unguessable secret with a readable prefix, 256 random bits in base64url.
 * @param owner an id or secret whose slot the first byte carries
 */
export function secret(prefix: string, owner: string | null = null): string {
  const bytes = randomBytes(32);
  if (owner !== null) bytes[0] = slotOf(owner);
  return `${prefix}_${bytes.toString('base64url')}`;
}

/** The SHA-256 of a secret in hex. Its first byte is replaced by the secret's slot, so that a digest leads to the same cell as its secret. */
export function secretDigest(value: string): string {
  return slotDigits(value) + sha256Hex(value).slice(2);
}
