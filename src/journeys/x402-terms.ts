import * as Money from '@sluice/kernel/money';
import type { PaidPlan } from '../catalog/plan.ts';
import type { CheckoutContext } from '../payment/payment-context.ts';
import * as AcceptedToken from '../payment/x402/accepted-token.ts';
import type { Requirement } from '../payment/x402/requirement.ts';
import * as Resource from '../payment/x402/resource.ts';

/** The terms of paying a purchase in a dollar token. */
export type X402Terms = { resource: Resource.Resource; requirements: readonly Requirement[] };

/** Returns the x402 terms of a purchase; null when the shop accepts no tokens. */
export function x402Terms(
  { acceptedTokens, catalog, publicUrl }: Pick<CheckoutContext, 'acceptedTokens' | 'catalog' | 'publicUrl'>,
  plan: PaidPlan,
  amount: Money.Money,
): X402Terms | null {
  if (acceptedTokens === null) return null;
  const resource = Resource.describeResource({
    url: `${publicUrl}/plans/${plan.id}/purchase`,
    description: `${plan.name}: ${Money.format(amount)} USD`,
    serviceName: catalog.storefront.name,
  });
  return { resource, requirements: AcceptedToken.requirements(acceptedTokens, amount) };
}
