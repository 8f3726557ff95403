import type { Catalog } from '../catalog/catalog.ts';
import type { Description } from '../catalog/description.ts';
import type { Accounts } from '../identity/account.ts';
import type { Desk } from '../identity/bearer.ts';
import type * as Registration from '../identity/registration.ts';
import type { Revocations } from '../identity/revocation-list.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Lane } from '../ledger/lane.ts';
import type { Statements } from '../ledger/statement.ts';
import type { Secrets } from '../payment/challenge.ts';
import type { Notices, Orders } from '../payment/order.ts';
import type { Processor } from '../payment/processor.ts';
import type { Subscriptions } from '../payment/subscription.ts';
import type { Coin } from '../payment/x402/coin.ts';
import type { RateLimiter } from '../relay/rate-limit.ts';
import type { Upstream } from '../relay/upstream.ts';
import type { Claiming } from './claiming.ts';

/** Everything that the journeys work with; main.ts puts it together. */
export type Shop = {
  readonly publicUrl: string;
  readonly catalog: Catalog;
  /** What the upstream says of its own operations. */
  readonly description: Description;
  readonly clock: Clock;
  readonly desk: Desk;
  readonly accounts: Accounts;
  readonly registrations: Registration.Log;
  readonly revocations: Revocations;
  /** Hands accounts over to people by email; null where the shop has no mail. */
  readonly claiming: Claiming | null;
  readonly lane: Lane;
  readonly statements: Statements;
  readonly orders: Orders;
  readonly subscriptions: Subscriptions;
  readonly notices: Notices;
  readonly processor: Processor;
  /** How it is paid in a dollar coin; null where it is not. */
  readonly coin: Coin | null;
  /** Signatures looked at, for each address: they are the costly step of a payment without an account. */
  readonly verifications: RateLimiter;
  /** Signs payment challenges; the same in all processes. */
  readonly challengeSecrets: Secrets;
  /** The shop's profile in the card processor's network. */
  readonly networkId: string;
  readonly upstream: Upstream;
  readonly limiter: RateLimiter;
  /** What the operator should read, by a stable name. */
  readonly report: (event: string, detail: Readonly<Record<string, unknown>>) => void;
};
