import * as Money from '@sluice/kernel/money';
import Stripe from 'stripe';
import type { RefundOutcome } from '../../payment/processor.ts';
import type { Reversal } from '../../payment/reversal.ts';
import * as ChargeFault from './charge-fault.ts';
import { wholeCents } from './payment-params.ts';
import type { Report } from './rejections.ts';
import * as Reversed from './reversals.ts';

const { errors } = Stripe;

const pageSize = 100;
const reversalsReadMax = 1_000;

/** Returns every refund and dispute of a payment in its current state. */
export async function reversalsOf(stripe: Stripe, payment: string): Promise<Reversal[]> {
  const ofPayment = { payment_intent: payment, limit: pageSize };
  const [refunds, disputes] = await Promise.all([
    stripe.refunds.list(ofPayment).autoPagingToArray({ limit: reversalsReadMax }),
    stripe.disputes.list(ofPayment).autoPagingToArray({ limit: reversalsReadMax }),
  ]);
  return [...refunds.map(Reversed.ofRefund), ...disputes.map(Reversed.ofDispute)];
}

/** Refunds `amount` and its tax, once for each idempotency key. `report` receives a refusal of the shop's own key. */
export async function refund(
  stripe: Stripe,
  payment: string,
  { amount, tax }: { amount: Money.Money; tax: Money.Money },
  keys: { idempotency: string; seller: string | null },
  report: Report | undefined,
): Promise<RefundOutcome> {
  try {
    const made = await stripe.refunds.create(
      {
        payment_intent: payment,
        amount: wholeCents(Money.ofMicro(amount + tax), payment),
        metadata: {
          ...(keys.seller !== null && { [Reversed.keyField]: keys.seller }),
          ...(tax > 0 && { [Reversed.taxField]: String(wholeCents(tax, payment)) }),
        },
      },
      { idempotencyKey: keys.idempotency },
    );
    return { kind: 'refunded', reversal: Reversed.ofRefund(made) };
  } catch (error) {
    if (ChargeFault.passes(error)) return { kind: 'unknown' };
    if (ChargeFault.isRefusal(error)) {
      report?.('processor_refuses', { reason: ChargeFault.describe(error) });
      return { kind: 'refused', reason: error.message };
    }
    if (error instanceof errors.StripeInvalidRequestError || error instanceof errors.StripeIdempotencyError)
      return { kind: 'refused', reason: error.message };
    throw error;
  }
}
