import * as Endpoint from '../identity/endpoint.ts';
import * as Money from '../kernel/money.ts';
import type { PaidPlan } from './plan.ts';

/** A request as data, complete as it stands: `body` travels as JSON. */
export type PurchaseRequest = {
  method: 'POST';
  url: string;
  headers: Readonly<Record<string, string>>;
  body: Readonly<Record<string, string>>;
};

/** A plan as a refusal names it, so that the caller can buy it at once. */
export type Offer = {
  id: string;
  name: string;
  kind: PaidPlan['kind'];
  /** What the purchase costs, in USD; for credit the least amount. */
  price_usd: string;
  /** Units in one period; null for credit, which holds money. */
  included: number | null;
  purchase: PurchaseRequest;
};

const headers = { 'content-type': 'application/json' };

/**
 * The request that buys a plan, for credit the least amount of it. `baseUrl` is the shop's public origin, without a
 * slash at its end. Without a payment it is answered by a priced 402 and charges nothing.
 */
export function how(plan: PaidPlan, baseUrl: string): PurchaseRequest {
  const body: Record<string, string> = plan.kind === 'credit' ? { amount_usd: Money.format(plan.min) } : {};
  return { method: 'POST', url: `${baseUrl}/plans/${plan.id}/purchase`, headers, body };
}

/** The request that opens an account with the trial's units: a trial is not bought. */
export function howToTry(baseUrl: string): PurchaseRequest {
  return { method: 'POST', url: baseUrl + Endpoint.path.register, headers, body: { type: 'anonymous' } };
}

export function offer(plan: PaidPlan, baseUrl: string): Offer {
  return {
    id: plan.id,
    name: plan.name,
    kind: plan.kind,
    price_usd: Money.format(plan.kind === 'credit' ? plan.min : plan.price),
    included: plan.kind === 'credit' ? null : plan.included,
    purchase: how(plan, baseUrl),
  };
}
