import { z } from 'zod';
import type { Act } from '../act.ts';
import * as Dunning from '../billing/dunning.ts';
import * as Charge from '../objects/charge.ts';
import * as Confirmation from '../objects/confirmation.ts';
import * as Dispute from '../objects/dispute.ts';
import * as PaymentIntent from '../objects/payment-intent.ts';
import * as Refund from '../objects/refund.ts';
import { shown } from '../objects/stored.ts';
import { invalid, isRefusal, missing, type Refusal } from '../protocol/refusal.ts';
import { begin, finish, type Sandbox } from '../sandbox.ts';
import * as Settlement from '../settlement.ts';
import * as Store from '../store.ts';
import type { Obey } from './order.ts';

const minorUnits = z.int().min(1);

/** What banks and payers do of their own accord. */
export function moneyOrders(obey: Obey, sandbox: Sandbox): void {
  obey('/disputes', disputeOrder, (order) => acted((act) => dispute(act, order)));
  obey('/payments', paymentOrder, (order) => acted((act) => settle(act, order)));
  obey('/refunds', refundOrder, (order) => acted((act) => endRefund(act, order)));
  obey('/billing', billingOrder, (order) =>
    acted((act) => {
      Dunning.order(act, order.after_retries);
      return order;
    }),
  );

  function acted(deed: (act: Act) => object | Refusal): object | Refusal {
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
  act: Act,
  { payment_intent, amount, reason, is_inquiry }: z.infer<typeof disputeOrder>,
): object | Refusal {
  const intent = Store.get(act.store, PaymentIntent.paymentIntents, payment_intent);
  const charge = Store.get(act.store, Charge.charges, intent?.latest_charge ?? '');
  if (charge === undefined) return missing('charge of payment_intent', payment_intent);
  const left = charge.amount_captured - charge.amount_refunded;
  if (charge.status !== 'succeeded' || left === 0) return invalid('Nothing is left of this charge.');
  if ((amount ?? left) > charge.amount_captured) return invalid('This is more than was charged.');
  return Dispute.open(act, charge, { amount, reason, isInquiry: is_inquiry });
}

const paymentOrder = z.strictObject({
  payment_intent: z.string(),
  outcome: z.enum(['succeeded', 'failed']),
});

function settle(act: Act, { payment_intent, outcome }: z.infer<typeof paymentOrder>): object | Refusal {
  const intent = Store.get(act.store, PaymentIntent.paymentIntents, payment_intent);
  if (intent === undefined) return missing('payment_intent', payment_intent);
  if (intent.status !== 'processing') return invalid(`This payment is not on its way: ${intent.status}.`);
  const settled = Confirmation.settle(act, intent, outcome);
  Settlement.follow(act, settled);
  return settled;
}

const refundOrder = z.strictObject({
  refund: z.string(),
  status: z.enum(['succeeded', 'failed', 'requires_action']),
});

function endRefund(act: Act, { refund: refundId, status }: z.infer<typeof refundOrder>): object | Refusal {
  const refund = Store.get(act.store, Refund.refunds, refundId);
  if (refund === undefined) return missing('refund', refundId);
  const isOver = Refund.isUndone(refund) || (refund.status === 'succeeded' && status !== 'failed');
  if (isOver) return invalid(`This refund is over: ${refund.status}.`);
  return status === 'requires_action'
    ? Refund.update(act, refund, { status, _ends: null })
    : Refund.end(act, refund, status);
}

const billingOrder = z.strictObject({ after_retries: z.enum(Dunning.lastResorts) });
