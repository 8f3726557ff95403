import type { Connection } from './connection.ts';

/** An account as its seller looks it up. */
export type Customer = {
  account: string;
  origin: string;
  email: string | null;
  createdMs: number;
  claimedMs: number | null;
  frozenMs: number | null;
  /** The account that this one is a part of by now. */
  joinedTo: string | null;
};

/** Looks accounts up; changes nothing. */
export type Customers = {
  /** The newest first, from the one before `before`; `isFrozen`: those alone that are frozen. */
  list(before: string | null, isFrozen: boolean, max: number): Promise<Customer[]>;
  /**
   * By whatever the seller has at hand: the id of an account, purchase, payment, subscription or key, a wallet's address, or a part
   * of an email address. The newest first.
   */
  find(text: string, max: number): Promise<Customer[]>;
};

type Row = {
  id: string;
  origin: string;
  email: string | null;
  created_at: Date;
  claimed_at: Date | null;
  frozen_at: Date | null;
  joined_to: string | null;
};

export function openCustomers(sql: Connection): Customers {
  return {
    async list(before, isFrozen, max) {
      const rows = await sql<Row[]>`SELECT a.* FROM shop.account a
        WHERE (${before}::text IS NULL OR (a.created_at, a.id) < (SELECT b.created_at, b.id FROM shop.account b WHERE b.id = ${before}))
          AND (NOT ${isFrozen} OR a.frozen_at IS NOT NULL)
        ORDER BY a.created_at DESC, a.id DESC LIMIT ${max}`;
      return rows.map(customer);
    },
    async find(text, max) {
      const rows = await sql<Row[]>`SELECT a.* FROM shop.account a WHERE a.id IN (
          SELECT ${text}
          UNION SELECT account_id FROM shop.purchase WHERE id = ${text} OR payment = ${text}
          UNION SELECT account_id FROM shop.subscription WHERE id = ${text} OR processor_id = ${text}
          UNION SELECT account_id FROM shop.key WHERE id = ${text}
          UNION SELECT account_id FROM shop.wallet WHERE address = lower(${text})
          UNION SELECT id FROM shop.account WHERE strpos(lower(email), lower(${text})) > 0
        ) ORDER BY a.created_at DESC, a.id DESC LIMIT ${max}`;
      return rows.map(customer);
    },
  };
}

function customer(row: Row): Customer {
  return {
    account: row.id,
    origin: row.origin,
    email: row.email,
    createdMs: row.created_at.getTime(),
    claimedMs: row.claimed_at?.getTime() ?? null,
    frozenMs: row.frozen_at?.getTime() ?? null,
    joinedTo: row.joined_to,
  };
}
