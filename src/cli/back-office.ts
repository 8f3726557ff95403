import { userInfo } from 'node:os';
import * as Connection from '../adapters/postgres/connection.ts';
import * as Orders from '../adapters/postgres/orders.ts';
import * as Seller from '../adapters/postgres/seller.ts';
import { openSubscriptions } from '../adapters/postgres/subscriptions.ts';
import * as Stripe from '../adapters/stripe/processor.ts';
import type { Audit } from '../identity/audit.ts';
import type { Till } from '../journeys/settlement.ts';
import { systemClock as clock } from '../kernel/clock.ts';
import * as ShopDatabase from './shop-database.ts';
import * as Wiring from './wiring.ts';

const connectionsMax = 8;
/** Who acts, as the audit log has it. */
export const who = `command of ${userInfo().username}`;

/** What the seller's commands work with: the shop's books and its processor, beside the shop that runs. */
export type Office = {
  till: Till & { readonly audit: Audit };
  sql: Connection.Connection;
  close(): Promise<void>;
};

/** Opens the books of DATABASE_URL, or those that `sluice start` keeps, and the processor of STRIPE_SECRET_KEY, or its card sandbox. */
export async function open(env: NodeJS.ProcessEnv): Promise<Office> {
  const wiring = Wiring.read(env);
  const database = await ShopDatabase.reach(env);
  const sql = Connection.open(database.url, connectionsMax);
  const stripe = wiring.sandbox
    ? { secretKey: 'sk_test_sandbox', apiBase: env.STRIPE_API_BASE || Wiring.address(wiring.sandbox) }
    : { secretKey: env.STRIPE_SECRET_KEY ?? '', apiBase: env.STRIPE_API_BASE || 'https://api.stripe.com' };
  return {
    sql,
    till: {
      clock,
      orders: Orders.open(sql, 'back office'),
      subscriptions: openSubscriptions(sql),
      notices: Orders.openNotices(sql),
      audit: Seller.openAudit(sql),
      processor: Stripe.open({ ...stripe, webhookSecrets: [] }),
      coin: null,
      report: (event, detail) => console.error(JSON.stringify({ event, ...detail })),
      // The shop's processes hear of what is granted from the database.
      lane: { touch: () => {} },
    },
    async close() {
      await sql.end({ timeout: 2 });
      await database.leave();
    },
  };
}
