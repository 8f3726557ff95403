import * as Connection from '../../src/adapters/postgres/connection.ts';
import * as IdempotencyKeys from '../../src/adapters/postgres/idempotency-keys.ts';
import * as LedgerStore from '../../src/adapters/postgres/ledger-store.ts';
import type { LedgerStore as Store } from '../../src/ledger/ledger-store.ts';
import { createMigrated } from '../support/database.ts';
import type { Given } from './model-ledger-store.ts';

/** A ledger store in its own PostgreSQL database. */
export type OpenLedgerStore = {
  url: string;
  sql: Connection.Connection;
  books: Store;
  idempotencyKeys: IdempotencyKeys.OpenIdempotencyKeys;
  /** Grants an account a lot without a payment. Returns the lot's number. */
  grant(given: Given): Promise<number>;
  /** Returns the remaining amount of each lot, in burn order. */
  statement(account: string): Promise<{ lot: number; remaining: number }[]>;
  /** Returns every breach of the ledger's sums. Accounts and orders exist only as names in these tests. */
  prove(): Promise<string[]>;
  end(): Promise<void>;
};

/** Longer than in the shop, so that a busy machine does not end a statement of a test. */
const statementMsMax = 30_000;
let keys = 0;

export async function openLedgerStore(
  connectionsMax = 2,
  statementMs = statementMsMax,
): Promise<OpenLedgerStore> {
  const database = await createMigrated();
  const sql = Connection.openConnection(database.url, connectionsMax, statementMs);
  return {
    url: database.url,
    sql,
    books: LedgerStore.openLedgerStore(sql),
    idempotencyKeys: IdempotencyKeys.openIdempotencyKeys(sql),
    async grant({ account, asset, kind, plan, amount, expiresMs }) {
      const posting = kind === 'trial' ? 'trial' : 'grant';
      const expires = expiresMs === null ? null : new Date(expiresMs);
      const [row] = await sql<
        [{ lot: number }]
      >`SELECT ledger.grant_lot(${`test:${++keys}`}, ${account}, ${posting}, 'seller:test',
        ${kind}, ${asset}, ${plan}, ${amount}, ${expires}) AS lot`;
      return row.lot;
    },
    async statement(account) {
      const rows = await sql<
        { lot: number; remaining: number }[]
      >`SELECT lot_id AS lot, remaining FROM ledger.statement(${account})`;
      return rows.map(({ lot, remaining }) => ({ lot, remaining }));
    },
    async prove() {
      const rows = await sql<
        { rule: string; subject: string; detail: string }[]
      >`SELECT * FROM ledger.verify_sums()`;
      return rows.map(({ rule, subject, detail }) => `${rule}: ${subject}: ${detail}`);
    },
    async end() {
      await sql.end({ timeout: 1 });
      await database.drop();
    },
  };
}
