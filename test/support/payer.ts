import { randomBytes } from 'node:crypto';
import { type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts';
import * as CanonicalJson from '../../src/payment/canonical-json.ts';
import type { Challenge } from '../../src/payment/challenge.ts';

/** A wallet that pays, or proves that it could. It signs with viem, which the code under test does not use. */
export type Payer = PrivateKeyAccount;

export function payer(privateKey = randomBytes(32)): Payer {
  return privateKeyToAccount(`0x${privateKey.toString('hex')}`);
}

type Hex = `0x${string}`;

/** A requirement of version 2, as a client reads it. */
export type Requirement = {
  scheme: string;
  network: string;
  amount: string;
  asset: string;
  payTo: string;
  maxTimeoutSeconds: number;
  extra: { name: string; version: string };
};

export type Authorization = {
  from: string;
  to: string;
  value: string;
  validAfter: string;
  validBefore: string;
  nonce: string;
};

/** Changes to a payment; `authorization` and `domain` replace the required values before signing. */
export type Wishes = {
  nowMs: number;
  authorization?: Partial<Authorization>;
  chainId?: number;
};

/** Signs a transfer according to a requirement. */
async function authorize(
  wallet: Payer,
  requirement: Requirement,
  { nowMs, authorization: overruled, chainId }: Wishes,
): Promise<{ signature: string; authorization: Authorization }> {
  const now = Math.floor(nowMs / 1000);
  const authorization = {
    from: wallet.address as string,
    to: requirement.payTo,
    value: requirement.amount,
    validAfter: String(now - 60),
    validBefore: String(now + requirement.maxTimeoutSeconds),
    nonce: `0x${randomBytes(32).toString('hex')}`,
    ...overruled,
  };
  const uint256 = <N extends string>(name: N) => ({ name, type: 'uint256' }) as const;
  const address = <N extends string>(name: N) => ({ name, type: 'address' }) as const;
  const signature = await wallet.signTypedData({
    domain: {
      ...requirement.extra,
      chainId: chainId ?? Number(requirement.network.split(':')[1]),
      verifyingContract: requirement.asset as Hex,
    },
    types: {
      TransferWithAuthorization: [
        address('from'),
        address('to'),
        uint256('value'),
        uint256('validAfter'),
        uint256('validBefore'),
        { name: 'nonce', type: 'bytes32' },
      ],
    },
    primaryType: 'TransferWithAuthorization',
    message: {
      from: authorization.from as Hex,
      to: authorization.to as Hex,
      value: BigInt(authorization.value),
      validAfter: BigInt(authorization.validAfter),
      validBefore: BigInt(authorization.validBefore),
      nonce: authorization.nonce as Hex,
    },
  });
  return { signature, authorization };
}

/** Creates a payment of version 2, to be encoded by `base64`. */
export async function pay2(wallet: Payer, accepted: Requirement, wishes: Wishes, resource?: { url: string }) {
  const payload = await authorize(wallet, accepted, wishes);
  return { x402Version: 2, ...(resource && { resource }), accepted, payload };
}

/** Creates a payment of version 1 for a requirement of version 2, with the network's old name. */
export async function pay1(wallet: Payer, requirement: Requirement, wishes: Wishes) {
  const network = requirement.network === 'eip155:8453' ? 'base' : 'base-sepolia';
  return { x402Version: 1, scheme: 'exact', network, payload: await authorize(wallet, requirement, wishes) };
}

/** Creates a `Payment` credential that proves the wallet for a challenge. `Wishes` replace what is signed and sent. */
export async function prove(
  wallet: Payer,
  challenge: Challenge,
  {
    chainId = 42431,
    account = wallet.address,
    challengeId = challenge.id,
    realm = challenge.realm,
    source = `did:pkh:eip155:${chainId}:${account}`,
    payload = {},
  }: {
    chainId?: number;
    account?: string;
    challengeId?: string;
    realm?: string;
    source?: string;
    payload?: CanonicalJson.JsonObject;
  } = {},
): Promise<string> {
  const signature = await wallet.signTypedData({
    domain: { name: 'MPP', version: '3', chainId },
    types: {
      Proof: [
        { name: 'account', type: 'address' },
        { name: 'challengeId', type: 'string' },
        { name: 'realm', type: 'string' },
      ],
    },
    primaryType: 'Proof',
    message: { account: account as Hex, challengeId, realm },
  });
  return `Payment ${CanonicalJson.encode({ challenge, payload: { type: 'proof', signature, ...payload }, source })}`;
}

export function base64(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64');
}

const curveOrder = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;

/** Returns the second valid signature of the same key over the same message: n - s, and the other v. */
export function twin(signature: string): string {
  const s = curveOrder - BigInt(`0x${signature.slice(66, 130)}`);
  const v = signature.endsWith('1b') ? '1c' : '1b';
  return signature.slice(0, 66) + s.toString(16).padStart(64, '0') + v;
}
