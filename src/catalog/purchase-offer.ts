import * as Endpoint from '@sluice/kernel/endpoints';
import * as Money from '@sluice/kernel/money';
import * as Included from './included.ts';
import { covers, forSale, type PaidPlan, type Plan } from './plan.ts';
import type { Service } from './service.ts';

/** A complete request as data; `body` is sent as JSON. */
export type PurchaseRequest = {
  method: 'POST';
  url: string;
  headers: Readonly<Record<string, string>>;
  body: Readonly<Record<string, string>>;
};

/** A plan in a refusal, with everything the caller needs to buy it. */
export type Offer = {
  id: string;
  name: string;
  kind: PaidPlan['kind'];
  /** The price in USD; for credit the minimum amount. */
  price_usd: string;
  /** Units in one period; null for credit, which is money, and for a plan that includes dollars. */
  included: number | null;
  /** Dollars of usage in one period, of a plan that includes no units. */
  included_usd?: string;
  purchase: PurchaseRequest;
};

const headers = { 'content-type': 'application/json' };

/**
 * Returns the request that buys a plan, for credit with the minimum amount. `baseUrl`: the shop's public origin, without a trailing slash.
 * Without a payment, the response is a 402 with the price, and nothing is charged.
 */
export function how(plan: PaidPlan, baseUrl: string): PurchaseRequest {
  const body: Record<string, string> = plan.kind === 'credit' ? { amount_usd: Money.format(plan.min) } : {};
  return { method: 'POST', url: `${baseUrl}/plans/${plan.id}/purchase`, headers, body };
}

/** Returns the request that opens an account, which includes the units of the trial. */
export function howToTry(baseUrl: string): PurchaseRequest {
  return { method: 'POST', url: baseUrl + Endpoint.path.register, headers, body: { type: 'anonymous' } };
}

/**
 * The paid plans that cover a service, each with the request that buys it for one account.
 * @param buyer the query of that request, which names the account
 */
export function offersFor(
  service: Service,
  plans: readonly Plan[],
  baseUrl: string,
  buyer: URLSearchParams,
): Offer[] {
  return forSale(plans)
    .filter((plan) => covers(plan, service))
    .map((plan) => {
      const general = offer(plan, baseUrl);
      const { purchase } = general;
      return { ...general, purchase: { ...purchase, url: `${purchase.url}?${buyer}` } };
    });
}

/** A plan with the request that buys it for the account of a bearer token, or for a new account. */
export function offer(plan: PaidPlan, baseUrl: string): Offer {
  return {
    id: plan.id,
    name: plan.name,
    kind: plan.kind,
    price_usd: Money.format(plan.kind === 'credit' ? plan.min : plan.price),
    ...(plan.kind === 'credit' ? { included: null } : Included.members(plan.included)),
    purchase: how(plan, baseUrl),
  };
}
