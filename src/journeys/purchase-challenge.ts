import { contentDigest } from '@sluice/kernel/digest';
import * as Money from '@sluice/kernel/money';
import type { CatalogContext } from '../catalog/catalog-context.ts';
import type { PaidPlan } from '../catalog/plan.ts';
import * as Challenge from '../payment/challenge.ts';
import * as Order from '../payment/order.ts';
import type { CheckoutContext } from '../payment/payment-context.ts';
import * as StripeCharge from '../payment/stripe-charge.ts';

/** Time in which a challenge can be paid. */
const challengeLifeMs = 5 * 60_000;

type Bought = { plan: PaidPlan; account: string | null };

/** Issues the challenge for paying an order with a card token. */
export function issue(
  shop: CheckoutContext,
  request: Bought & { body: Buffer },
  order: Pick<Order.Order, 'id' | 'amount' | 'taxQuote'>,
  nowMs: number,
): Challenge.Challenge {
  const asked = Order.amountDue(order);
  const terms = bound(shop, request, asked);
  return Challenge.issue(
    {
      ...terms,
      opaque: { ...terms.opaque, order: order.id },
      expiresAtMs: nowMs + challengeLifeMs,
      digest: contentDigest(request.body),
      description: `${request.plan.name}: ${Money.format(asked)} USD at ${shop.catalog.storefront.name}`,
      ...(request.account !== null && { header: Challenge.alternateField }),
    },
    shop.challengeSecrets,
  );
}

/** Returns the terms of a challenge for this request and amount, apart from its order. */
export function bound(
  shop: Pick<CheckoutContext, 'networkId'> & Pick<CatalogContext, 'publicUrl'>,
  { plan, account }: Bought,
  amount: Money.Money,
) {
  return {
    realm: new URL(shop.publicUrl).hostname,
    method: StripeCharge.method,
    intent: StripeCharge.intent,
    request: StripeCharge.request(amount, {
      networkId: shop.networkId,
      paymentMethodTypes: ['card', 'link'],
    }),
    opaque: { plan: plan.id, account: account ?? '' },
  };
}
