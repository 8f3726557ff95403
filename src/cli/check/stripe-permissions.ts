import Stripe from 'stripe';
import * as Finding from './finding.ts';
import * as StripeFault from './stripe-fault.ts';

const { problem, unproved } = Finding.findingsOf('cards');

/** The resources that the shop uses at Stripe, each with a read that changes nothing. A key that can read may still lack the right to write. */
const resources: readonly [string, (stripe: Stripe) => Promise<unknown>][] = [
  ['PaymentIntents', (stripe) => stripe.paymentIntents.list({ limit: 1 })],
  ['Checkout Sessions', (stripe) => stripe.checkout.sessions.list({ limit: 1 })],
  ['Customers', (stripe) => stripe.customers.list({ limit: 1 })],
  ['Subscriptions', (stripe) => stripe.subscriptions.list({ limit: 1 })],
  ['Invoices', (stripe) => stripe.invoices.list({ limit: 1 })],
  ['Invoice Items', (stripe) => stripe.invoiceItems.list({ limit: 1 })],
  ['Products', (stripe) => stripe.products.list({ limit: 1 })],
  ['Prices', (stripe) => stripe.prices.list({ limit: 1 })],
  ['Refunds', (stripe) => stripe.refunds.list({ limit: 1 })],
  ['Customer portal', (stripe) => stripe.billingPortal.configurations.list({ limit: 1 })],
  ['Charges', (stripe) => stripe.charges.list({ limit: 1 })],
  ['Disputes', (stripe) => stripe.disputes.list({ limit: 1 })],
  ['Balance Transactions', (stripe) => stripe.balanceTransactions.list({ limit: 1 })],
];

type Failed = { name: string; fault: unknown };

/** Reads one object of each resource. Returns one finding for all missing permissions, and one for all reads that failed. */
export async function checkPermissions(stripe: Stripe): Promise<Finding.Finding[]> {
  const reads = await Promise.all(
    resources.map(async ([name, read]): Promise<Failed | null> => {
      try {
        await read(stripe);
        return null;
      } catch (fault) {
        return { name, fault };
      }
    }),
  );
  const failed = reads.filter((one) => one !== null);
  const denied = failed.filter(({ fault }) => fault instanceof Stripe.errors.StripePermissionError);
  const others = failed.filter((one) => !denied.includes(one));
  return [
    ...(denied.length === 0
      ? []
      : [
          problem(
            `the key has no permission to read ${names(denied)}`,
            'give the restricted key these permissions in the Stripe dashboard (docs/payments.md)',
          ),
        ]),
    ...(others.length === 0
      ? []
      : [
          unproved(
            `the permissions for ${names(others)} could not be checked: ${StripeFault.describe(others[0]?.fault)}`,
            'run the check again',
          ),
        ]),
  ];
}

function names(failed: readonly Failed[]): string {
  return failed.map(({ name }) => name).join(', ');
}
