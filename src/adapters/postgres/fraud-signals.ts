import * as Money from '@sluice/kernel/money';
import type { FraudSignal, FraudSignals } from '../../payment/fraud-signal.ts';
import type { Connection } from './connection.ts';

type Row = { id: string; kind: FraudSignal['kind']; payment: string; is_open: boolean; reason: string };

type Flagged = {
  order: string;
  account_id: string | null;
  email: string | null;
  amount: number;
  created_at: Date;
};

/** Stores fraud signals in PostgreSQL. */
export function openFraudSignals(sql: Connection): FraudSignals {
  return {
    async record({ id, kind, payment, isOpen, reason }) {
      // A row that was just inserted has no xmax.
      const [row] = await sql<[{ is_new: boolean; order: string | null }]>`
        INSERT INTO shop.fraud_signal AS s (id, payment, kind, is_open, reason)
          VALUES (${id}, ${payment}, ${kind}, ${isOpen}, ${reason})
          ON CONFLICT (id) DO UPDATE SET is_open = s.is_open AND excluded.is_open,
            reason = CASE WHEN s.is_open THEN excluded.reason ELSE s.reason END, updated_at = now()
          RETURNING xmax = 0 AS is_new, (SELECT p.id FROM shop.purchase p WHERE p.payment = s.payment) AS order`;
      return isOpen && row.is_new ? row.order : null;
    },
    async of(payment) {
      const rows = await sql<Row[]>`SELECT id, kind, payment, is_open, reason FROM shop.fraud_signal
        WHERE payment = ${payment} ORDER BY created_at, id`;
      return rows.map(signal);
    },
    async open(max) {
      const rows = await sql<(Row & Flagged)[]>`
        SELECT s.id, s.kind, s.payment, s.is_open, s.reason, s.created_at, o.id AS order, o.amount, o.account_id, shop.contact_of(o.account_id) AS email
        FROM shop.fraud_signal s JOIN shop.purchase o ON o.payment = s.payment
        WHERE s.is_open ORDER BY s.created_at DESC, s.id LIMIT ${max}`;
      return rows.map((row) => ({
        ...signal(row),
        order: row.order,
        account: row.account_id,
        email: row.email,
        amount: Money.ofMicro(row.amount),
        createdMs: row.created_at.getTime(),
      }));
    },
  };
}

function signal({ id, kind, payment, is_open, reason }: Row): FraudSignal {
  return { id, kind, payment, isOpen: is_open, reason };
}
