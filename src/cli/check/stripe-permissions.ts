import Stripe from 'stripe';
import * as Finding from './finding.ts';
import * as StripeFault from './stripe-fault.ts';

const { problem, unproved } = Finding.findingsOf('cards');

/** A permission of a restricted key, by its name in Stripe's dashboard. */
export type Permission = {
  name: string;
  access: 'write' | 'read';
  /** Set when only some shops need it. */
  only?: string;
  /** A read that changes nothing. A key that can read may still lack the right to write. */
  read?(stripe: Stripe): Promise<unknown>;
};

/** The permissions that the shop uses at Stripe. A test compares them with the requests in src/adapters/stripe and with docs/go-live.md. */
export const permissions: readonly Permission[] = [
  { name: 'PaymentIntents', access: 'write', read: (stripe) => stripe.paymentIntents.list({ limit: 1 }) },
  {
    name: 'Checkout Sessions',
    access: 'write',
    read: (stripe) => stripe.checkout.sessions.list({ limit: 1 }),
  },
  { name: 'Customers', access: 'write', read: (stripe) => stripe.customers.list({ limit: 1 }) },
  { name: 'Subscriptions', access: 'write', read: (stripe) => stripe.subscriptions.list({ limit: 1 }) },
  { name: 'Invoices', access: 'write', read: (stripe) => stripe.invoices.list({ limit: 1 }) },
  { name: 'Invoice Items', access: 'write', read: (stripe) => stripe.invoiceItems.list({ limit: 1 }) },
  { name: 'Products', access: 'write', read: (stripe) => stripe.products.list({ limit: 1 }) },
  { name: 'Prices', access: 'write', read: (stripe) => stripe.prices.list({ limit: 1 }) },
  { name: 'Refunds', access: 'write', read: (stripe) => stripe.refunds.list({ limit: 1 }) },
  {
    name: 'Customer portal',
    access: 'write',
    read: (stripe) => stripe.billingPortal.configurations.list({ limit: 1 }),
  },
  // Checked by creating one: checkCards does so where the catalogue needs it.
  { name: 'Tax Calculations', access: 'write', only: '`storefront.tax: stripe`' },
  { name: 'Disputes', access: 'read', read: (stripe) => stripe.disputes.list({ limit: 1 }) },
  {
    name: 'Balance Transactions',
    access: 'read',
    read: (stripe) => stripe.balanceTransactions.list({ limit: 1 }),
  },
  { name: 'Charges', access: 'read', read: (stripe) => stripe.charges.list({ limit: 1 }) },
  { name: 'Payment Methods', access: 'read' },
  { name: 'Setup Intents', access: 'read', read: (stripe) => stripe.setupIntents.list({ limit: 1 }) },
  { name: 'Webhook Endpoints', access: 'read', only: '`sluice check`' },
  { name: 'Account', access: 'read', only: '`sluice check`' },
  { name: 'Tax Settings', access: 'read', only: '`sluice check`, with `storefront.tax: stripe`' },
];

type Failed = { name: string; fault: unknown };

/** Reads one object of each resource. Returns one finding for all missing permissions, and one for all reads that failed. */
export async function checkPermissions(stripe: Stripe): Promise<Finding.Finding[]> {
  const reads = await Promise.all(
    permissions.map(async ({ name, read }): Promise<Failed | null> => {
      try {
        await read?.(stripe);
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
            'give the restricted key these permissions in the Stripe dashboard (docs/go-live.md)',
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
