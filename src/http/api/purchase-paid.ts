import * as Money from '@sluice/kernel/money';
import type { PaidPlan } from '../../catalog/plan.ts';
import type * as Purchase from '../../journeys/purchase.ts';
import * as PurchaseDisclosure from '../../journeys/purchase-disclosure.ts';
import { type Order, reference, totalPaid } from '../../payment/order.ts';
import type { PaymentContext } from '../../payment/payment-context.ts';
import type * as Payload from '../../payment/x402/payload.ts';
import { json, type Reply } from '../reply.ts';
import { proofOfPayment } from './x402-fields.ts';

/** The dependencies of the response to a paid purchase. */
export type PaidReplyContext = PurchaseDisclosure.DisclosureContext & Pick<PaymentContext, 'acceptedTokens'>;

/** The parts of a purchase request that affect its response. */
export type ReplyOptions = {
  /** The account of the bearer token; null without one. */
  account: string | null;
  /** The value of `Accept-Payment`. */
  accepted: string;
  x402: Payload.PayloadReading;
  /** Returns true while the caller waits for the response. */
  isConnected: () => boolean;
};

/** The receipt. The account itself, or the buyer who gets its tokens, also gets the plan and the balance. */
export async function reply(
  shop: PaidReplyContext,
  plan: PaidPlan,
  options: ReplyOptions,
  { order, receipt, payer }: Extract<Purchase.PurchaseResult, { kind: 'granted' }>,
): Promise<Reply> {
  const { account } = order;
  const paidBy = { order, payer };
  const { account: sender, isConnected } = options;
  const shown = await PurchaseDisclosure.disclose(shop, paidBy, plan.id, sender, isConnected);
  const paid = {
    success: true,
    purchase: describe(order),
    receipt: {
      method: order.rail === 'x402' ? 'x402' : 'stripe',
      reference: reference(order),
      settled_at: iso(order.grantedMs),
    },
  };
  const headers = {
    ...proofOfPayment(shop, order, receipt, options.x402),
    'cache-control': 'private, no-store',
  };
  if (shown === null) return json(200, paid, headers);
  const { tokens } = shown;
  const { status, includedRemaining, includedUsd, balance } = shown.plan;
  return json(
    200,
    {
      ...paid,
      plan: {
        id: plan.id,
        kind: plan.kind,
        status,
        period_end: order.periodEndMs === null ? null : iso(order.periodEndMs),
        included_remaining: includedRemaining,
        ...(includedUsd !== null && { included_usd: Money.format(includedUsd) }),
      },
      balance_usd: Money.format(balance),
      account,
      ...(tokens && {
        access_token: tokens.access.token,
        token_type: 'Bearer',
        identity_assertion: tokens.assertion.token,
        assertion_expires: iso(tokens.assertion.claims.expiresMs),
      }),
    },
    headers,
  );
}

/** The order as all responses about it describe it. */
export function describe({
  id,
  plan,
  amount,
  tax = Money.zero,
}: Pick<Order, 'id' | 'plan' | 'amount'> & { tax?: Money.Money }): Record<string, unknown> {
  const taxed = { tax_usd: Money.format(tax), total_usd: Money.format(totalPaid({ amount, tax })) };
  return { id, plan, amount_usd: Money.format(amount), ...(tax > 0 && taxed) };
}

export function iso(ms: number): string {
  return new Date(ms).toISOString();
}
