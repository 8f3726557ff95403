import type { Wallets } from '../../identity/wallets.ts';
import type { Connection } from './connection.ts';
import { announced } from './notices.ts';

/** An expired proof is kept for this long, which is more than clocks may differ. */
const keptAfter = '1 day';

/** Stores wallets and the messages that they signed (migrations/functions/wallets.sql). */
export function openWallets(sql: Connection): Wallets {
  return {
    async isKnown(wallet) {
      const rows = await sql`SELECT 1 FROM shop.wallet WHERE address = ${wallet} LIMIT 1`;
      return rows.length > 0;
    },
    async take({ claimKey, expiresMs }) {
      const [row] = await sql<
        [{ taken: boolean }]
      >`SELECT shop.consume_proof(${claimKey}, ${new Date(expiresMs)}) AS taken`;
      return row.taken;
    },
    async signIn({ wallet, claimKey, expiresMs }, wanted, { account, plan, units, asset }) {
      type Row = {
        state: 'signed_in' | 'used' | 'foreign';
        account: string;
        is_new: boolean;
        accounts: string[];
      };
      const [row] = await announced(
        sql,
        sql<
          [Row]
        >`SELECT * FROM shop.sign_in(${claimKey}, ${new Date(expiresMs)}, ${wallet}, ${wanted}, ${account}, ${plan}, ${units}, ${asset})`,
      );
      return row.state === 'signed_in'
        ? { kind: row.state, account: row.account, isNew: row.is_new, accounts: row.accounts }
        : { kind: row.state };
    },
  };
}

/** Deletes proofs that expired long ago. */
export async function sweep(sql: Connection): Promise<void> {
  await sql`DELETE FROM shop.proof WHERE expires_at < clock_timestamp() - ${keptAfter}::interval`;
}
