import type { Advisor } from '../advisor/advisor.ts';
import type { Catalog } from '../catalog/catalog.ts';
import type { Description } from '../catalog/description.ts';
import type { Reference } from '../discovery/reference.ts';
import type { Accounts } from '../identity/account.ts';
import type { AccountKeys } from '../identity/account-key.ts';
import type { AccountSearch } from '../identity/account-search.ts';
import type { Audit } from '../identity/audit.ts';
import type { Desk } from '../identity/bearer.ts';
import type { Office } from '../identity/claim.ts';
import type * as Registration from '../identity/registration.ts';
import type { Revocations } from '../identity/revocation-list.ts';
import type { Wallets } from '../identity/wallets.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Tracer } from '../kernel/tracing.ts';
import type { Lane } from '../ledger/lane.ts';
import type { Statements } from '../ledger/statement.ts';
import type { Tickets } from '../ledger/ticket.ts';
import type { Turnover } from '../ledger/turnover.ts';
import type { UsageRecord } from '../ledger/usage.ts';
import type { Secrets } from '../payment/challenge.ts';
import type { Gifts } from '../payment/gift.ts';
import type { Notices, Orders } from '../payment/order.ts';
import type { Processor } from '../payment/processor.ts';
import type { Promotions } from '../payment/promotion.ts';
import type * as Proof from '../payment/proof.ts';
import type { RefundRequests } from '../payment/refund-request.ts';
import type { Subscriptions } from '../payment/subscription.ts';
import type { Takings } from '../payment/takings.ts';
import type { TopUps } from '../payment/top-up.ts';
import type { Coin } from '../payment/x402/coin.ts';
import type { CallLimit } from '../relay/call-limit.ts';
import type { HeldBytes } from '../relay/held-bytes.ts';
import type { RateLimiter } from '../relay/rate-limit.ts';
import type { Upstream } from '../relay/upstream.ts';

/** Everything that the journeys work with; main.ts puts it together. */
export type Shop = {
  readonly publicUrl: string;
  readonly catalog: Catalog;
  /** Of the files that it was read from (catalog/file.ts): processes that sell the same have the same. */
  readonly catalogDigest: string;
  /** What the upstream says of its own operations. */
  readonly description: Description;
  /** The whole of that, as it was read; null where there is none. */
  readonly document: unknown;
  readonly clock: Clock;
  readonly desk: Desk;
  readonly accounts: Accounts;
  readonly registrations: Registration.Log;
  readonly revocations: Revocations;
  /** Hands accounts over to people by email; null where the shop has no mail. */
  readonly claiming: Office | null;
  readonly lane: Lane;
  readonly keys: AccountKeys;
  readonly tickets: Tickets;
  readonly statements: Statements;
  readonly usage: UsageRecord;
  readonly orders: Orders;
  readonly subscriptions: Subscriptions;
  readonly topUps: TopUps;
  readonly gifts: Gifts;
  readonly promotions: Promotions;
  readonly audit: Audit;
  /** What the seller sees of all of it; `secret` signs the sessions of his browsers, in all processes. */
  readonly console: { secret: string; takings: Takings; turnover: Turnover; accounts: AccountSearch };
  readonly refundRequests: RefundRequests;
  readonly notices: Notices;
  readonly processor: Processor;
  readonly advisor: Advisor;
  /** What the shop says of its operations to programs. */
  readonly reference: Reference;
  /** What proves a wallet for the free quote. */
  readonly proofs: Proof.Route;
  readonly wallets: Wallets;
  /** How it is paid in a dollar coin; null where it is not. */
  readonly coin: Coin | null;
  /** Signatures looked at, for each address: they are the costly step of a payment without an account. */
  readonly verifications: RateLimiter;
  /** Signs payment challenges; the same in all processes. */
  readonly challengeSecrets: Secrets;
  /** The shop's profile in the card processor's network. */
  readonly networkId: string;
  readonly upstream: Upstream;
  /** What answers take up of this process. */
  readonly held: HeldBytes;
  /** How often each account may call each operation. */
  readonly callLimit: CallLimit;
  /** Tells a collector where time goes; null where there is none. */
  readonly tracer: Tracer | null;
  /** What the operator should read, by a stable name. */
  readonly report: (event: string, detail: Readonly<Record<string, unknown>>) => void;
};
