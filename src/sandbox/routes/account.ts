import type { Stripe } from 'stripe';
import { z } from 'zod';
import { type Route, route } from '../protocol/route.ts';

/** The one account that every test key opens. */
const only = {
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

export const account: readonly Route[] = [
  route({
    method: 'GET',
    path: '/v1/account',
    gives: 'account',
    params: z.strictObject({}),
    run: () => only,
  }),
];
