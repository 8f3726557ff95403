import { secp256k1 } from '@noble/curves/secp256k1.js';
import { keccak_256 } from '@noble/hashes/sha3.js';

/**
 * A wallet that is an ordinary key on an EVM chain: it signs, and from what it signed its address is recovered.
 * An address here is `0x` and 40 hex digits in lower case; it is the same on every such chain.
 */

/** `0x` and 65 bytes: r, s, and v, which is 27 or 28. */
const signatureForm = /^0x[0-9a-fA-F]{128}(?:1b|1c|1B|1C)$/;
const bytesForm = /^0x(?:[0-9a-fA-F]{2})*$/;
const signatureChars = 2 + 2 * 65;

/** `contract`: of another length, as the wallets that are contracts make them. `malleable`: its twin with a low s is the one to send. */
export type Signature =
  | { kind: 'signature'; compact: string; recovery: number }
  | { kind: 'malformed' }
  | { kind: 'contract' }
  | { kind: 'malleable' };

/** Reads a signature and does no arithmetic on the curve. */
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

/** The address of the key that signed `digest`, or null where none can have. Takes a millisecond or two: the costly step. */
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

/** An address that stands for `label`: nobody has its key, and what is sent there is lost. */
export function addressOf(label: string): string {
  return last20(keccak_256(Buffer.from(label)));
}

/** Null where r or s is no number of the curve. */
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
