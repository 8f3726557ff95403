import { ownAccount } from '../../payment/order.ts';
import type { OpenChange, Subscription, Subscriptions } from '../../payment/subscription.ts';
import type { Connection } from './connection.ts';
import { announced } from './notices.ts';
import * as Recall from './recall.ts';
import type * as Plans from './schema/plans.ts';
import type { Row } from './schema/row.ts';

const listedMax = 200;
/** Minimum time between two mails with links to one address, which a stranger may request. The links of the last one stay valid. */
const linksEvery = '1 hour';
/** Ended subscriptions are listed for this long. */
const shownDays = 92;

type SubscriptionRow = Row<typeof Plans.subscription>;
type ChangeRow = Row<typeof Plans.planChange>;

/** Subscriptions in PostgreSQL. Only functions in migrations/functions/subscriptions.sql and periods.sql move units. */
export function openSubscriptions(sql: Connection): Subscriptions {
  return { ...queries(sql), ...processorState(sql), ...planChanges(sql), ...payers(sql) };
}

function queries(
  sql: Connection,
): Pick<Subscriptions, 'of' | 'find' | 'paidBy' | 'renewingTwice' | 'overdue'> {
  return {
    async of(account) {
      const rows = await sql<SubscriptionRow[]>`SELECT * FROM shop.subscription WHERE account_id = ${account}
        AND period_end > clock_timestamp() - ${`${shownDays} days`}::interval ORDER BY period_end DESC, id LIMIT ${listedMax}`;
      return rows.map(subscription);
    },
    async find(id) {
      const [row] = await sql<SubscriptionRow[]>`SELECT * FROM shop.subscription WHERE id = ${id}`;
      return row ? subscription(row) : null;
    },
    async paidBy(order) {
      const [row] = await sql<
        SubscriptionRow[]
      >`SELECT s.* FROM shop.subscription s JOIN shop.purchase o ON o.subscription_id = s.id
        WHERE o.id = ${order} AND o.state = 'granted' AND s.processor_id IS NOT NULL`;
      return row ? subscription(row) : null;
    },
    async renewingTwice(account) {
      const rows = await sql<{ id: string; account_id: string; plan_id: string; earlier: string }[]>`
        WITH renewing AS (SELECT * FROM shop.subscription WHERE processor_id IS NOT NULL AND status IN ('active', 'past_due')
          AND NOT cancel_at_period_end AND (${account}::text IS NULL OR account_id = ${account}))
        SELECT DISTINCT ON (s.account_id) s.id, s.account_id, s.plan_id, e.id AS earlier
          FROM renewing s JOIN renewing e ON e.account_id = s.account_id AND (e.created_at, e.id) < (s.created_at, s.id)
            AND (e.plan_id IN (s.plan_id, s.next_plan_id) OR e.next_plan_id IN (s.plan_id, s.next_plan_id))
          ORDER BY s.account_id, s.created_at, s.id, e.created_at LIMIT ${listedMax}`;
      return rows.map((row) => ({
        id: row.id,
        account: row.account_id,
        plan: row.plan_id,
        earlier: row.earlier,
      }));
    },
    async overdue(ms) {
      const rows = await sql<{ id: string }[]>`SELECT id FROM shop.subscription
        WHERE processor_id IS NOT NULL AND ended_at IS NULL AND period_end < ${new Date(ms)} ORDER BY random() LIMIT ${listedMax}`;
      return rows.map(({ id }) => id);
    },
  };
}

/** Writes what the processor reports: paid invoices and the state of subscriptions. */
function processorState(sql: Connection): Pick<Subscriptions, 'book' | 'nextSyncSeq' | 'storeState'> {
  return {
    async book(invoice) {
      const { id, order, isFirst, change, payment, paid, tax, plan, units } = invoice;
      const terms = { ...invoice.terms, ...(invoice.lines && { lines: invoice.lines }) };
      const [start, end] = [new Date(invoice.startMs), new Date(invoice.endMs)];
      if (change !== null)
        await Recall.until(async () => {
          const [{ leased }] = await announced(
            sql,
            sql<[{ leased: number }]>`SELECT shop.recall_changed_plan(${change}) AS leased`,
          );
          return leased === 0;
        });
      const [row] = await announced(
        sql,
        sql<
          [{ account: string | null }]
        >`SELECT shop.grant_invoice(${order}, ${id}, ${isFirst}, ${invoice.subscription},
        ${payment}, ${paid}, ${plan}, ${units}, ${sql.json(terms)}, ${start}, ${end}, ${ownAccount({ id: order })},
        ${change}, ${tax}) AS account`,
      );
      return row.account;
    },
    async nextSyncSeq(id) {
      const [row] = await sql<
        [{ syncSeq: number | null }]
      >`SELECT shop.begin_subscription_sync(${id}) AS "syncSeq"`;
      return row.syncSeq;
    },
    async storeState(syncSeq, { id, status, cancelAtPeriodEnd, plan, payUrl, payerEmail, endedMs }) {
      const ended = endedMs === null ? null : new Date(endedMs);
      const [row] = await announced(
        sql,
        sql<[{ written: boolean }]>`SELECT shop.apply_subscription(${id}, ${syncSeq}, ${status},
        ${cancelAtPeriodEnd}, ${plan}, ${ended}, ${payUrl}, ${payerEmail}) AS written`,
      );
      return row.written;
    },
  };
}

function planChanges(sql: Connection): Pick<Subscriptions, 'beginChange' | 'endChange' | 'openChanges'> {
  return {
    async beginChange(id, { id: change, plan, replaces }) {
      const [row] = await sql<
        [ChangeRow]
      >`SELECT * FROM shop.begin_plan_change(${id}, ${change}, ${plan}, ${replaces ? sql.json(replaces) : null})`;
      return openChange(row);
    },
    async endChange(change, outcome) {
      await sql`SELECT shop.end_plan_change(${change}, ${outcome})`;
    },
    async openChanges(subscription) {
      const rows = await sql<ChangeRow[]>`SELECT * FROM shop.plan_change
        WHERE state = 'open' AND (${subscription ?? null}::text IS NULL OR subscription_id = ${subscription ?? null})
        ORDER BY random() LIMIT ${listedMax}`;
      return rows.map(openChange);
    },
  };
}

/** The people whose cards pay: they can manage a subscription without access to its account. */
function payers(
  sql: Connection,
): Pick<Subscriptions, 'takeUnnotifiedPastDue' | 'markPastDueNotified' | 'takeForLinks' | 'byKey'> {
  return {
    async takeUnnotifiedPastDue() {
      const rows = await sql<
        (SubscriptionRow & { usable_until: Date | null })[]
      >`SELECT s.*, (SELECT max(e.ends) FROM shop.allowance_ends(s.id) e) AS usable_until FROM shop.subscription s WHERE status = 'past_due' AND ended_at IS NULL
        AND payer_email IS NOT NULL AND unpaid_notified_for IS DISTINCT FROM period_end
        AND shop.contact_of(s.account_id) IS DISTINCT FROM s.payer_email
        ORDER BY random() LIMIT ${listedMax}`;
      return rows.map((row) => ({
        one: subscription(row),
        ...{ to: row.payer_email ?? '', key: row.manage_key },
        usableUntilMs: (row.usable_until ?? row.period_end).getTime(),
      }));
    },
    async markPastDueNotified(id) {
      await sql`UPDATE shop.subscription SET unpaid_notified_for = period_end WHERE id = ${id}`;
    },
    async takeForLinks(email) {
      const rows = await sql<
        SubscriptionRow[]
      >`UPDATE shop.subscription SET links_mailed_at = clock_timestamp()
        WHERE payer_email = ${email} AND processor_id IS NOT NULL AND ended_at IS NULL AND NOT cancel_at_period_end
          AND (links_mailed_at IS NULL OR links_mailed_at < clock_timestamp() - ${linksEvery}::interval) RETURNING *`;
      return rows.map((row) => ({ one: subscription(row), key: row.manage_key }));
    },
    async byKey(key) {
      const [row] = await sql<SubscriptionRow[]>`SELECT * FROM shop.subscription WHERE manage_key = ${key}`;
      return row ? subscription(row) : null;
    },
  };
}

function openChange({ id, subscription_id, plan_id, replaces, asked_at, state }: ChangeRow): OpenChange {
  const isMade = state === 'made';
  return { id, subscription: subscription_id, plan: plan_id, replaces, askedMs: asked_at.getTime(), isMade };
}

/** Reads a subscription from its row. */
export function subscription(row: SubscriptionRow): Subscription {
  const endMs = row.period_end.getTime();
  return {
    id: row.id,
    account: row.account_id,
    plan: row.plan_id,
    status: row.status,
    renews: row.processor_id !== null,
    startMs: row.period_start.getTime(),
    endMs,
    endedMs: row.ended_at?.getTime() ?? null,
    cancelAtPeriodEnd: row.cancel_at_period_end,
    nextPlan: row.next_plan_id,
    payUrl: row.pay_url,
  };
}
