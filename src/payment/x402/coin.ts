import type { Money } from '../../kernel/money.ts';
import type { Facilitator } from './facilitator.ts';
import type { Network } from './network.ts';
import type { Requirement } from './requirement.ts';

/** How the shop is paid in a dollar coin: on which chain, to whom, and who settles. */
export type Coin = {
  network: Network;
  /** In lower case. */
  payTo: string;
  facilitator: Facilitator;
  /** What the chain itself says of an authorization; null where none is configured: then a doubt is for a person to end. */
  chain: Chain | null;
};

/** A look at the chain. Bounded in time; rejects where it is out of reach. */
export interface Chain {
  /** Whether the coin has taken this nonce of this wallet: then the signed transfer has happened, and no other can. */
  isUsed(asset: string, wallet: string, nonce: string): Promise<boolean>;
}

/** How long a payment may be valid: a buyer has to sign, and the facilitator to settle. */
const maxTimeoutSeconds = 300;

/** What a purchase costs in the coin: an atomic unit is a micro-dollar. */
export function requirement({ network, payTo }: Coin, amount: Money): Requirement {
  return { network, amount: BigInt(amount), payTo, maxTimeoutSeconds };
}
