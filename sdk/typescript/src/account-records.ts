import type { FairUsage } from './records.ts';

/** A key, or at a storefront the caller's plans, with the remaining records. */
export interface KeyInfo {
  /** True if the key is valid. */
  valid: boolean;
  id: string;
  records_remaining: number;
  /** ISO 8601; when the records are renewed. */
  next_reset_at: string | null;
  /** Per operation. */
  max_requests_per_seconds: number;
  /** Paths without their version, such as `/search/people`. */
  allowed_apis: string[];
  /** Plans, with the day of their start in ISO 8601. */
  active_plans: { name: string; status: string; started_at: string }[];
  fair_usage: Omit<FairUsage, 'rate_limit'>;
}

/** A time range: days (`2026-01-31`) or moments (RFC 3339), at most 92 days. Default: the last 30. */
export interface TimeRange {
  since?: string | null;
  until?: string | null;
}

/** Restricts usage to some calls; `(none)` for calls without a key or model. */
export interface UsageFilters {
  /** Slug of a service. */
  service?: string | null;
  /** Id of an account key. */
  key?: string | null;
  /** Entry of a price table. */
  model?: string | null;
}

export interface UsageParams extends TimeRange, UsageFilters {
  /** Default: `service`. */
  group?: 'service' | 'operation' | 'plan' | 'key' | 'model' | 'day' | (string & {}) | null;
}

export interface CallsParams extends TimeRange, UsageFilters {
  /** Cursor of the page to start from. */
  cursor?: string | null;
}

export interface NewKeyParams {
  name: string;
  /** The most that the key may spend, in USD. */
  budget_usd?: string | null;
  /** Slugs of the services that it may call. Default: all. */
  services?: string[] | null;
  /** RFC 3339 */
  expires_at?: string | null;
}

export interface AutoTopUpParams {
  below_usd?: string | null;
  amount_usd?: string | null;
  monthly_max_usd?: string | null;
  enabled?: boolean | null;
}

export interface RefundParams {
  reason: string;
  /** Default: everything that has not been refunded yet. */
  amount_usd?: string | null;
}

/** A plan of an account. Money is a decimal string in USD. */
export interface AccountPlan {
  id: string;
  name: string;
  kind: 'trial' | 'credit' | 'subscription' | (string & {});
  /** Time at which all that is left has expired; null if a part never expires, or nothing is left. */
  expires_at: string | null;
  /** Of credit. */
  balance_usd?: string;
  /** Units, of a plan that includes units. */
  included_remaining?: number;
  /** Of a plan that includes dollars. */
  included_usd?: string;
  requests_per_second: number;
}

/** Credit or units that were granted, by a trial, a promotion or the seller. */
export interface Grant {
  source: string | null;
  given_usd?: string;
  remaining_usd?: string;
  given_units?: number;
  remaining_units?: number;
  expires_at: string | null;
}

export interface Subscription {
  id: string;
  plan: string;
  status: string;
  renews: boolean;
  /** Time of the next charge. */
  renews_at: string | null;
  period_start: string;
  period_end: string;
  cancel_at_period_end: boolean;
  next_plan: string | null;
  /** Page on which a person pays a renewal that failed. */
  pay_url: string | null;
}

/** Automatic purchases of credit. */
export interface AutoTopUp {
  state: 'on' | 'off' | 'stopped' | (string & {});
  /** The cause of `stopped`. */
  reason?: string | null;
  below_usd?: string;
  amount_usd?: string;
  monthly_max_usd?: string;
  charged_this_month_usd?: string;
  card?: { brand?: string; last4?: string };
}

/** Balance, plans and limits of an account. Money is a decimal string in USD. */
export interface AccountOverview {
  success: boolean;
  account: string;
  created_at: string | null;
  claimed: boolean;
  balance_usd: string;
  /** Reserved by running calls. */
  held_usd: string;
  /** Units, over all plans. */
  included_remaining: number;
  /** Over all plans; absent if no plan includes dollars. */
  included_usd?: string;
  plans: AccountPlan[];
  grants: Grant[];
  subscriptions: Subscription[];
  auto_top_up: AutoTopUp;
}

/** Sums over calls; refunded calls count as calls only. The member named by the group has the value that the sum is for. */
export interface UsageSum {
  calls: number;
  units: number;
  included_units: number;
  cost_usd: string;
  /** Quantity of each meter. */
  quantities?: Record<string, number>;
  service?: string | null;
  operation?: string | null;
  plan?: string | null;
  /** Id of an account key; null for access tokens. */
  key?: string | null;
  model?: string | null;
  day?: string | null;
}

export interface UsageReport {
  success: boolean;
  from: string;
  to: string;
  group: string;
  usage: UsageSum[];
}

/** A call as it was charged. */
export interface CallRecord {
  call: string;
  at: string;
  service: string;
  operation: string;
  status: number | null;
  /** The plans that paid. */
  plans: string[];
  /** Id of the account key that made it; null for an access token. */
  key: string | null;
  /** 0 for a service with several meters, which has `quantities`. */
  units: number;
  included_units: number;
  cost_usd: string;
  /** True if the charge was credited back. */
  given_back: boolean;
  /** Entry of the price table. */
  model?: string;
  quantities?: Record<string, number>;
}

/** A payment with its signed receipt. Money is a decimal string in USD. */
export interface Receipt {
  kind: 'purchase' | (string & {});
  purchase: string;
  plan: string;
  amount_usd: string;
  tax_usd: string;
  total_usd: string;
  reversed_usd: string;
  reversed_tax_usd: string;
  rail: string;
  payment: string;
  paid_at: string;
  /** Compact JWS, which the keys of `/.well-known/jwks.json` verify. */
  receipt: string;
  /** Page to print. */
  url: string;
  invoice_url: string | null;
}

/** A page of a list of the account, the newest first. */
export interface AccountPage<Item> {
  success: boolean;
  results: Item[];
  /** Cursor of the next page; null at the end. */
  cursor: string | null;
}

/** A long-lived key of an account. */
export interface AccountKey {
  id: string;
  name: string;
  /** The end of the key. */
  hint: string;
  created_at: string;
  /** The address of the person who created it, shown to persons. */
  created_by?: string | null;
  expires_at: string | null;
  /** `paused` while the role of the person who created it does not include calls. */
  state?: 'active' | 'paused';
  /** Slugs of the services that it may call; null for all. */
  services: string[] | null;
  /** The most that it may spend. */
  budget_usd: string | null;
  spent_usd: string | null;
}

export interface NewAccountKey extends AccountKey {
  success: boolean;
  /** The key itself, for `new Sluice({ access_token })`. It is shown only once. */
  key: string;
}

export interface RevokedKey {
  success: boolean;
  id: string;
  revoked: boolean;
}

/** The subscription that was changed, and all of the account. */
export interface SubscriptionState {
  success: boolean;
  subscription: Subscription;
  subscriptions: Subscription[];
}

export interface Promotion {
  code: string;
  usd?: string;
  units?: number;
  expires_at: string | null;
}

/** The state of a purchase; `granted` is paid. */
export interface PurchaseState {
  success: boolean;
  purchase: { id: string; plan: string; amount_usd: string; expires_at?: string };
  state: 'offered' | 'claimed' | 'granted' | 'declined' | (string & {});
  /** Only for the account that bought it. */
  account?: string | null;
}

/** A request to refund a purchase. Money is a decimal string in USD. */
export interface RefundRequest {
  purchase: string;
  amount_usd: string;
  tax_usd: string;
  reason: string;
  asked_at: string;
  state: 'open' | 'declined' | 'refunded' | (string & {});
  refunded_usd: string;
  refunded_tax_usd: string;
  /** The seller's reason for declining. */
  answer: string | null;
  declined_at: string | null;
}

/** The state of a claim. */
export interface Claim {
  success: boolean;
  status: 'initiated' | 'claimed' | (string & {});
  /** Of the code that was sent. */
  expires_at?: string;
  /** The account that remains after a claim. */
  account?: string;
  /** True if it was joined with an account that the person already had. */
  joined?: boolean;
}
