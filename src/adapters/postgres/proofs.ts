import type { Wallets } from '../../identity/wallets.ts';
import type { Connection } from './connection.ts';

/** How long a proof is remembered after it has expired: longer than clocks may differ. */
const keptAfter = '1 day';

/** Wallets and their proofs in PostgreSQL (migrations/0003_proofs.sql). */
export function open(sql: Connection): Wallets {
  return {
    async find(wallet) {
      type Row = { account_id: string };
      const [row] = await sql<Row[]>`SELECT account_id FROM shop.wallet WHERE address = ${wallet}`;
      return row?.account_id ?? null;
    },
    async signIn({ wallet, claimKey, expiresMs }, { account, plan, units }) {
      type Row = { account: string; is_new: boolean };
      const [row] = await sql<
        Row[]
      >`SELECT * FROM shop.sign_in(${claimKey}, ${new Date(expiresMs)}, ${wallet}, ${account}, ${plan}, ${units})`;
      return row ? { account: row.account, isNew: row.is_new } : null;
    },
  };
}

/** Forgets proofs that expired long ago. */
export async function sweep(sql: Connection): Promise<void> {
  await sql`DELETE FROM shop.proof WHERE expires_at < clock_timestamp() - ${keptAfter}::interval`;
}
