import * as Money from '@sluice/kernel/money';
import type Stripe from 'stripe';
import type { ReadCharge } from '../../payment/card-attempt.ts';
import type { Fee } from '../../payment/fee.ts';
import * as CardCharge from './card-charge.ts';

const pageSize = 100;
const transactionsMax = 1_000;

/** Returns every movement of a payment on the Stripe balance. `isComplete` is false until Stripe has settled the charge. */
export async function read(
  stripe: Stripe,
  payment: string,
): Promise<{ fees: Fee[]; isComplete: boolean; charge: ReadCharge | null }> {
  const [intent, refunds, disputes] = await Promise.all([
    stripe.paymentIntents.retrieve(payment, { expand: ['latest_charge.balance_transaction'] }),
    stripe.refunds
      .list({ payment_intent: payment, limit: pageSize, expand: ['data.balance_transaction'] })
      .autoPagingToArray({ limit: transactionsMax }),
    stripe.disputes
      .list({ payment_intent: payment, limit: pageSize })
      .autoPagingToArray({ limit: transactionsMax }),
  ]);
  const { latest_charge: charge } = intent;
  const charged = typeof charge === 'object' ? charge?.balance_transaction : null;
  const fees = [
    ...settled('charge', charged),
    ...refunds.flatMap(({ balance_transaction }) => settled('refund', balance_transaction)),
    ...disputes.flatMap(({ balance_transactions }) =>
      balance_transactions.flatMap((one) => settled('dispute', one)),
    ),
  ];
  return {
    fees,
    isComplete: fees.some(({ kind }) => kind === 'charge'),
    charge: typeof charge === 'object' && charge !== null ? CardCharge.of(charge, null) : null,
  };
}

function settled(kind: Fee['kind'], one: string | Stripe.BalanceTransaction | null | undefined): Fee[] {
  if (typeof one !== 'object' || one === null) return [];
  const { id, currency, amount, fee, net, fee_details, created } = one;
  const tax = fee_details.reduce((sum, detail) => sum + (detail.type === 'tax' ? detail.amount : 0), 0);
  const money = Money.ofCents;
  return [
    {
      id,
      kind,
      currency,
      amount: money(amount),
      fee: money(fee),
      tax: money(tax),
      net: money(net),
      atMs: created * 1_000,
    },
  ];
}
