/** A new account and its credentials. */
export interface Registration {
  success: boolean;
  account: string;
  /** For `new Sluice({ access_token })`. */
  access_token: string;
  token_type: string;
  /** Lifetime of the access token in seconds. */
  expires_in: number;
  /** Obtains further access tokens until `assertion_expires`. */
  identity_assertion: string;
  /** ISO 8601 */
  assertion_expires: string;
  /** The trial, or null if the shop has none. */
  plan: { id: string; kind?: string } | null;
  /** For `account.claim`, in a shop that sends mail. */
  claim_token?: string;
}

/** A complete request as data. */
export interface RequestRecipe {
  method: string;
  url: string;
  headers: Record<string, string>;
  body: Record<string, unknown>;
}

/** A plan as a refusal offers it. Money is a decimal string in USD. */
export interface PlanOffer {
  id: string;
  name: string;
  kind: string;
  /** For credit, the smallest amount. */
  price_usd: string;
  /** Units of one period; null for credit, and for a plan that includes dollars. */
  included: number | null;
  /** Dollars of usage in one period, of a plan that includes no units. */
  included_usd?: string;
  /** The request that buys it. */
  purchase: RequestRecipe;
}

/** A plan of the shop. Money is a decimal string in USD. */
export interface Plan {
  id: string;
  name: string;
  kind: 'trial' | 'credit' | 'subscription' | (string & {});
  description: string | null;
  /** `*` or the slugs of the services. */
  covers: '*' | string[];
  requests_per_second: number | null;
  /** For credit, the smallest amount. */
  price_usd: string;
  /** Units of one period; null for credit, and for a plan that includes dollars. */
  included: number | null;
  /** Dollars of usage in one period, of a plan that includes no units. */
  included_usd?: string;
  /** The request that buys it; null for a trial, which comes with registration. */
  purchase: RequestRecipe | null;
  /** Of credit. */
  min_usd?: string;
  /** Of credit. */
  max_usd?: string;
  /** Of a subscription. */
  every?: string;
  /** Of a subscription: true if unused units carry over to the next period. */
  rollover?: boolean;
  /** Of a trial. */
  included_when_claimed?: number | null;
  /** Of a trial that includes dollars. */
  included_usd_when_claimed?: string;
}

/** The advice of the advisor, which never buys anything. */
export interface Guide {
  status:
    | 'quoted'
    | 'ready'
    | 'needs_input'
    | 'blocked'
    | 'unknown'
    | 'unsupported'
    | 'unavailable'
    | (string & {});
  /** Price of the advice: `0`. */
  priceUsd: string;
  /** Markdown */
  guide: string;
  guideUrl: string;
  /** The calls to make, in order, each with a request that the service takes; `prices` states the prices of several meters in words. */
  operations: unknown[];
  /** Services with several meters count no units: their cost is from what a request states itself to the most that it can cost. */
  estimate?: { units_low: number; units_high: number; cost_usd_low: string; cost_usd_high: string } | null;
  /** The plan to buy. */
  plan?: { id: string; amount_usd: string | null; why: string } | null;
  /** Register, buy, call: complete requests. */
  steps?: unknown[];
  /** Questions about missing information. */
  questions?: unknown[];
}

export interface PurchaseOrder {
  id: string;
  plan: string;
  /** Without tax. */
  amount_usd: string;
  /** The tax on top, once paid; absent where there is none. */
  tax_usd?: string;
  /** The amount and its tax, once paid; absent where there is no tax. */
  total_usd?: string;
}

/** The tax on a price, in a shop whose prices exclude it. */
export interface PurchaseTax {
  included: boolean;
  /** Explains how the hosted page adds tax. */
  on_card_page?: string;
  /** The tax that a card token pays on top; absent while the place of the buyer is not known. */
  tax_usd?: string;
  /** The amount and that tax. */
  total_usd?: string;
  /** The source of the buyer's place: their `billing_address` or the address of the request. */
  calculated_for?: string;
  message?: string;
}

/** Nothing is bought yet: open `checkout_url`, or pay the challenge and send its credential. */
export interface PaymentRequired {
  success: false;
  code: 'payment_required';
  message: string;
  request_id: string;
  purchase: PurchaseOrder & { expires_at: string };
  /** Absent in a shop that adds no tax. */
  tax?: PurchaseTax;
  /** A page where a person pays by card. */
  checkout_url: string;
  rails: { rail: string }[];
  /** The challenge of the `Payment` scheme (MPP): the header `WWW-Authenticate`. */
  www_authenticate?: string;
  /** The challenge of x402: the header `PAYMENT-REQUIRED`. */
  payment_required?: string;
}

/** The payment is being processed: do not pay again, poll `status`. */
export interface PaymentPending {
  success: true;
  code: 'payment_pending';
  message: string;
  request_id: string;
  purchase: PurchaseOrder;
  status: { method: string; url: string };
}

/** The purchase is paid. */
export interface Paid {
  success: true;
  code?: undefined;
  purchase: PurchaseOrder;
  plan: {
    id: string;
    kind: string;
    status: string;
    period_end: string | null;
    included_remaining: number | null;
    /** Of a plan that includes dollars. */
    included_usd?: string;
  };
  balance_usd: string;
  receipt: { method: string; reference: string };
  account: string;
}

/** The state of a purchase; `code` distinguishes the three. */
export type Purchase = PaymentRequired | PaymentPending | Paid;
