import type { JsonObject } from './canonical-json.ts';
import type * as Challenge from './challenge.ts';
import type { Credential } from './credential.ts';
import * as TypedData from './typed-data.ts';
import * as Wallet from './wallet.ts';

/**
 * A signature that proves a wallet and pays nothing: the `tempo` method's `charge` intent with an amount of zero
 * (draft-tempo-charge-00, proofs of version 3). Verified with no network; wallets that are contracts cannot be.
 */
export const method = 'tempo';
export const intent = 'charge';

/** A coin of the chain; of none of it anything is paid. */
export const currency = '0x20c0000000000000000000000000000000000000';

/** The chains that proofs may be signed for. */
export const chains = { main: 4217, test: 42431 } as const;

/** The `request` of a challenge. */
export function request(recipient: string, chainId: number): JsonObject {
  return { amount: '0', currency, recipient, methodDetails: { chainId } };
}

/** A proof that is right in everything but its signature, which is still to be verified. */
export type Checked = {
  challenge: Pick<Challenge.Challenge, 'id' | 'realm'>;
  chainId: number;
  /** In lower case. */
  wallet: string;
  signature: Extract<Wallet.Signature, { kind: 'signature' }>;
};

export type Refusal = keyof typeof refusals;

/** Why a proof is refused: the problem type, and words for its sender. */
export const refusals = {
  mpp_payload: [
    'malformed-credential',
    'The payload is {"type":"proof","signature":"0x..."}: nothing is to be paid here.',
  ],
  mpp_source: [
    'malformed-credential',
    'The source is the wallet that signs: did:pkh:eip155:<chainId>:<address>.',
  ],
  mpp_chain: ['verification-failed', 'The source is on another chain than methodDetails.chainId.'],
  mpp_signature: ['malformed-credential', 'The signature is to be 65 bytes, r, s and v, with v 27 or 28.'],
  mpp_contract_wallet: [
    'verification-failed',
    'The signature of a wallet that is a contract cannot be verified here; sign with an ordinary key.',
  ],
  mpp_malleable: ['malformed-credential', 'The signature has a high s; send the one with the low s.'],
  mpp_signer: ['verification-failed', 'The signature is not that of the source over this challenge.'],
} as const;

const sourceForm = /^did:pkh:eip155:([1-9][0-9]{0,15}):(0x[0-9a-fA-F]{40})$/;

/** All of a proof that is cheap to check, once its challenge is known to be ours and to fit. */
export function check({ challenge, payload, source }: Credential, chainId: number): Checked | Refusal {
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

/** Whether the wallet itself signed. The costly step. */
export function isSigned({ challenge, chainId, wallet, signature }: Checked): boolean {
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
