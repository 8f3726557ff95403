import { randomBytes } from 'node:crypto';

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

/** A UUID version 7 (RFC 9562): 48 bits of milliseconds, then 74 random bits; sorts by time. */
export function uuidv7(nowMs: number): string {
  if (nowMs !== timeMs) {
    const digits = nowMs.toString(16).padStart(12, '0');
    timeMs = nowMs;
    time = `${digits.slice(0, 8)}-${digits.slice(8)}`;
  }
  const random = randomHex(19);
  // The variant, 10 in binary, takes the place of two of the random bits.
  const variant = '89ab'.charAt(Number.parseInt(random.charAt(3), 16) & 3);
  return `${time}-7${random.slice(0, 3)}-${variant}${random.slice(4, 7)}-${random.slice(7)}`;
}

/** An unguessable id with a readable prefix, 128 random bits: `id('acc')` gives `acc_...`. */
export function id(prefix: string): string {
  return `${prefix}_${randomHex(32)}`;
}

/** An unguessable secret with a readable prefix, 256 random bits in base64url. */
export function secret(prefix: string): string {
  return `${prefix}_${randomBytes(32).toString('base64url')}`;
}
