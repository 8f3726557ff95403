import type { TrialState } from '../../identity/trial-proof.ts';
import type { Wallets } from '../../identity/wallets.ts';
import type { Connection } from './connection.ts';
import { announced } from './notices.ts';

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
    async signIn({ wallet, claimKey, expiresMs }, wanted, { account, trial, walletDigest }) {
      const { plan, units, asset, oncePer, address } = trial;
      type Row = {
        state: 'signed_in' | 'used' | 'foreign';
        account: string;
        is_new: boolean;
        accounts: string[];
        trial: TrialState;
      };
      const [row] = await announced(
        sql,
        sql<
          [Row]
        >`SELECT * FROM shop.sign_in(${claimKey}, ${new Date(expiresMs)}, ${wallet}, ${wanted}, ${account}, ${plan}, ${units}, ${asset},
        ${[...oncePer]}::text[], ${walletDigest}, ${address})`,
      );
      return row.state === 'signed_in'
        ? {
            kind: row.state,
            account: row.account,
            isNew: row.is_new,
            accounts: row.accounts,
            trial: row.trial,
          }
        : { kind: row.state };
    },
  };
}
