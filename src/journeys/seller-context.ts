import type { AccountSearch } from '../identity/account-search.ts';
import type { Audit } from '../identity/audit.ts';
import type { UsageReport } from '../ledger/usage-report.ts';
import type { CreditGrants } from '../payment/credit-grant.ts';
import type { Fees } from '../payment/fee.ts';
import type { Promotions } from '../payment/promotion.ts';
import type { RefundRequests } from '../payment/refund-request.ts';
import type { RevenueReport } from '../payment/revenue-report.ts';
import type { UncountableRecord } from '../proxy/uncountable.ts';

/** The seller's decisions and reports: grants, refunds, sums and the audit log. */
export type SellerContext = {
  readonly audit: Audit;
  readonly creditGrants: CreditGrants;
  readonly promotions: Promotions;
  readonly refundRequests: RefundRequests;
  readonly fees: Fees;
  /** Data of the seller's console; `secret` signs its browser sessions in all processes. */
  readonly console: {
    readonly secret: string;
    readonly revenueReport: RevenueReport;
    readonly usageReport: UsageReport;
    readonly accounts: AccountSearch;
  };
  /** The uncountable responses that all processes recorded. */
  readonly uncountableRecord: UncountableRecord;
  /** Returns false when the database cannot book a charge now, or does not respond in time. */
  readonly canCharge: () => Promise<boolean>;
  /** Returns why this process cannot work on the database's schema, and what to do; null if it can. */
  readonly schemaProblem: () => Promise<string | null>;
};
