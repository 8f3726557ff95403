import { userInfo } from 'node:os';
import { systemClock as clock } from '@sluice/kernel/clock';
import { openCardAttempts } from '../adapters/postgres/card-attempts.ts';
import * as Connection from '../adapters/postgres/connection.ts';
import { openFraudSignals } from '../adapters/postgres/fraud-signals.ts';
import * as Operator from '../adapters/postgres/operator.ts';
import * as Orders from '../adapters/postgres/orders.ts';
import { openSubscriptions } from '../adapters/postgres/subscriptions.ts';
import { openTopUpConsents } from '../adapters/postgres/top-up-consents.ts';
import { openStripe } from '../adapters/stripe/processor.ts';
import type { Audit } from '../identity/audit.ts';
import type { PaymentContext } from '../payment/payment-context.ts';
import * as AbuseSettings from '../process/abuse-settings.ts';
import { closeX402, openX402ToRead } from '../process/open-x402.ts';
import * as Settings from '../process/settings.ts';
import * as X402Settings from '../process/x402-settings.ts';
import * as Compose from './compose.ts';
import * as ShopDatabase from './shop-database.ts';

const connectionsMax = 8;
/** The actor in the audit log. */
export const who = `command of ${userInfo().username}`;

/** Access of the seller's commands to the ledger and the card processor, independent of running storefronts. */
export type BackOffice = {
  paymentContext: PaymentContext & { readonly audit: Audit };
  sql: Connection.Connection;
  close(): Promise<void>;
};

/** Opens the database of DATABASE_URL, or the one of `sluice start`, and the processor of STRIPE_SECRET_KEY, or the card sandbox. */
export async function openBackOffice(env: NodeJS.ProcessEnv): Promise<BackOffice> {
  const wiring = Compose.read(env);
  const faults: string[] = [];
  const read = Settings.reader(env, faults);
  const former = read('FORMER_PUBLIC_URLS') ?? [];
  const cardLimits = AbuseSettings.readCardLimits(read);
  if (faults.length > 0) throw new Error(faults.join('\n'));
  const database = await ShopDatabase.reach(env);
  const sql = Connection.openConnection(database.url, connectionsMax);
  const stripe = wiring.sandbox
    ? { secretKey: 'sk_test_sandbox', apiBase: env.STRIPE_API_BASE || Compose.address(wiring.sandbox) }
    : { secretKey: env.STRIPE_SECRET_KEY ?? '', apiBase: env.STRIPE_API_BASE || 'https://api.stripe.com' };
  // With invalid x402 settings, commands run without the chain; `sluice check` reports the settings.
  const x402 = X402Settings.read(env, env.NODE_ENV === 'production', []);
  const acceptedTokens = x402 && openX402ToRead(x402);
  return {
    sql,
    paymentContext: {
      clock,
      orders: Orders.openOrders(sql, 'back office'),
      subscriptions: openSubscriptions(sql),
      consents: openTopUpConsents(sql),
      webhookEvents: Orders.openWebhookEvents(sql),
      fraudSignals: openFraudSignals(sql),
      cardAttempts: openCardAttempts(sql),
      cardLimits,
      audit: Operator.openAudit(sql),
      processor: openStripe({
        ...stripe,
        webhookSecrets: [],
        mark: { origin: wiring.publicUrl, former },
      }),
      acceptedTokens,
      report: (event, detail) => console.error(JSON.stringify({ event, ...detail })),
      // The database notifies the shop's processes of grants.
      writer: { touch: () => {} },
    },
    async close() {
      if (acceptedTokens) await closeX402(acceptedTokens);
      await sql.end({ timeout: 2 });
      await database.leave();
    },
  };
}
