import * as Books from '../../src/adapters/postgres/books.ts';
import * as Connection from '../../src/adapters/postgres/connection.ts';
import { migrate } from '../../src/adapters/postgres/migrate.ts';
import * as Tickets from '../../src/adapters/postgres/tickets.ts';
import type { Books as LedgerBooks } from '../../src/ledger/books.ts';
import { createDatabase } from '../support/database.ts';
import type { Given } from './model-books.ts';

/** Books in a PostgreSQL database of their own. */
export type OpenBooks = {
  url: string;
  sql: Connection.Connection;
  books: LedgerBooks;
  tickets: Tickets.OpenTickets;
  /** Gives an account a lot that nobody paid for; its number. */
  grant(given: Given): Promise<number>;
  /** What is left of each lot, in burn order. */
  statement(account: string): Promise<{ lot: number; remaining: number }[]>;
  /** Every breach of the books. */
  prove(): Promise<string[]>;
  end(): Promise<void>;
};

let keys = 0;

export async function openBooks(connectionsMax = 2): Promise<OpenBooks> {
  const database = await createDatabase();
  await migrate(database.url);
  const sql = Connection.open(database.url, connectionsMax);
  return {
    url: database.url,
    sql,
    books: Books.open(sql),
    tickets: Tickets.open(sql),
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
      >`SELECT bucket_id AS lot, remaining FROM ledger.statement(${account})`;
      return rows.map(({ lot, remaining }) => ({ lot, remaining }));
    },
    async prove() {
      const rows = await sql<
        { rule: string; subject: string; detail: string }[]
      >`SELECT * FROM ledger.prove()`;
      return rows.map(({ rule, subject, detail }) => `${rule}: ${subject}: ${detail}`);
    },
    async end() {
      await sql.end({ timeout: 1 });
      await database.drop();
    },
  };
}
