import type { JsonObject } from './canonical-json.ts';
import type * as Challenge from './challenge.ts';
import type { Credential } from './credential.ts';
import * as TypedData from './typed-data.ts';
import * as Wallet from './wallet.ts';

/**
 * A signature that identifies a wallet and pays nothing: the `tempo` method's `charge` intent with an amount of zero
 * (draft-tempo-charge-00, proofs of version 3). It is verified offline, so wallets that are contracts are not supported.
 */
export const method = 'tempo';
export const intent = 'charge';

/** A token of the chain, of which nothing is transferred. */
export const currency = '0x20c0000000000000000000000000000000000000';

/** The chains that proofs can be signed for. */
export const chains = { main: 4217, test: 42431 } as const;

/** Returns the `request` of a challenge. */
export function request(recipient: string, chainId: number): JsonObject {
  return { amount: '0', currency, recipient, methodDetails: { chainId } };
}

/** A proof with everything but its signature verified. */
export type CheckedProof = {
  challenge: Pick<Challenge.Challenge, 'id' | 'realm'>;
  chainId: number;
  /** In lower case. */
  wallet: string;
  signature: Extract<Wallet.Signature, { kind: 'signature' }>;
};

export type TempoRefusal = keyof typeof refusals;

/** Why a proof is refused: the problem type, and a text for its sender. */
export const refusals = {
  mpp_payload: [
    'malformed-credential',
    'The payload must be {"type":"proof","signature":"0x..."}. Nothing is paid here.',
  ],
  mpp_source: [
    'malformed-credential',
    'The source must be the wallet that signs: did:pkh:eip155:<chainId>:<address>.',
  ],
  mpp_chain: ['verification-failed', 'The chain of the source must be methodDetails.chainId.'],
  mpp_signature: ['malformed-credential', 'The signature must be 65 bytes: r, s and v, with v 27 or 28.'],
  mpp_contract_wallet: [
    'verification-failed',
    'The signature of a contract wallet cannot be verified here. Sign with an ordinary key.',
  ],
  mpp_malleable: [
    'malformed-credential',
    'The signature has a high s. Send the equivalent one with the low s.',
  ],
  mpp_signer: ['verification-failed', 'The signature was not made by the source for this challenge.'],
} as const;

const sourceForm = /^did:pkh:eip155:([1-9][0-9]{0,15}):(0x[0-9a-fA-F]{40})$/;

/** Makes all cheap checks of a proof. Verify first that its challenge is ours and matches the route. */
export function check(
  { challenge, payload, source }: Credential,
  chainId: number,
): CheckedProof | TempoRefusal {
  if (payload.type !== 'proof') return 'mpp_payload';
  const [, chain, address] = sourceForm.exec(source ?? '') ?? [];
  if (chain === undefined || address === undefined) return 'mpp_source';
  if (chain !== String(chainId)) return 'mpp_chain';
  const signature = Wallet.readSignature(payload.signature);
  if (signature.kind === 'malformed') return 'mpp_signature';
  if (signature.kind === 'contract') return 'mpp_contract_wallet';
  if (signature.kind === 'malleable') return 'mpp_malleable';
  return { challenge, chainId, wallet: address.toLowerCase(), signature };
}

/** Returns true when the wallet itself signed. This is the expensive step. */
export function isSigned({ challenge, chainId, wallet, signature }: CheckedProof): boolean {
  const digest = TypedData.digest({
    domain: { name: 'MPP', version: '3', chainId },
    primaryType: 'Proof',
    fields: [
      { name: 'account', type: 'address', value: wallet },
      { name: 'challengeId', type: 'string', value: challenge.id },
      { name: 'realm', type: 'string', value: challenge.realm },
    ],
  });
  return Wallet.recover(signature, digest) === wallet;
}
