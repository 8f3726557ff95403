import { seconds } from '@sluice/kernel/clock';
import * as TypedData from '../typed-data.ts';
import * as Wallet from '../wallet.ts';
import type { Payload } from './payload.ts';
import * as Requirement from './requirement.ts';

/**
 * The `exact` scheme on EVM chains: the payer signs a transfer of the token (EIP-3009), and anyone with the signature
 * can submit it to the chain. The signature is verified here offline. A payment is then settled, a zero proof never.
 */

/** The payments that a route accepts. */
export type AcceptedPayments = {
  resourceUrl: string;
  requirements: readonly Requirement.Requirement[];
  /** Returns true when signatures of contract wallets can be verified for a requirement, which needs access to its chain. */
  takesContractWallets?: (requirement: Requirement.Requirement) => boolean;
};

/** A payment with everything but its signature verified. */
export type CheckedPayment = {
  payload: Payload;
  requirement: Requirement.Requirement;
  signature: Extract<Wallet.Signature, { kind: 'signature' | 'contract' }>;
  /**
   * The key that can be claimed once: the token's own replay key, which is unique while the authorization is valid. The
   * signature is not, because an authorization can have several.
   */
  claimKey: string;
  expiresMs: number;
};

export type PaymentRefusal = keyof typeof refusals;

/** Why a payment is refused: the problem type, and a text for its sender. */
export const refusals = {
  x402_requirement: [
    'verification-failed',
    'This route does not offer such a payment. Use one entry of `accepts` unchanged.',
  ],
  x402_resource: [
    'verification-failed',
    'This payment is for another resource. Sign one for the `resource` of this response.',
  ],
  x402_signature: ['malformed-credential', 'The signature must be 65 bytes: r, s and v, with v 27 or 28.'],
  x402_contract_wallet: [
    'verification-failed',
    'This is the signature of a contract wallet (EIP-1271 or ERC-6492), which cannot be verified here. Sign with an ordinary key.',
  ],
  x402_malleable: [
    'malformed-credential',
    'The signature has a high s. Send the equivalent one with the low s.',
  ],
  x402_pay_to: [
    'verification-failed',
    'This payment is to another address. Sign one to the `payTo` of this response.',
  ],
  x402_amount: [
    'payment-insufficient',
    'The amount of this payment differs from the price. Sign one with the amount of this response.',
  ],
  x402_not_yet_valid: [
    'verification-failed',
    'This payment is not valid yet: `validAfter` is in the future.',
  ],
  x402_expired: ['payment-expired', 'This payment has expired, or is about to. Sign a new one.'],
  x402_too_long: ['verification-failed', 'This payment is valid for longer than maxTimeoutSeconds.'],
  x402_signer: [
    'verification-failed',
    'The signature was not made by `from` for this payment. If `from` is a contract wallet, its signature cannot be verified here. Sign with an ordinary key.',
  ],
  x402_contract_signer: [
    'verification-failed',
    'The contract wallet at `from` does not accept this signature.',
  ],
  x402_insufficient_funds: ['payment-insufficient', 'The balance of the wallet is too low for this payment.'],
  x402_spent: [
    'verification-failed',
    'This authorization was used or canceled on the chain. Sign a new one.',
  ],
} as const;

/** Minimum remaining validity of a payment, for the time that a settlement takes. */
const validSecondsMin = 6n;
/** Tolerance for a payer's clock that is ahead of ours. */
const clockSkewSeconds = 30n;

/** Makes all cheap checks, the cheapest first. */
export function check(
  payload: Payload,
  terms: AcceptedPayments,
  nowMs: number,
): CheckedPayment | PaymentRefusal {
  const { version, accepted, resourceUrl, authorization } = payload;
  const isAccepted = version === 2 ? Requirement.isAccepted : Requirement.isAcceptedLegacy;
  const requirement = terms.requirements.find((offered) => isAccepted(offered, accepted));
  if (!requirement) return 'x402_requirement';
  if (resourceUrl !== null && resourceUrl !== terms.resourceUrl) return 'x402_resource';
  const signature = Wallet.readSignature(payload.signature);
  if (signature.kind === 'malformed') return 'x402_signature';
  if (signature.kind === 'contract' && !terms.takesContractWallets?.(requirement))
    return 'x402_contract_wallet';
  if (signature.kind === 'malleable') return 'x402_malleable';
  const { from, to, value, validAfter, validBefore, nonce } = authorization;
  if (to !== requirement.payTo) return 'x402_pay_to';
  if (value !== requirement.amount) return 'x402_amount';
  const now = BigInt(seconds(nowMs));
  if (validAfter >= now) return 'x402_not_yet_valid';
  if (validBefore < now + validSecondsMin) return 'x402_expired';
  if (validBefore > now + BigInt(requirement.maxTimeoutSeconds) + clockSkewSeconds) return 'x402_too_long';
  const claimKey = claimKeyOf(requirement.network, { from, nonce });
  return { payload, requirement, signature, claimKey, expiresMs: Number(validBefore) * 1000 };
}

/** Returns the key under which a payment is claimed once: the token's own replay key. */
export function claimKeyOf(
  { id, asset }: Requirement.Requirement['network'],
  { from, nonce }: Pick<Payload['authorization'], 'from' | 'nonce'>,
): string {
  return `x402 ${id} ${asset.toLowerCase()} ${from} ${nonce}`;
}

/** Returns true when `from` itself signed with an ordinary key. This is the expensive step. */
export function isSigned(checked: CheckedPayment): boolean {
  const { signature, payload } = checked;
  if (signature.kind === 'contract') return false;
  return Wallet.recover(signature, digest(checked)) === payload.authorization.from;
}

/** Returns the 32 bytes that are signed (EIP-712). */
export function digest({
  payload,
  requirement,
}: Pick<CheckedPayment, 'payload' | 'requirement'>): Uint8Array {
  const { from, to, value, validAfter, validBefore, nonce } = payload.authorization;
  const { chainId, asset, assetName, assetVersion } = requirement.network;
  return TypedData.digest({
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
}
