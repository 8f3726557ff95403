import { secp256k1 } from '@noble/curves/secp256k1.js';
import { keccak_256 } from '@noble/hashes/sha3.js';

/**
 * A wallet that is an ordinary key on an EVM chain. Its address is recovered from its signature.
 * An address is `0x` and 40 hex digits in lower case here, and is the same on every EVM chain.
 */

/** `0x` and 65 bytes: r, s, and v, which is 27 or 28. */
const signatureForm = /^0x[0-9a-fA-F]{128}(?:1b|1c|1B|1C)$/;
const bytesForm = /^0x(?:[0-9a-fA-F]{2})*$/;
const signatureChars = 2 + 2 * 65;

/** `contract`: longer than an ordinary signature, as contract wallets make them. `malleable`: has a high s; only the equivalent low s is accepted. */
export type Signature =
  | { kind: 'signature'; compact: string; recovery: number }
  | { kind: 'malformed' }
  | { kind: 'contract' }
  | { kind: 'malleable' };

/** Parses a signature, without arithmetic on the curve. */
export function readSignature(text: unknown): Signature {
  if (typeof text !== 'string' || !bytesForm.test(text)) return { kind: 'malformed' };
  if (text.length > signatureChars) return { kind: 'contract' };
  if (!signatureForm.test(text)) return { kind: 'malformed' };
  const compact = text.slice(2, 130);
  const signature = parse(compact);
  if (signature === null) return { kind: 'malformed' };
  if (signature.hasHighS()) return { kind: 'malleable' };
  return { kind: 'signature', compact, recovery: Number.parseInt(text.slice(130), 16) - 27 };
}

/** Returns the address of the key that signed `digest`, or null when the signature is invalid. Takes a millisecond or two: the expensive step. */
export function recover(
  { compact, recovery }: Extract<Signature, { kind: 'signature' }>,
  digest: Uint8Array,
): string | null {
  try {
    const point = parse(compact)?.addRecoveryBit(recovery).recoverPublicKey(digest);
    return point ? last20(keccak_256(point.toRawBytes(false).subarray(1))) : null;
  } catch {
    return null;
  }
}

/** Derives an address from `label`. Its private key is unknown, so tokens sent to it are lost. */
export function addressOf(label: string): string {
  return last20(keccak_256(Buffer.from(label)));
}

/** Returns an address with the upper case digits of EIP-55, which detect typing errors. */
export function checksummed(address: string): string {
  const digits = address.slice(2).toLowerCase();
  const hash = Buffer.from(keccak_256(Buffer.from(digits))).toString('hex');
  const capital = (digit: string, at: number) =>
    Number.parseInt(hash.charAt(at), 16) >= 8 ? digit.toUpperCase() : digit;
  return `0x${[...digits].map(capital).join('')}`;
}

/** Returns null when r or s is out of range. */
function parse(compact: string) {
  try {
    return secp256k1.Signature.fromCompact(compact);
  } catch {
    return null;
  }
}

function last20(hash: Uint8Array): string {
  return `0x${Buffer.from(hash.subarray(-20)).toString('hex')}`;
}
