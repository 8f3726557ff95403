import type { ClaimResult, Orders } from '../../payment/order.ts';
import { ownAccount, pageTokensMs, slowPageTokensMs } from '../../payment/order.ts';
import type { Connection } from './connection.ts';
import { announced } from './notices.ts';
import * as Recall from './recall.ts';

type OrderClaims = Pick<
  Orders,
  'claim' | 'release' | 'undoClaim' | 'resume' | 'grant' | 'decline' | 'issueTokens'
>;

/**
 * The charge of an order: one process claims it, and ends or releases the claim. The functions are in migrations/functions/orders.sql.
 * @param writer the ledger writer of this process. Other processes see from it if a claim is still being worked on.
 */
export function openOrderClaims(sql: Connection, writer: string): OrderClaims {
  return {
    async claim(id, challengeId, credentialDigest, expiresMs = null) {
      type Result = { outcome: ClaimResult['outcome']; is_first: boolean };
      const [row] = await sql<
        [Result]
      >`SELECT outcome, is_first FROM shop.claim_purchase(${id}, ${challengeId}, ${credentialDigest}, ${writer}, ${moment(expiresMs)})`;
      return { outcome: row.outcome, isFirst: row.is_first };
    },
    async release({ id, claimedMs }) {
      await sql`SELECT shop.release_purchase(${id}, ${moment(claimedMs)})`;
    },
    async undoClaim({ id, claimedMs }, retries) {
      const [row] = await sql<
        [{ undone: boolean }]
      >`SELECT shop.undo_claim(${id}, ${moment(claimedMs)}, ${retries}) AS undone`;
      return row.undone;
    },
    async resume(id) {
      const [row] = await sql<
        [{ resumed: boolean }]
      >`SELECT shop.resume_purchase(${id}, ${writer}) AS resumed`;
      return row.resumed;
    },
    async grant(order, payment) {
      if (order.period?.terms.replaces) await recallReplaced(sql, order.id);
      const [row] = await announced(
        sql,
        sql<
          [{ account: string | null }]
        >`SELECT shop.grant_purchase(${order.id}, ${payment.id}, ${ownAccount(order)}, ${payment.challengeId}, ${payment.transaction ?? null},
        ${payment.tax}, ${payment.isInvoiced ?? false}) AS account`,
      );
      return row.account;
    },
    async decline({ id, claimedMs }, failure, subjects) {
      const [row] = await sql<
        [{ declined: boolean }]
      >`SELECT shop.decline_purchase(${id}, ${moment(claimedMs)}, ${failure}, ${sql.array([...subjects])}) AS declined`;
      return row.declined;
    },
    async issueTokens(order, { credentialDigest, isFirstClaim, browserDigest }) {
      const [row] = await sql<
        [{ issued: boolean }]
      >`SELECT shop.issue_tokens(${order.id}, ${ownAccount(order)}, ${credentialDigest}, ${isFirstClaim}, ${browserDigest},
        ${`${pageTokensMs} milliseconds`}::interval, ${`${slowPageTokensMs} milliseconds`}::interval) AS issued`;
      return row.issued;
    },
  };
}

/** Waits, for a limited time, until writers hold no more of the replaced plan than running calls need. */
async function recallReplaced(sql: Connection, orderId: string): Promise<void> {
  await Recall.until(async () => {
    const [{ leased }] = await announced(
      sql,
      sql<[{ leased: number }]>`SELECT shop.recall_replaced(${orderId}) AS leased`,
    );
    return leased === 0;
  });
}

function moment(ms: number | null): Date | null {
  return ms === null ? null : new Date(ms);
}
