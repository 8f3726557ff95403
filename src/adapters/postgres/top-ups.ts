import { id } from '../../kernel/id.ts';
import * as Money from '../../kernel/money.ts';
import type { SavedCard } from '../../payment/saved-card.ts';
import type { TopUp, TopUps } from '../../payment/top-up.ts';
import type { Connection } from './connection.ts';
import * as Orders from './orders.ts';

const listedMax = 50;
/** How long a charge in doubt is left alone before it is asked for again, under its own name. */
const againAfter = '15 seconds';
/** Of the pages that an account has paid, so many are looked at for a card that was kept. */
const pagesMax = 10;

/** Automatic top-ups in PostgreSQL (migrations/0005_top_up.sql). `lane`: as of Orders.open. */
export function open(sql: Connection, lane: string): TopUps {
  return {
    async of(account) {
      type Row = {
        state: TopUp['state'];
        reason: string | null;
        below: number;
        amount: number;
        monthly_max: number;
        saved_card: SavedCard;
        charged: number;
      };
      const [row] = await sql<
        Row[]
      >`SELECT *, shop.topped_up(account_id) AS charged FROM shop.top_up WHERE account_id = ${account}`;
      if (!row) return null;
      return {
        state: row.state,
        reason: row.reason,
        below: Money.ofMicro(row.below),
        amount: Money.ofMicro(row.amount),
        monthlyMax: Money.ofMicro(row.monthly_max),
        card: row.saved_card,
        chargedThisMonth: Money.ofMicro(row.charged),
      };
    },
    async agree(account, plan, { below, amount, monthlyMax }, card) {
      await sql`SELECT shop.agree_to_top_ups(${account}, ${plan}, ${below}, ${amount}, ${monthlyMax}, ${sql.json(card)})`;
    },
    async end(account) {
      await sql`UPDATE shop.top_up SET state = 'off', reason = NULL, updated_at = clock_timestamp() WHERE account_id = ${account}`;
    },
    async due() {
      const rows = await sql<{ account_id: string }[]>`SELECT account_id FROM shop.due_top_ups(${listedMax})`;
      return rows.map(({ account_id }) => account_id);
    },
    async claim(account) {
      const [row] = await sql<
        Orders.Row[]
      >`SELECT * FROM shop.begin_top_up(${account}, ${id('pur')}, ${lane})`;
      return row ? Orders.order(row) : null;
    },
    async inDoubt() {
      const rows = await sql<Orders.Row[]>`SELECT * FROM shop.purchase p
        WHERE claimed_by IS NOT NULL AND rail = 'top_up' AND state = 'claimed' AND NOT shop.at_work(p)
          AND claimed_at < clock_timestamp() - ${againAfter}::interval ORDER BY random() LIMIT ${listedMax}`;
      return rows.map(Orders.order);
    },
    async paidOnPages(account) {
      const rows = await sql<Orders.Row[]>`SELECT * FROM shop.purchase
        WHERE account_id = ${account} AND state = 'granted' AND rail IN ('card', 'invoice') AND payment LIKE 'pi\\_%'
        ORDER BY challenge_id IS NOT NULL, granted_at DESC LIMIT ${pagesMax}`;
      return rows.map(Orders.order);
    },
  };
}
