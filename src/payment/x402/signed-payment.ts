import type { Settleable } from './facilitator.ts';
import type { Network } from './network.ts';
import { authorizationJson } from './payload.ts';
import type { Resource } from './resource.ts';

/**
 * A verified payment as it is stored with its order: everything needed to settle it again and to find it on the chain,
 * even if the settings have changed. It can only pay `to`, so it needs no more protection than the order.
 */
export type SignedPayment = {
  version: 1 | 2;
  network: string;
  asset: string;
  from: string;
  to: string;
  /** Numbers are decimal strings, because they can exceed the exact range of JSON numbers. */
  value: string;
  validAfter: string;
  validBefore: string;
  nonce: string;
  maxTimeoutSeconds: number;
  signature: string;
  resource: Resource;
};

export function fromVerified({ payload, requirement }: Settleable, resource: Resource): SignedPayment {
  const { version, signature, authorization } = payload;
  return {
    version,
    network: requirement.network.id,
    asset: requirement.network.asset.toLowerCase(),
    ...authorizationJson(authorization),
    maxTimeoutSeconds: requirement.maxTimeoutSeconds,
    signature,
    resource,
  };
}

/** Restores the payment for a facilitator. `network` is the one that the payment names. */
export function restore(signed: SignedPayment, network: Network): Settleable {
  const { version, signature, from, to, nonce, maxTimeoutSeconds } = signed;
  const [value, validAfter, validBefore] = [signed.value, signed.validAfter, signed.validBefore].map(BigInt);
  if (value === undefined || validAfter === undefined || validBefore === undefined)
    throw new TypeError('a signed payment without its numbers');
  return {
    payload: { version, signature, authorization: { from, to, value, validAfter, validBefore, nonce } },
    requirement: { network, amount: value, payTo: to, maxTimeoutSeconds },
  };
}
