import * as Money from '@sluice/kernel/money';
import type { AccountEvent, AccountMails } from '../../payment/account-mail.ts';
import type { Connection } from './connection.ts';
import { type OrderRow, order } from './order-row.ts';
import type * as Operations from './schema/operations.ts';
import type * as Orders from './schema/orders.ts';
import type * as Plans from './schema/plans.ts';
import type { Row } from './schema/row.ts';
import { subscription } from './subscriptions.ts';

const listedMax = 50;
/** A mail that could not be queued by then is given up. */
const queueWithin = '3 days';

type MailRow = Row<typeof Operations.accountMail> & { email: string };
type ReversalRow = Row<typeof Orders.reversal>;

/** Stores the mails to accounts until they are queued (migrations/functions/mail.sql). */
export function openAccountMails(sql: Connection): AccountMails {
  return {
    async due() {
      // The order is random, so that a mail that cannot be written does not delay the others.
      const rows = await sql<MailRow[]>`SELECT m.*, c.email FROM shop.account_mail m
          CROSS JOIN LATERAL (SELECT shop.contact_of(shop.joined_account(m.account_id)) AS email) c
        WHERE m.queued_at IS NULL AND m.created_at > clock_timestamp() - ${queueWithin}::interval AND c.email IS NOT NULL
        ORDER BY random() LIMIT ${listedMax}`;
      return Promise.all(
        rows.map(async (row) => ({ key: row.key, to: row.email, event: await eventOf(sql, row) })),
      );
    },
    async markQueued(key) {
      await sql`UPDATE shop.account_mail SET queued_at = clock_timestamp() WHERE key = ${key} AND queued_at IS NULL`;
    },
  };
}

async function eventOf(sql: Connection, { kind, subject }: MailRow): Promise<AccountEvent | null> {
  switch (kind) {
    case 'paid': {
      const [row] = await sql<OrderRow[]>`SELECT * FROM shop.purchase WHERE id = ${subject}`;
      return row ? { kind, order: order(row) } : null;
    }
    case 'refunded':
      return refunded(sql, subject);
    case 'unpaid': {
      const [row] = await sql<(Row<typeof Plans.subscription> & { usable_until: Date | null })[]>`
        SELECT s.*, (SELECT max(e.ends) FROM shop.allowance_ends(s.id) e) AS usable_until FROM shop.subscription s
          WHERE s.id = ${subject} AND s.status = 'past_due' AND s.ended_at IS NULL`;
      if (!row) return null;
      const end = row.usable_until ?? row.period_end;
      return { kind, subscription: subscription(row), usableUntilMs: end.getTime() };
    }
    case 'low': {
      const [row] = await sql<{ plan_id: string; balance: number }[]>`
        SELECT o.plan_id, shop.top_up_balance(o.account_id)::bigint AS balance FROM shop.purchase o
          JOIN shop.credit_level l ON l.account_id = o.account_id AND l.asset = 'usd' AND l.kind = 'credit'
          WHERE o.id = ${subject} AND l.state <> 'enough'`;
      return row ? { kind, plan: row.plan_id, balance: Money.ofMicro(row.balance) } : null;
    }
  }
}

async function refunded(sql: Connection, id: string): Promise<AccountEvent | null> {
  const [row] = await sql<
    OrderRow[]
  >`SELECT o.* FROM shop.purchase o JOIN shop.reversal r ON r.purchase_id = o.id
    WHERE r.id = ${id} AND r.is_effective`;
  if (!row) return null;
  const rows = await sql<
    ReversalRow[]
  >`SELECT * FROM shop.reversal WHERE purchase_id = ${row.id} AND is_effective`;
  const reversal = rows.find((one) => one.id === id);
  if (!reversal) return null;
  const paid = order(row);
  const gone = rows.reduce((sum, one) => sum + one.amount + one.tax, 0);
  return {
    kind: 'refunded',
    order: paid,
    reversal: { amount: Money.ofMicro(reversal.amount), tax: Money.ofMicro(reversal.tax) },
    left: Money.ofMicro(Math.max(0, paid.amount + paid.tax - gone)),
  };
}
