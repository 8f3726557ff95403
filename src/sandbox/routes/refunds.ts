import type { Stripe } from 'stripe';
import { z } from 'zod';
import * as Charge from '../objects/charge.ts';
import * as PaymentIntent from '../objects/payment-intent.ts';
import * as Refund from '../objects/refund.ts';
import * as List from '../protocol/list.ts';
import { integer, type Known, mergeMetadata, metadata, text } from '../protocol/params.ts';
import { invalid, isRefusal, missing, type Refusal } from '../protocol/refusal.ts';
import { type Route, route } from '../protocol/route.ts';
import * as Store from '../store.ts';

export const refunds: readonly Route[] = [
  route({
    method: 'POST',
    path: '/v1/refunds',
    gives: 'refund',
    params: z.strictObject({
      amount: integer.optional(),
      charge: text().optional(),
      payment_intent: text().optional(),
      reason: z.enum(['duplicate', 'fraudulent', 'requested_by_customer']).optional(),
      metadata: metadata.optional(),
    } satisfies Known<Stripe.RefundCreateParams>),
    run: (act, { charge: chargeId, payment_intent, ...draft }) => {
      const charge = chargeOf(act.store, chargeId, payment_intent);
      if (isRefusal(charge)) return charge;
      return Refund.create(act, charge, { ...draft, metadata: mergeMetadata({}, draft.metadata) });
    },
  }),
  route({
    method: 'GET',
    path: '/v1/refunds',
    gives: 'refund',
    isList: true,
    params: z.strictObject({
      ...List.pageParams,
      created: List.created,
      charge: text().optional(),
      payment_intent: text().optional(),
    } satisfies Known<Stripe.RefundListParams>),
    run: ({ store }, { created, charge, payment_intent, ...page }) => {
      const rows = Store.all(store, Refund.refunds).filter(
        (refund) =>
          List.isCreatedWithin(refund.created, created) &&
          (charge === undefined || refund.charge === charge) &&
          (payment_intent === undefined || refund.payment_intent === payment_intent),
      );
      return List.page(rows, '/v1/refunds', page);
    },
  }),
  route({
    method: 'GET',
    path: '/v1/refunds/:id',
    gives: 'refund',
    params: z.strictObject({}),
    run: ({ store }, _params, id) => Store.get(store, Refund.refunds, id) ?? missing('refund', id),
  }),
];

function chargeOf(store: Store.Store, chargeId?: string, intentId?: string): Charge.Charge | Refusal {
  if (chargeId !== undefined && intentId !== undefined) {
    return invalid('Name the charge or the payment_intent, not both.', { param: 'charge' });
  }
  if (chargeId !== undefined) {
    return Store.get(store, Charge.charges, chargeId) ?? missing('charge', chargeId, 'charge');
  }
  if (intentId === undefined) {
    return invalid('One of these is needed: charge, payment_intent.', {
      code: 'parameter_missing',
      param: 'charge',
    });
  }
  const intent = Store.get(store, PaymentIntent.paymentIntents, intentId);
  if (intent === undefined) return missing('payment_intent', intentId, 'payment_intent');
  return (
    Store.get(store, Charge.charges, intent.latest_charge ?? '') ??
    invalid(`PaymentIntent ${intentId} has no charge to refund.`, { param: 'payment_intent' })
  );
}
