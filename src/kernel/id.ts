import { randomFillSync } from 'node:crypto';

/** Random bytes are drawn from a pool: one system call serves hundreds of ids. */
const pool = Buffer.alloc(4096);
let used = pool.length;

function randomBytes(count: number): Buffer {
  if (used + count > pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  used += count;
  return pool.subarray(used - count, used);
}

/** A UUID version 7 (RFC 9562): 48 bits of milliseconds, then 74 random bits; sorts by time. */
export function uuidv7(nowMs: number): string {
  const bytes = Buffer.alloc(16);
  bytes.writeUIntBE(nowMs, 0, 6);
  randomBytes(10).copy(bytes, 6);
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x70;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = bytes.toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

/** An unguessable id with a readable prefix, 128 random bits: `id('acc')` gives `acc_...`. */
export function id(prefix: string): string {
  return `${prefix}_${randomBytes(16).toString('hex')}`;
}

/** An unguessable secret with a readable prefix, 256 random bits in base64url. */
export function secret(prefix: string): string {
  return `${prefix}_${randomBytes(32).toString('base64url')}`;
}
