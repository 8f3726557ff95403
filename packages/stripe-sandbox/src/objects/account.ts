import type { Stripe } from 'stripe';
import { z } from 'zod';
import type { RequestContext } from '../request-context.ts';
import * as Store from '../store.ts';

/**
 * Policies for a refund that the available balance does not cover. `debit`: the balance becomes negative. `pending`: the refund waits until
 * the balance covers it. `fail`: the refund fails with `insufficient_funds`.
 */
const refundPolicies = ['debit', 'pending', 'fail'] as const;

/** The settings of the account that a test can change. */
export const accountSettings = z.strictObject({
  default_currency: z.string().length(3).exactOptional(),
  country: z.string().length(2).exactOptional(),
  charges_enabled: z.boolean().exactOptional(),
  payouts_enabled: z.boolean().exactOptional(),
  refunds_above_balance: z.enum(refundPolicies).exactOptional(),
});

type AccountSettings = z.infer<typeof accountSettings>;

const table = Store.table<AccountSettings & { id: string }>('account_settings');

/** The account that every test key opens. */
const defaults = {
  id: 'acct_sandbox',
  object: 'account',
  business_type: 'company',
  charges_enabled: true,
  country: 'US',
  default_currency: 'usd',
  details_submitted: true,
  email: 'seller@example.com',
  payouts_enabled: true,
  type: 'standard',
} satisfies Partial<Stripe.Account>;

export function changeAccount({ store }: RequestContext, given: AccountSettings): object {
  const before = Store.get(store, table, defaults.id);
  return Store.put(store, table, { ...before, ...given, id: defaults.id });
}

/** The account as the API returns it. */
export function account({ store }: RequestContext) {
  const { refunds_above_balance: _own, ...changed } = Store.get(store, table, defaults.id) ?? {};
  return { ...defaults, ...changed };
}

/** Returns the account's policy for a refund above its balance. */
export function refundPolicy({ store }: RequestContext): (typeof refundPolicies)[number] {
  return Store.get(store, table, defaults.id)?.refunds_above_balance ?? 'debit';
}
