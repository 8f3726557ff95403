import { seconds } from '../../kernel/clock.ts';
import * as TypedData from '../typed-data.ts';
import * as Wallet from '../wallet.ts';
import type { Payload } from './payload.ts';
import * as Requirement from './requirement.ts';

/**
 * The `exact` scheme on EVM chains: the payer signs a transfer of the coin (EIP-3009), and whoever holds the signature
 * may put it on the chain. Verified here in full, with no network; a priced one is then settled, a zero proof never.
 */

/** What a route takes. */
export type Terms = { resourceUrl: string; requirements: readonly Requirement.Requirement[] };

/** A payment that is right in everything but its signature, which is still to be verified. */
export type Checked = {
  payload: Payload;
  requirement: Requirement.Requirement;
  signature: Extract<Wallet.Signature, { kind: 'signature' }>;
  /**
   * What may be claimed once: the coin's own replay key, for as long as the authorization is valid. Never the signature,
   * of which there may be several.
   */
  claimKey: string;
  expiresMs: number;
};

export type Refusal = keyof typeof refusals;

/** Why a payment is refused: the problem type, and words for its sender. */
export const refusals = {
  x402_requirement: [
    'verification-failed',
    'This route offers no such payment; take one of `accepts` as it is.',
  ],
  x402_resource: ['verification-failed', 'This payment is for another resource.'],
  x402_signature: ['malformed-credential', 'The signature is to be 65 bytes, r, s and v, with v 27 or 28.'],
  x402_contract_wallet: [
    'verification-failed',
    'The signature of a wallet that is a contract cannot be verified here; sign with an ordinary key.',
  ],
  x402_malleable: ['malformed-credential', 'The signature has a high s; send the one with the low s.'],
  x402_pay_to: ['verification-failed', 'This payment is to another address.'],
  x402_amount: ['payment-insufficient', 'This payment is of another amount.'],
  x402_not_yet_valid: ['verification-failed', 'This payment is not valid yet.'],
  x402_expired: ['payment-expired', 'This payment has expired, or is about to.'],
  x402_too_long: ['verification-failed', 'This payment is valid for longer than maxTimeoutSeconds.'],
  x402_signer: ['verification-failed', 'The signature is not that of `from` over this payment.'],
} as const;

/** A payment has to be valid for so much longer, as a settlement takes that. */
const validSecondsMin = 6n;
/** How far the clock of a payer may be ahead of ours. */
const clockSkewSeconds = 30n;

/** All that is cheap to check, in the order of cost. */
export function check(payload: Payload, terms: Terms, nowMs: number): Checked | Refusal {
  const { version, accepted, resourceUrl, authorization } = payload;
  const isAccepted = version === 2 ? Requirement.isAccepted : Requirement.isAcceptedLegacy;
  const requirement = terms.requirements.find((offered) => isAccepted(offered, accepted));
  if (!requirement) return 'x402_requirement';
  if (resourceUrl !== null && resourceUrl !== terms.resourceUrl) return 'x402_resource';
  const signature = Wallet.readSignature(payload.signature);
  if (signature.kind === 'malformed') return 'x402_signature';
  if (signature.kind === 'contract') return 'x402_contract_wallet';
  if (signature.kind === 'malleable') return 'x402_malleable';
  const { from, to, value, validAfter, validBefore, nonce } = authorization;
  if (to !== requirement.payTo) return 'x402_pay_to';
  if (value !== requirement.amount) return 'x402_amount';
  const now = BigInt(seconds(nowMs));
  if (validAfter >= now) return 'x402_not_yet_valid';
  if (validBefore < now + validSecondsMin) return 'x402_expired';
  if (validBefore > now + BigInt(requirement.maxTimeoutSeconds) + clockSkewSeconds) return 'x402_too_long';
  const claimKey = claimed(requirement.network, { from, nonce });
  return { payload, requirement, signature, claimKey, expiresMs: Number(validBefore) * 1000 };
}

/** What a payment may be claimed by, once: the coin's own replay key. */
export function claimed(
  { id, asset }: Requirement.Requirement['network'],
  { from, nonce }: Pick<Payload['authorization'], 'from' | 'nonce'>,
): string {
  return `x402 ${id} ${asset.toLowerCase()} ${from} ${nonce}`;
}

/** Whether `from` itself signed. The costly step. */
export function isSigned({ payload, requirement, signature }: Checked): boolean {
  const { from, to, value, validAfter, validBefore, nonce } = payload.authorization;
  const { chainId, asset, assetName, assetVersion } = requirement.network;
  const digest = TypedData.digest({
    domain: { name: assetName, version: assetVersion, chainId, verifyingContract: asset },
    primaryType: 'TransferWithAuthorization',
    fields: [
      { name: 'from', type: 'address', value: from },
      { name: 'to', type: 'address', value: to },
      { name: 'value', type: 'uint256', value },
      { name: 'validAfter', type: 'uint256', value: validAfter },
      { name: 'validBefore', type: 'uint256', value: validBefore },
      { name: 'nonce', type: 'bytes32', value: nonce },
    ],
  });
  return Wallet.recover(signature, digest) === from;
}
