import { createHmac } from 'node:crypto';
import * as AddressBlock from './address-block.ts';

/** The facts by which a trial is given once (`once_per` in the catalogue). An address only limits; the others also earn the trial. */
const trialProofs = ['email', 'card', 'wallet', 'address'] as const;
export type TrialProof = (typeof trialProofs)[number];

/**
 * The trial of a shop as one account would get it: `units` of `plan`, micro-dollars if its asset is `usd`. With `oncePer`, it is given once for
 * each of these facts. `address`: the digest of the caller's address; null for the operator's own.
 */
export type TrialOffer = {
  plan: string;
  units: number;
  asset: 'unit' | 'usd';
  oncePer: readonly TrialProof[];
  address: string | null;
};

/**
 * `given`: by this step. `needs_proof`: it is given once one of the facts is proved. `used`: the fact, or the account, had a trial before.
 * `none`: the shop has no trial, or this step gives none.
 */
export type TrialState = 'given' | 'needs_proof' | 'used' | 'none';

/** Returns the keyed digest of a wallet or an address block, under which it is stored. */
export function proofDigest(secret: string, kind: 'wallet' | 'address', value: string): string {
  return createHmac('sha256', secret).update(`trial ${kind} ${value}`).digest('hex');
}

/** Returns the digest of a caller's address, or null for loopback, which the operator uses. */
export function addressDigest(secret: string, address: string): string | null {
  return AddressBlock.isLoopback(address)
    ? null
    : proofDigest(secret, 'address', AddressBlock.blockOf(address));
}
