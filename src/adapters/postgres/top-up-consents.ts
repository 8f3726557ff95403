import * as Money from '@sluice/kernel/money';
import type { Consent, Consents } from '../../payment/top-up-consent.ts';
import type { Connection } from './connection.ts';
import { type OrderRow, order } from './order-row.ts';
import type { topUpConsent } from './schema/plans.ts';
import type { Row } from './schema/row.ts';

const listedMax = 50;
/** Notices of a charge are retried for this long, and then given up. */
const notifyWithinDays = 7;

type ConsentRow = Row<typeof topUpConsent>;

/** Stores card holders' consents (migrations/functions/top-up-consents.sql). */
export function openTopUpConsents(sql: Connection): Consents {
  return {
    async offer(id, account, plan, { below, amount, monthlyMax }, expiresMs) {
      const [row] = await sql<
        [ConsentRow]
      >`SELECT * FROM shop.offer_consent(${id}, ${account}, ${plan}, ${below}, ${amount}, ${monthlyMax}, ${new Date(expiresMs)})`;
      return consent(row);
    },
    async find(id) {
      const [row] = await sql<ConsentRow[]>`SELECT * FROM shop.top_up_consent WHERE id = ${id}`;
      return row ? consent(row) : null;
    },
    async attach(id, session) {
      await sql`UPDATE shop.top_up_consent SET checkout_session = ${session} WHERE id = ${id}`;
    },
    async agree(id, card, email) {
      await sql`SELECT shop.accept_consent(${id}, ${sql.json(card)}, ${email})`;
    },
    async end(id) {
      await sql`SELECT shop.end_consent(${id})`;
    },
    async unnotifiedCharges() {
      const rows = await sql<
        { order_id: string; consent_id: string; charged: number }[]
      >`SELECT o.id AS order_id, c.id AS consent_id, shop.topped_up_this_month(o.account_id) AS charged
        FROM shop.purchase o JOIN shop.top_up_consent c ON c.id = o.saved_card ->> 'consent'
        WHERE o.rail = 'top_up' AND o.state = 'granted' AND NOT o.notified AND o.granted_at > clock_timestamp() - ${`${notifyWithinDays} days`}::interval
        ORDER BY o.granted_at LIMIT ${listedMax}`;
      const found: Awaited<ReturnType<Consents['unnotifiedCharges']>> = [];
      for (const { order_id, consent_id, charged } of rows) {
        const [o] = await sql<[OrderRow]>`SELECT * FROM shop.purchase WHERE id = ${order_id}`;
        const [c] = await sql<[ConsentRow]>`SELECT * FROM shop.top_up_consent WHERE id = ${consent_id}`;
        found.push({
          order: order(o),
          consent: consent(c),
          chargedThisMonth: Money.ofMicro(charged),
        });
      }
      return found;
    },
    async markNotified(orderId) {
      await sql`UPDATE shop.purchase SET notified = true WHERE id = ${orderId}`;
    },
  };
}

function consent(row: ConsentRow): Consent {
  return {
    id: row.id,
    account: row.account_id,
    plan: row.plan_id,
    terms: {
      below: Money.ofMicro(row.below),
      amount: Money.ofMicro(row.amount),
      monthlyMax: Money.ofMicro(row.monthly_max),
    },
    state: row.state,
    session: row.checkout_session,
    card: row.saved_card,
    email: row.email,
    agreedMs: row.agreed_at?.getTime() ?? null,
    endedMs: row.ended_at?.getTime() ?? null,
    expiresMs: row.expires_at.getTime(),
  };
}
