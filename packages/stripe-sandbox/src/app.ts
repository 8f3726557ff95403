import { Hono } from 'hono';
import { api, type Env } from './api.ts';
import { control } from './control/control.ts';
import { pages } from './pages/pages.ts';
import type { Route } from './protocol/route.ts';
import { account } from './routes/account.ts';
import { balance } from './routes/balance.ts';
import { charges } from './routes/charges.ts';
import { checkoutSessions } from './routes/checkout-sessions.ts';
import { customers } from './routes/customers.ts';
import { disputes } from './routes/disputes.ts';
import { earlyFraudWarnings } from './routes/early-fraud-warnings.ts';
import { events } from './routes/events.ts';
import { grantedTokens } from './routes/granted-tokens.ts';
import { invoiceItems } from './routes/invoice-items.ts';
import { invoices } from './routes/invoices.ts';
import { paymentIntents } from './routes/payment-intents.ts';
import { paymentMethods } from './routes/payment-methods.ts';
import { portalConfigurations } from './routes/portal-configurations.ts';
import { portalSessions } from './routes/portal-sessions.ts';
import { prices } from './routes/prices.ts';
import { products } from './routes/products.ts';
import { refunds } from './routes/refunds.ts';
import { reviews } from './routes/reviews.ts';
import { setupIntents } from './routes/setup-intents.ts';
import { subscriptions } from './routes/subscriptions.ts';
import { taxCalculations } from './routes/tax-calculations.ts';
import { testClocks } from './routes/test-clocks.ts';
import { webhookEndpoints } from './routes/webhook-endpoints.ts';
import type { Sandbox } from './sandbox.ts';

/** Every operation of the API that the sandbox imitates. */
const routes: readonly Route[] = [
  ...account,
  ...balance,
  ...charges,
  ...checkoutSessions,
  ...customers,
  ...disputes,
  ...earlyFraudWarnings,
  ...events,
  ...grantedTokens,
  ...paymentIntents,
  ...paymentMethods,
  ...refunds,
  ...reviews,
  ...invoiceItems,
  ...invoices,
  ...portalConfigurations,
  ...portalSessions,
  ...prices,
  ...products,
  ...setupIntents,
  ...subscriptions,
  ...taxCalculations,
  ...testClocks,
  ...webhookEndpoints,
];

/** The API under `/v1`, the pages for a payer under `/c`, the controls for a test under `/_sandbox`. */
export function app(sandbox: Sandbox): Hono<Env> {
  const whole = new Hono<Env>();
  whole.route('/_sandbox', control(sandbox, routes));
  whole.route('/c', pages(sandbox));
  whole.get('/', (c) => c.text('Card sandbox: the API is under /v1, the controls under /_sandbox.\n'));
  whole.route('/', api(sandbox, routes));
  return whole;
}
