import { ownAccount } from '../../payment/order.ts';
import type { Change, Status, Subscription, Subscriptions } from '../../payment/subscription.ts';
import type { Connection } from './connection.ts';

const listedMax = 200;
/** Ended subscriptions are shown for so long. */
const shownDays = 92;

type Row = {
  id: string;
  account_id: string;
  plan_id: string;
  status: Status;
  processor_id: string | null;
  period_start: Date;
  period_end: Date;
  cancel_at_period_end: boolean;
  next_plan_id: string | null;
};

/** Subscriptions in PostgreSQL; whatever moves units is a function of migrations/0002_orders.sql. */
export function openSubscriptions(sql: Connection): Subscriptions {
  return {
    async of(account) {
      const rows = await sql<Row[]>`SELECT * FROM shop.subscription WHERE account_id = ${account}
        AND period_end > clock_timestamp() - ${`${shownDays} days`}::interval ORDER BY period_end DESC, id LIMIT ${listedMax}`;
      return rows.map(subscription);
    },
    async book({ id, order, isFirst, subscription, payment, paid, plan, units, terms, startMs, endMs }) {
      const [row] = await sql<
        [{ account: string | null }]
      >`SELECT shop.grant_invoice(${order}, ${id}, ${isFirst}, ${subscription},
        ${payment}, ${paid}, ${plan}, ${units}, ${sql.json(terms)}, ${new Date(startMs)}, ${new Date(endMs)}, ${ownAccount({ id: order })}) AS account`;
      return row.account;
    },
    async look(id) {
      const [row] = await sql<[{ look: number | null }]>`SELECT shop.look_at_subscription(${id}) AS look`;
      return row.look;
    },
    async write(look, { id, status, cancelAtPeriodEnd, plan, endedMs }) {
      const ended = endedMs === null ? null : new Date(endedMs);
      const [row] = await sql<
        [{ written: boolean }]
      >`SELECT shop.write_subscription(${id}, ${look}, ${status},
        ${cancelAtPeriodEnd}, ${plan}, ${ended}) AS written`;
      return row.written;
    },
    async beginChange(id, plan, credit) {
      const [row] = await sql<
        [Change]
      >`SELECT number, plan, credit FROM shop.begin_change(${id}, ${plan}, ${credit})`;
      return { ...row };
    },
    async endChange(id, number) {
      await sql`SELECT shop.end_change(${id}, ${number})`;
    },
    async overdue(ms) {
      const rows = await sql<{ id: string }[]>`SELECT id FROM shop.subscription
        WHERE processor_id IS NOT NULL AND ended_at IS NULL AND period_end < ${new Date(ms)} ORDER BY random() LIMIT ${listedMax}`;
      return rows.map(({ id }) => id);
    },
  };
}

function subscription(row: Row): Subscription {
  const endMs = row.period_end.getTime();
  return {
    id: row.id,
    account: row.account_id,
    plan: row.plan_id,
    status: row.status,
    renews: row.processor_id !== null,
    startMs: row.period_start.getTime(),
    endMs,
    cancelAtPeriodEnd: row.cancel_at_period_end,
    nextPlan: row.next_plan_id,
  };
}
