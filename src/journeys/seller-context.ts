import type { AccountSearch } from '../identity/account-search.ts';
import type { Audit } from '../identity/audit.ts';
import type { Oidc } from '../identity/operators/oidc.ts';
import type { Operators } from '../identity/operators/operator.ts';
import type { UsageReport } from '../ledger/usage-report.ts';
import type { Verification } from '../ledger/verification.ts';
import type { AttentionLimits, AttentionReport } from '../payment/attention.ts';
import type { CreditGrants } from '../payment/credit-grant.ts';
import type { SellerEvents } from '../payment/event.ts';
import type { EndpointRules } from '../payment/event-endpoint.ts';
import type { Fees } from '../payment/fee.ts';
import type { OrderSearch } from '../payment/order-search.ts';
import type { Promotions } from '../payment/promotion.ts';
import type { RefundRequests } from '../payment/refund-request.ts';
import type { RevenueReport } from '../payment/revenue-report.ts';
import type { UncountableRecord } from '../proxy/uncountable.ts';

/** Data of the seller's console; `secret` signs its browser sessions in all processes. */
export type ConsoleData = {
  readonly secret: string;
  readonly revenueReport: RevenueReport;
  readonly usageReport: UsageReport;
  readonly accounts: AccountSearch;
  readonly attention: AttentionReport;
  readonly orders: OrderSearch;
  readonly verification: Verification;
  readonly events: SellerEvents;
  /** The addresses that the endpoints of events may have. */
  readonly endpointRules: EndpointRules;
};

/** The ways to sign in to the console. */
export type ConsoleSignIn = {
  readonly sessionSeconds: number;
  /** False: the admin token signs in only until an owner can sign in without it. */
  readonly acceptsToken: boolean;
  /** Sign-in with an OpenID Connect provider; null when none is configured. */
  readonly oidc: Oidc | null;
};

/** The seller's decisions and reports: grants, refunds, sums and the audit log. */
export type SellerContext = {
  readonly audit: Audit;
  readonly creditGrants: CreditGrants;
  readonly promotions: Promotions;
  readonly refundRequests: RefundRequests;
  readonly fees: Fees;
  readonly console: ConsoleData;
  /** The persons who may use the console. */
  readonly operators: Operators;
  readonly consoleSignIn: ConsoleSignIn;
  /** The limits beyond which the front page of the console shows a figure as a task. */
  readonly attentionLimits: AttentionLimits;
  /** The uncountable responses that all processes recorded. */
  readonly uncountableRecord: UncountableRecord;
  /** Returns why the database cannot book a charge now, such as no response in time; null if it can. */
  readonly chargeProblem: () => Promise<string | null>;
  /** Returns why this process cannot work on the database's schema, and what to do; null if it can. */
  readonly schemaProblem: () => Promise<string | null>;
};
