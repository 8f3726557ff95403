import * as Money from '@sluice/kernel/money';
import type { Accounts } from '../identity/account.ts';
import { lifeMs, type Order } from '../payment/order.ts';
import type { PaymentContext } from '../payment/payment-context.ts';
import type { ListedPayment } from '../payment/processor.ts';
import { taxIn } from './grant-order.ts';

/** The plans of the catalogue that are or were for sale, by kind. */
export type Plans = ReadonlyMap<string, 'credit' | 'subscription' | 'trial'>;

/**
 * Restores the orders that were made and paid after the backup that the database was restored from, and their accounts, from the metadata
 * of their payments. It grants nothing: the reconciliation that follows does. Renewals are recorded from their invoices. Returns the
 * restored orders. Safe to repeat.
 */
export async function restore(
  paymentContext: Pick<PaymentContext, 'orders' | 'processor' | 'clock'>,
  accounts: Pick<Accounts, 'find' | 'register'>,
  plans: Plans,
  sinceMs: number,
): Promise<string[]> {
  const entered: string[] = [];
  for await (const payment of paymentContext.processor.payments(sinceMs)) {
    if (
      payment.isForeign ||
      payment.order === null ||
      (await paymentContext.orders.find(payment.order)) !== null
    )
      continue;
    if (orderOf(payment, await taxIn(paymentContext, payment), plans) === null) continue;
    const { account, plan } = payment;
    if (account !== null && plan !== null && (await accounts.find(account)) === null)
      await accounts.register(account, null);
    const order = await restoreOrder(paymentContext, payment, plans);
    if (order !== null) entered.push(order.id);
  }
  return entered;
}

/**
 * Restores the missing order of a payment in the state in which it was offered. Returns null when the payment's metadata is incomplete, or
 * names another amount than the one that was paid.
 */
export async function restoreOrder(
  { orders, processor, clock }: Pick<PaymentContext, 'orders' | 'processor' | 'clock'>,
  payment: ListedPayment,
  plans: Plans,
): Promise<Order | null> {
  if (payment.isForeign) return null;
  const order = orderOf(payment, await taxIn({ processor }, payment), plans);
  if (order === null) return null;
  await orders.offer({ ...order, rail: 'card', returnUrl: null, expiresMs: clock() + lifeMs });
  return orders.find(order.id);
}

function orderOf(
  { state, order, plan, account, received, period, isForeign }: ListedPayment,
  tax: Money.Money,
  plans: Plans,
): Pick<Order, 'id' | 'account' | 'plan' | 'amount' | 'period'> | null {
  // A payment to another shop with the same processor account is granted by that shop.
  if (isForeign || state !== 'succeeded' || order === null || plan === null) return null;
  const kind = plans.get(plan);
  if (kind === undefined || kind === 'trial' || (kind === 'subscription') !== (period !== null)) return null;
  const net = received - tax;
  const price = period === null ? net : period.terms.price - (period.terms.replaces?.credit ?? 0);
  return price === net ? { id: order, account, plan, amount: Money.ofMicro(price), period } : null;
}
