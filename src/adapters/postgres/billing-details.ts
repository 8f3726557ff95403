import type { BillingDetails, BillingRecord } from '../../payment/billing-details.ts';
import type { Connection } from './connection.ts';
import type * as Accounts from './schema/accounts.ts';
import type { Row } from './schema/row.ts';
import * as Standby from './standby.ts';

type DetailsRow = Row<typeof Accounts.billingDetails>;

/** Stores the details of an account that has none. */
export async function addBillingDetails(
  sql: Connection,
  account: string,
  { name, address, country, taxId }: BillingDetails,
): Promise<void> {
  const added = await sql`INSERT INTO shop.billing_details (account_id, name, address, country, tax_id)
    VALUES (${account}, ${name}, ${address}, ${country}, ${taxId}) ON CONFLICT (account_id) DO NOTHING RETURNING account_id`;
  if (added.length === 0) await Standby.confirmed(sql);
}

/** Stores the billing details of accounts in PostgreSQL. */
export function openBillingDetails(sql: Connection): BillingRecord {
  return {
    async of(account) {
      const [row] = await sql<DetailsRow[]>`SELECT * FROM shop.billing_details WHERE account_id = ${account}`;
      if (row === undefined) return null;
      return { name: row.name, address: row.address, country: row.country, taxId: row.tax_id };
    },
    async set(account, details) {
      if (details === null) {
        await sql`DELETE FROM shop.billing_details WHERE account_id = ${account}`;
        await Standby.confirmed(sql);
        return;
      }
      const { name, address, country, taxId } = details;
      await sql`INSERT INTO shop.billing_details (account_id, name, address, country, tax_id) VALUES (${account}, ${name}, ${address}, ${country}, ${taxId})
        ON CONFLICT (account_id) DO UPDATE SET name = excluded.name, address = excluded.address, country = excluded.country, tax_id = excluded.tax_id,
          updated_at = clock_timestamp()`;
    },
  };
}
