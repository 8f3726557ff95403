import * as Money from '@sluice/kernel/money';
import type { Fee, FeeSum, Fees } from '../../payment/fee.ts';
import type { Connection } from './connection.ts';

const dueMax = 20;
/** A missing balance transaction is requested again after this time, for up to `lookedBack`. */
const againAfter = '10 minutes';
const lookedBack = '30 days';

/** Stores the processor's fees. */
export function openFees(sql: Connection): Fees {
  return {
    async due() {
      const rows = await sql<
        { payment: string }[]
      >`SELECT o.payment FROM shop.purchase o LEFT JOIN shop.fee_reading r ON r.payment = o.payment
        WHERE o.state = 'granted' AND o.payment LIKE 'pi\\_%' AND (
          r.payment IS NULL AND o.granted_at > clock_timestamp() - ${lookedBack}::interval
          OR NOT r.is_complete AND r.read_at < clock_timestamp() - ${againAfter}::interval AND o.granted_at > clock_timestamp() - ${lookedBack}::interval
          OR EXISTS (SELECT FROM shop.reversal v WHERE v.purchase_id = o.id AND v.updated_at > r.read_at))
        ORDER BY o.granted_at DESC LIMIT ${dueMax}`;
      return rows.map(({ payment }) => payment);
    },
    async record(payment, fees, isComplete) {
      await sql`SELECT shop.record_fees(${payment}, ${sql.json(fees.map((fee) => ({ ...fee, at: new Date(fee.atMs).toISOString() })))}, ${isComplete})`;
    },
    async of(payment) {
      type Row = Omit<Fee, 'atMs'> & { at: Date };
      const rows = await sql<
        Row[]
      >`SELECT id, kind, currency, amount, fee, tax, net, at FROM shop.fee WHERE payment = ${payment} ORDER BY at, id`;
      return rows.map(({ at, ...fee }) => ({ ...fee, atMs: at.getTime() }));
    },
    async sums(sinceMs) {
      type Row = Omit<FeeSum, 'amount' | 'fee' | 'tax' | 'net'> &
        Record<'amount' | 'fee' | 'tax' | 'net', number>;
      const rows = await sql<
        Row[]
      >`SELECT currency, kind, count(*)::int AS count, sum(amount)::bigint AS amount, sum(fee)::bigint AS fee,
          sum(tax)::bigint AS tax, sum(net)::bigint AS net
        FROM shop.fee WHERE at >= ${new Date(sinceMs)} GROUP BY 1, 2 ORDER BY 1, 2`;
      return rows.map((row) => ({
        ...row,
        amount: Money.ofMicro(row.amount),
        fee: Money.ofMicro(row.fee),
        tax: Money.ofMicro(row.tax),
        net: Money.ofMicro(row.net),
      }));
    },
  };
}
