import * as Money from '@sluice/kernel/money';
import type { Orders } from '../../payment/order.ts';
import type { ManualRefundResult, StoredReversal } from '../../payment/reversal.ts';
import type { Connection } from './connection.ts';
import { announced } from './notices.ts';

type OrderReversals = Pick<Orders, 'nextSyncSeq' | 'reverse' | 'recordSentByHand' | 'lossOf' | 'reversalsOf'>;

/** Refunds and disputes of orders (migrations/functions/reversals.sql). */
export function openOrderReversals(sql: Connection): OrderReversals {
  return {
    async nextSyncSeq(id) {
      const [row] = await sql<
        [{ syncSeq: number | null }]
      >`SELECT shop.begin_reversal_sync(${id}) AS "syncSeq"`;
      return row.syncSeq;
    },
    async reverse(id, syncSeq, found) {
      const rows = found.map(({ isEffective, dueMs = null, ...reversal }) => ({
        ...reversal,
        is_effective: isEffective,
        due_ms: dueMs,
      }));
      const [row] = await announced(
        sql,
        sql<
          [{ written: boolean }]
        >`SELECT shop.apply_reversals(${id}, ${syncSeq}, ${sql.json(rows)}) AS written`,
      );
      return row.written;
    },
    async recordSentByHand({ order, amount, key, reference, returnedBefore }, who) {
      type Result = {
        state: ManualRefundResult['kind'];
        reversal: string;
        amount: number;
        remaining: number;
      };
      const [row] = await announced(
        sql,
        sql<
          [Result]
        >`SELECT * FROM shop.record_sent_by_hand(${order}, ${amount}, ${key}, ${reference}, ${who}, ${returnedBefore})`,
      );
      const remaining = () => Money.ofMicro(row.remaining);
      switch (row.state) {
        case 'recorded':
        case 'mismatch':
          return {
            kind: row.state,
            reversal: row.reversal,
            amount: Money.ofMicro(row.amount),
            remaining: remaining(),
          };
        case 'too_much':
        case 'changed':
          return { kind: row.state, remaining: remaining() };
        default:
          return { kind: row.state };
      }
    },
    async lossOf(id) {
      const [row] = await sql<
        [{ loss: number; pending: number }]
      >`SELECT loss, pending FROM shop.reversal_losses(${id})`;
      return { certain: Money.ofMicro(row.loss), pending: Money.ofMicro(row.pending) };
    },
    async reversalsOf(id) {
      return await sql<
        StoredReversal[]
      >`SELECT id, kind, amount, tax, status, is_effective AS "isEffective", reason,
          (extract(epoch FROM created_at) * 1000)::bigint AS "createdMs",
          (extract(epoch FROM updated_at) * 1000)::bigint AS "updatedMs",
          (extract(epoch FROM due_at) * 1000)::bigint AS "dueMs" FROM shop.reversal
        WHERE purchase_id = ${id} ORDER BY created_at, id`;
    },
  };
}
