import * as Money from '@sluice/kernel/money';
import type { AccountKind, AccountSearch, FoundAccount } from '../../identity/account-search.ts';
import { sharedSecret } from './accounts.ts';
import { openAttentionReport } from './attention.ts';
import type { Connection } from './connection.ts';
import { openVerification } from './ledger-audit.ts';
import { openOrderSearch } from './order-search.ts';
import { openRevenueReport } from './revenue-report.ts';
import { openUsageReport } from './usage-report.ts';

const dayMs = 86_400_000;
/** The length of the id of an account. */
const idChars = 36;

type Row = {
  id: string;
  email: string | null;
  payer_email: string | null;
  created_at: Date;
  frozen_at: Date | null;
  joined_to: string | null;
  paid: number;
  returned: number;
};

/**
 * Opens what the seller's console reads. Every statement ends within the pool's timeout.
 * @param reports the database of the reports, which may be a standby
 * @param fresh becomes the secret if there is none
 */
export async function openConsole(sql: Connection, reports: Connection, url: string, fresh: string) {
  const { byDay, byRail } = openRevenueReport(reports);
  return {
    secret: await sharedSecret(sql, 'console', fresh),
    // The seller acts on single orders and processes, which are read on the primary.
    revenueReport: { ...openRevenueReport(sql), byDay, byRail },
    usageReport: { ...openUsageReport(reports), writers: openUsageReport(sql).writers },
    accounts: openSearch(sql),
    attention: openAttentionReport(sql),
    orders: openOrderSearch(sql),
    verification: openVerification(url),
  };
}

/** Searches accounts for the seller. */
export function openSearch(sql: Connection): AccountSearch {
  const columns =
    () => sql`a.id, shop.contact_of(a.id) AS email, (SELECT s.payer_email FROM shop.subscription s
    WHERE s.account_id = a.id AND s.payer_email IS NOT NULL ORDER BY s.period_end DESC LIMIT 1) AS payer_email, a.created_at, a.frozen_at, a.joined_to, coalesce((
    SELECT sum(o.amount) FROM shop.purchase o WHERE o.account_id = a.id AND o.state = 'granted'), 0)::bigint AS paid,
    coalesce((SELECT sum(least(o.amount, v.amount)) FROM shop.purchase o, LATERAL (SELECT sum(r.amount) AS amount FROM shop.reversal r
      WHERE r.purchase_id = o.id AND r.is_effective) v WHERE o.account_id = a.id AND o.state = 'granted' AND v.amount IS NOT NULL), 0)::bigint AS returned`;
  const paid = () =>
    sql`EXISTS (SELECT FROM shop.purchase o WHERE o.account_id = a.id AND o.state = 'granted')`;
  const isKind = (kind: AccountKind | undefined) => {
    switch (kind) {
      case undefined:
        return sql`true`;
      case 'frozen':
        return sql`a.frozen_at IS NOT NULL`;
      case 'claimed':
        return sql`shop.has_person(a.id)`;
      case 'paying':
        return paid();
      case 'unpaid':
        return sql`NOT ${paid()}`;
    }
  };
  /** Ids that start with a text, or none when it is empty. The range is read from the primary key, whatever its collation. */
  const startsWith = (prefix: string, max: number) =>
    sql`SELECT id FROM shop.account WHERE ${prefix} <> '' AND id BETWEEN ${prefix} AND ${prefix.padEnd(idChars, 'f')}
      AND starts_with(id, ${prefix}) ORDER BY id LIMIT ${max}`;
  return {
    async activity(accounts, sinceMs) {
      type Row = { account: string; last_at: Date | null; spent: number };
      const rows = await sql<Row[]>`SELECT a.id AS account, u.last_at, u.spent
        FROM unnest(${sql.array([...accounts])}::text[]) a (id), LATERAL (
          SELECT max(ledger.time_of(u.call_id)) AS last_at, coalesce(sum(u.cost), 0)::bigint AS spent
            FROM ledger.account_usage(a.id, ${new Date(sinceMs)}, now() + interval '1 day') u
            WHERE u.plan_id IS DISTINCT FROM '#budget') u
        WHERE u.last_at IS NOT NULL`;
      return new Map(
        rows.map((row) => [
          row.account,
          { lastMs: row.last_at?.getTime() ?? null, spent: Money.ofMicro(row.spent) },
        ]),
      );
    },
    async balances(accounts) {
      const rows = await sql<
        { account: string; balance: number }[]
      >`SELECT a.id AS account, coalesce(sum(s.remaining), 0)::bigint AS balance
        FROM unnest(${sql.array([...accounts])}::text[]) a (id), LATERAL ledger.statement(a.id) s
        WHERE s.asset = 'usd' AND s.kind NOT IN ('trial', 'allowance', 'budget') AND (s.expires_at IS NULL OR s.expires_at > now())
        GROUP BY 1`;
      return new Map(rows.map(({ account, balance }) => [account, Money.ofMicro(balance)]));
    },
    async newest({ kind, from, to }, after, max) {
      const [first, end] = [from ? new Date(from) : null, to ? new Date(Date.parse(to) + dayMs) : null];
      const rows = await sql<Row[]>`SELECT ${columns()} FROM shop.account a
        WHERE (${after}::text IS NULL OR (a.created_at, a.id) < (SELECT b.created_at, b.id FROM shop.account b WHERE b.id = ${after}))
          AND (${first}::timestamptz IS NULL OR a.created_at >= ${first}) AND (${end}::timestamptz IS NULL OR a.created_at < ${end})
          AND ${isKind(kind)}
        ORDER BY a.created_at DESC, a.id DESC LIMIT ${max}`;
      return rows.map(found);
    },
    async find(query, max) {
      switch (query.kind) {
        case 'email': {
          // The typed text contains no wildcards.
          const pattern = `${query.prefix.replace(/[\\%_]/g, String.raw`\$&`)}%`;
          return (
            // Each part reads its own index; with OR, every account would be read.
            (
              await sql<Row[]>`SELECT ${columns()} FROM shop.account a WHERE a.id IN (
                (SELECT id FROM shop.account WHERE email LIKE ${pattern} ORDER BY email LIMIT ${max})
                UNION (SELECT account_id FROM shop.member WHERE email LIKE ${pattern} ORDER BY email, account_id LIMIT ${max})
                UNION (SELECT account_id FROM shop.subscription WHERE payer_email = ${query.prefix} LIMIT ${max})
                UNION (${startsWith(query.account ?? '', max)}))
              ORDER BY a.email, a.id LIMIT ${max}`
            ).map(found)
          );
        }
        case 'account':
          return (
            await sql<
              Row[]
            >`SELECT ${columns()} FROM shop.account a WHERE a.id IN (${startsWith(query.prefix, max)}) ORDER BY a.created_at DESC, a.id`
          ).map(found);
        case 'owner':
          return (
            await sql<Row[]>`SELECT ${columns()} FROM shop.account a WHERE a.email = ${query.email}`
          ).map(found);
        case 'call':
          return (
            await sql<Row[]>`SELECT ${columns()} FROM shop.account a
              WHERE a.id IN (SELECT u.account_id FROM ledger.usage u WHERE u.call_id = ${query.call}) LIMIT ${max}`
          ).map(found);
        case 'id':
          return (
            await sql<Row[]>`SELECT ${columns()} FROM shop.account a WHERE a.id IN (
                SELECT ${query.id}
                UNION SELECT account_id FROM shop.purchase WHERE id = ${query.id}
                UNION SELECT account_id FROM shop.purchase WHERE payment = ${query.id}
                UNION SELECT account_id FROM shop.purchase WHERE transaction = ${query.id}
                UNION SELECT o.account_id FROM shop.reversal v JOIN shop.purchase o ON o.id = v.purchase_id WHERE v.id = ${query.id}
                UNION SELECT account_id FROM shop.subscription WHERE id = ${query.id}
                UNION SELECT account_id FROM shop.subscription WHERE processor_id = ${query.id}
                UNION SELECT account_id FROM shop.top_up WHERE saved_card ->> 'customer' = ${query.id}
                UNION SELECT account_id FROM shop.key WHERE id = ${query.id}
                UNION SELECT account_id FROM shop.wallet WHERE address = ${query.id}
              ) ORDER BY a.created_at DESC LIMIT ${max}`
          ).map(found);
      }
    },
    async madeSince(sinceMs) {
      const [row] = await sql<
        [{ made: number }]
      >`SELECT count(*) AS made FROM shop.account WHERE created_at >= ${new Date(sinceMs)}`;
      return row.made;
    },
  };
}

function found(row: Row): FoundAccount {
  return {
    id: row.id,
    email: row.email,
    payerEmail: row.payer_email,
    createdMs: row.created_at.getTime(),
    frozenMs: row.frozen_at?.getTime() ?? null,
    joinedTo: row.joined_to,
    paid: Money.ofMicro(row.paid),
    returned: Money.ofMicro(row.returned),
  };
}
