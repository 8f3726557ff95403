/** What registration gives. */
export interface Registration {
  success: boolean;
  account: string;
  /** For `new Sluice({ access_token })`. */
  access_token: string;
  token_type: string;
  /** Seconds that the access token lives. */
  expires_in: number;
  /** Fetches further access tokens until `assertion_expires`. */
  identity_assertion: string;
  /** ISO 8601 */
  assertion_expires: string;
  /** The trial that comes with it; null where the shop has none. */
  plan: { id: string; kind?: string } | null;
}

/** A request as data, complete as it stands. */
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
  /** For credit the least amount. */
  price_usd: string;
  /** Units of one period; null for credit. */
  included: number | null;
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
  /** For credit the least amount. */
  price_usd: string;
  /** Units of one period; null for credit. */
  included: number | null;
  /** The request that buys it; null for a trial, which comes with registration. */
  purchase: RequestRecipe | null;
  /** Of credit. */
  min_usd?: string;
  /** Of credit. */
  max_usd?: string;
  /** Of a subscription. */
  every?: string;
  /** Of a subscription: whether unused units stay. */
  rollover?: boolean;
  /** Of a trial. */
  included_when_claimed?: number | null;
}

/** What the advisor says. It never buys anything. */
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
  /** What the advice costs: `0`. */
  priceUsd: string;
  /** Markdown */
  guide: string;
  guideUrl: string;
  /** The calls to make, in order, each with a request that the service takes. */
  operations: unknown[];
  estimate?: { units_low: number; units_high: number; cost_usd_low: string; cost_usd_high: string } | null;
  /** What to buy. */
  plan?: { id: string; amount_usd: string | null; why: string } | null;
  /** Register, buy, call: complete requests. */
  steps?: unknown[];
  /** What is missing to say more. */
  questions?: unknown[];
}

export interface PurchaseOrder {
  id: string;
  plan: string;
  amount_usd: string;
}

/** Nothing is bought yet: open `checkout_url`, or pay the challenge and send its credential. */
export interface PaymentRequired {
  success: false;
  code: 'payment_required';
  message: string;
  request_id: string;
  purchase: PurchaseOrder & { expires_at: string };
  /** A page where a person pays by card. */
  checkout_url: string;
  rails: { rail: string }[];
  /** The challenge of the `Payment` scheme (MPP): the header `WWW-Authenticate`. */
  www_authenticate?: string;
  /** The challenge of x402: the header `PAYMENT-REQUIRED`. */
  payment_required?: string;
}

/** The payment is under way: do not pay again, ask at `status`. */
export interface PaymentPending {
  success: true;
  code: 'payment_pending';
  message: string;
  request_id: string;
  purchase: PurchaseOrder;
  status: { method: string; url: string };
}

/** It is bought. */
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
  };
  balance_usd: string;
  receipt: { method: string; reference: string };
  account: string;
}

/** How a purchase stands; `code` tells which it is. */
export type Purchase = PaymentRequired | PaymentPending | Paid;
