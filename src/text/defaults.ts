import { accountResults } from './messages/account-form-results.ts';
import { accountPage } from './messages/account-page.ts';
import { api } from './messages/api.ts';
import { apiCalls } from './messages/api-calls.ts';
import { billingPage } from './messages/billing-page.ts';
import { cardPages } from './messages/card-pages.ts';
import { formFaults } from './messages/form-faults.ts';
import { mails } from './messages/mails.ts';
import { paymentPages } from './messages/payment-pages.ts';
import { referencePages } from './messages/reference-pages.ts';
import { shopPage } from './messages/shop-page.ts';
import { signInPages } from './messages/sign-in-pages.ts';
import { teamPages } from './messages/team-pages.ts';
import type { Names } from './template.ts';

const format = {
  'format.usd': '{amount} USD',
  'format.quantity': '{count} {unit}',
  'format.usage': '{amount} of usage',
} as const;

/** Every text with its key, in English. */
export const defaults = {
  ...format,
  ...shopPage,
  ...accountPage,
  ...billingPage,
  ...accountResults,
  ...teamPages,
  ...formFaults,
  ...signInPages,
  ...paymentPages,
  ...cardPages,
  ...referencePages,
  ...mails,
  ...apiCalls,
  ...api,
} as const;

export type Key = keyof typeof defaults;
/** The placeholders of the text `Name`. */
export type PlaceholdersOf<Name extends Key> = Names<(typeof defaults)[Name]>;
