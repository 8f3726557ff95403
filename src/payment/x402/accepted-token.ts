import type { Money } from '@sluice/kernel/money';
import type { Chain } from './chain.ts';
import type { Facilitator } from './facilitator.ts';
import type { Network } from './network.ts';
import type { Payload } from './payload.ts';
import * as Requirement from './requirement.ts';

/** The settings for payments in dollar tokens: the networks, the address and the facilitator. */
export type AcceptedTokens = {
  /** At least one; the first is preferred. */
  networks: readonly AcceptedNetwork[];
  /** In lower case. The address must belong to this shop alone. */
  payTo: string;
  facilitator: Facilitator;
};

/**
 * A network that payments are accepted on. `chain` is null when no RPC URL is configured: then the facilitator's statement
 * cannot be checked, and an operator has to resolve payments in doubt.
 */
export type AcceptedNetwork = { network: Network; chain: Chain | null };

/** Maximum validity of a payment: time for the buyer to sign, and for the facilitator to settle. */
const maxTimeoutSeconds = 300;

/** Returns the requirement for an amount on each network. An atomic unit of the token is a micro-dollar. */
export function requirements({ networks, payTo }: AcceptedTokens, amount: Money): Requirement.Requirement[] {
  return networks.map(({ network }) => ({ network, amount: BigInt(amount), payTo, maxTimeoutSeconds }));
}

/** Returns the network that a payment names, or null when it is not accepted. */
export function networkOf({ networks }: AcceptedTokens, payload: Payload): AcceptedNetwork | null {
  return networks.find(({ network }) => Requirement.isOn(network, payload)) ?? null;
}

/** Returns the network of a token contract from an earlier offer, or null when it is no longer configured. */
export function find({ networks }: AcceptedTokens, id: string, asset: string): AcceptedNetwork | null {
  const isIt = ({ network }: AcceptedNetwork) => network.id === id && network.asset.toLowerCase() === asset;
  return networks.find(isIt) ?? null;
}
