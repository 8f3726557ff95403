import type { Stripe } from 'stripe';
import { z } from 'zod';
import * as Charge from '../objects/charge.ts';
import * as PaymentIntent from '../objects/payment-intent.ts';
import * as Refund from '../objects/refund.ts';
import * as List from '../protocol/list.ts';
import { integer, type Known, mergeMetadata, metadata, text } from '../protocol/params.ts';
import { listing, retrieval } from '../protocol/reading.ts';
import { invalid, isRefusal, missing, type Refusal } from '../protocol/refusal.ts';
import { type Route, route } from '../protocol/route.ts';
import * as Store from '../store.ts';

const path = '/v1/refunds';

export const refunds: readonly Route[] = [
  route({
    method: 'POST',
    path,
    gives: 'refund',
    params: z.strictObject({
      amount: integer.optional(),
      charge: text().optional(),
      payment_intent: text().optional(),
      reason: z.enum(['duplicate', 'fraudulent', 'requested_by_customer']).optional(),
      metadata: metadata.optional(),
    } satisfies Known<Stripe.RefundCreateParams>),
    run: (ctx, { charge: chargeId, payment_intent, ...draft }) => {
      const charge = chargeOf(ctx.store, chargeId, payment_intent);
      if (isRefusal(charge)) return charge;
      return Refund.create(ctx, charge, { ...draft, metadata: mergeMetadata({}, draft.metadata) });
    },
  }),
  listing({
    path,
    gives: 'refund',
    table: Refund.refunds,
    params: {
      created: List.created,
      charge: text().optional(),
      payment_intent: text().optional(),
    } satisfies Known<Stripe.RefundListParams>,
  }),
  retrieval(path, 'refund', Refund.refunds),
  route({
    method: 'POST',
    path: `${path}/:id`,
    gives: 'refund',
    params: z.strictObject({ metadata: metadata.optional() } satisfies Known<Stripe.RefundUpdateParams>),
    run: (ctx, { metadata: given }, id) => {
      const refund = Store.get(ctx.store, Refund.refunds, id);
      if (refund === undefined) return missing('refund', id);
      return Refund.update(ctx, refund, { metadata: mergeMetadata(refund.metadata ?? {}, given) });
    },
  }),
  route({
    method: 'POST',
    path: `${path}/:id/cancel`,
    gives: 'refund',
    params: z.strictObject({}),
    run: (ctx, _params, id) => {
      const refund = Store.get(ctx.store, Refund.refunds, id);
      if (refund === undefined) return missing('refund', id);
      return refund.status === 'requires_action'
        ? Refund.end(ctx, refund, 'canceled')
        : invalid(`Only a refund that requires action can be cancelled; this one is ${refund.status}.`);
    },
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
