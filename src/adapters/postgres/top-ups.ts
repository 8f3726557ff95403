import { id } from '@sluice/kernel/id';
import * as Money from '@sluice/kernel/money';
import type { TopUps } from '../../payment/top-up.ts';
import type { Connection } from './connection.ts';
import { type OrderRow, order } from './order-row.ts';
import type { topUp } from './schema/plans.ts';
import type { Row } from './schema/row.ts';

const listedMax = 50;
/** Number of agreements checked in each run, in turn, in addition to those that are marked as low. */
const sweptMax = 500;
/** A charge in doubt is retried after this time, under the same name. */
const againAfter = '15 seconds';

/**
 * Stores automatic top-ups (migrations/functions/top-ups.sql).
 * @param writer the ledger writer of this process, which claims the orders
 */
export function openTopUps(sql: Connection, writer: string): TopUps {
  let swept: string | null = null;
  return {
    async of(account) {
      const [row] = await sql<
        (Row<typeof topUp> & { charged: number })[]
      >`SELECT *, shop.topped_up_this_month(account_id) AS charged FROM shop.top_up WHERE account_id = ${account}`;
      if (!row) return null;
      return {
        state: row.state,
        reason: row.reason,
        changedMs: row.updated_at.getTime(),
        below: Money.ofMicro(row.below),
        amount: Money.ofMicro(row.amount),
        monthlyMax: Money.ofMicro(row.monthly_max),
        card: row.saved_card,
        chargedThisMonth: Money.ofMicro(row.charged),
      };
    },
    async set(account, plan, { below, amount, monthlyMax }) {
      const [row] = await sql<
        [{ isSet: boolean }]
      >`SELECT shop.set_top_ups(${account}, ${plan}, ${below}, ${amount}, ${monthlyMax}) AS "isSet"`;
      return row.isSet;
    },
    async end(account) {
      await sql`UPDATE shop.top_up SET state = 'off', reason = NULL, updated_at = clock_timestamp() WHERE account_id = ${account}`;
    },
    async due() {
      const [next] = await sql<
        [{ after: string | null }]
      >`SELECT shop.sweep_top_ups(${swept}, ${sweptMax}) AS after`;
      swept = next.after;
      const rows = await sql<{ account_id: string }[]>`SELECT account_id FROM shop.due_top_ups(${listedMax})`;
      return rows.map(({ account_id }) => account_id);
    },
    async claim(account) {
      const [row] = await sql<
        OrderRow[]
      >`SELECT * FROM shop.begin_top_up(${account}, ${id('pur', account)}, ${writer})`;
      return row ? order(row) : null;
    },
    async inDoubt() {
      const rows = await sql<OrderRow[]>`SELECT * FROM shop.purchase p
        WHERE claimed_by IS NOT NULL AND rail = 'top_up' AND state = 'claimed' AND NOT shop.is_being_charged(p)
          AND claimed_at < clock_timestamp() - ${againAfter}::interval ORDER BY random() LIMIT ${listedMax}`;
      return rows.map(order);
    },
  };
}
