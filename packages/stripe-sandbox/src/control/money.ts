import { z } from 'zod';
import * as Dunning from '../billing/dunning.ts';
import * as Account from '../objects/account.ts';
import * as BalanceTransaction from '../objects/balance-transaction.ts';
import * as Charge from '../objects/charge.ts';
import * as Confirmation from '../objects/confirmation.ts';
import * as Dispute from '../objects/dispute.ts';
import * as EarlyFraudWarning from '../objects/early-fraud-warning.ts';
import * as PaymentIntent from '../objects/payment-intent.ts';
import * as Refund from '../objects/refund.ts';
import * as Review from '../objects/review.ts';
import { shown } from '../objects/stored.ts';
import { invalid, isRefusal, missing, type Refusal } from '../protocol/refusal.ts';
import type { RequestContext } from '../request-context.ts';
import { begin, finish, type Sandbox } from '../sandbox.ts';
import * as Settlement from '../settlement.ts';
import * as Store from '../store.ts';
import { nothing, type Obey } from './order.ts';

const minorUnits = z.int().min(1);

/** Routes for actions of banks, payers and Radar. */
export function moneyOrders(obey: Obey, sandbox: Sandbox): void {
  obey('/disputes', disputeOrder, (order) => acted((ctx) => dispute(ctx, order)));
  obey('/account', Account.accountSettings, (order) => acted((ctx) => Account.changeAccount(ctx, order)));
  obey('/early-fraud-warnings', warningOrder, (order) => acted((ctx) => reportFraud(ctx, order)));
  obey('/reviews', reviewOrder, (order) => acted((ctx) => openReview(ctx, order)));
  obey('/payouts', nothing, () => acted((ctx) => ({ transactions: BalanceTransaction.payOut(ctx) })));
  obey('/disputes/status', stageOrder, (order) => acted((ctx) => moveOn(ctx, order)));
  obey('/payments', paymentOrder, (order) => acted((ctx) => settle(ctx, order)));
  obey('/refunds', refundOrder, (order) => acted((ctx) => endRefund(ctx, order)));
  obey('/billing', billingOrder, (order) =>
    acted((ctx) => {
      Dunning.order(ctx, order.after_retries);
      return order;
    }),
  );

  function acted(deed: (ctx: RequestContext) => object | Refusal): object | Refusal {
    const answer = deed(begin(sandbox));
    finish(sandbox);
    return isRefusal(answer) ? answer : shown(answer);
  }
}

const disputeOrder = z.strictObject({
  payment_intent: z.string(),
  amount: minorUnits.optional(),
  reason: z.string().max(50).optional(),
  is_inquiry: z.boolean().default(false),
});

function dispute(
  ctx: RequestContext,
  { payment_intent, amount, reason, is_inquiry }: z.infer<typeof disputeOrder>,
): object | Refusal {
  const charge = chargeOf(ctx, payment_intent);
  if (isRefusal(charge)) return charge;
  const left = charge.amount_captured - charge.amount_refunded;
  if (charge.status !== 'succeeded' || left === 0) return invalid('Nothing is left of this charge.');
  if ((amount ?? left) > charge.amount_captured) return invalid('This is more than was charged.');
  return Dispute.openDispute(ctx, charge, { amount, reason, isInquiry: is_inquiry });
}

/** The charge of a payment intent, paid or not. */
function chargeOf({ store }: RequestContext, intentId: string): Charge.Charge | Refusal {
  const intent = Store.get(store, PaymentIntent.paymentIntents, intentId);
  const charge = Store.get(store, Charge.charges, intent?.latest_charge ?? '');
  return charge ?? missing('charge of payment_intent', intentId);
}

const warningOrder = z.strictObject({
  payment_intent: z.string(),
  fraud_type: z.enum(EarlyFraudWarning.fraudTypes).default('made_with_stolen_card'),
});

function reportFraud(
  ctx: RequestContext,
  { payment_intent, fraud_type }: z.infer<typeof warningOrder>,
): object | Refusal {
  const charge = chargeOf(ctx, payment_intent);
  return isRefusal(charge) ? charge : EarlyFraudWarning.report(ctx, charge, fraud_type);
}

const reviewOrder = z.strictObject({ payment_intent: z.string() });

function openReview(ctx: RequestContext, { payment_intent }: z.infer<typeof reviewOrder>): object | Refusal {
  const charge = chargeOf(ctx, payment_intent);
  if (isRefusal(charge)) return charge;
  return charge.review === null
    ? Review.openReview(ctx, charge, 'manual')
    : invalid('This payment is under review already.');
}

const stageOrder = z.strictObject({ dispute: z.string(), status: z.enum(Dispute.laterStages) });

function moveOn(
  ctx: RequestContext,
  { dispute: name, status }: z.infer<typeof stageOrder>,
): object | Refusal {
  const dispute = Store.get(ctx.store, Dispute.disputes, name);
  return dispute === undefined ? missing('dispute', name) : Dispute.moveOn(ctx, dispute, status);
}

const paymentOrder = z.strictObject({
  payment_intent: z.string(),
  outcome: z.enum(['succeeded', 'failed']),
});

function settle(
  ctx: RequestContext,
  { payment_intent, outcome }: z.infer<typeof paymentOrder>,
): object | Refusal {
  const intent = Store.get(ctx.store, PaymentIntent.paymentIntents, payment_intent);
  if (intent === undefined) return missing('payment_intent', payment_intent);
  if (intent.status !== 'processing') return invalid(`This payment is not on its way: ${intent.status}.`);
  const settled = Confirmation.settle(ctx, intent, outcome);
  Settlement.follow(ctx, settled);
  return settled;
}

const refundOrder = z.strictObject({
  refund: z.string(),
  status: z.enum(['succeeded', 'failed', 'requires_action']),
});

function endRefund(
  ctx: RequestContext,
  { refund: refundId, status }: z.infer<typeof refundOrder>,
): object | Refusal {
  const refund = Store.get(ctx.store, Refund.refunds, refundId);
  if (refund === undefined) return missing('refund', refundId);
  const isOver = Refund.isUndone(refund) || (refund.status === 'succeeded' && status !== 'failed');
  if (isOver) return invalid(`This refund is over: ${refund.status}.`);
  return status === 'requires_action'
    ? Refund.update(ctx, refund, { status, _ends: null })
    : Refund.end(ctx, refund, status);
}

const billingOrder = z.strictObject({ after_retries: z.enum(Dunning.lastResorts) });
