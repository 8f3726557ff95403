import type { DueMail, Outbox } from '../../identity/mail.ts';
import type { Connection } from './connection.ts';
import type { mail } from './schema/operations.ts';
import type { Row } from './schema/row.ts';
import * as Standby from './standby.ts';

/** Longer than an attempt can take (adapters/mail/smtp.ts). A process that holds a message longer is dead. */
const lease = '15 minutes';
const usefulMs = 3 * 86_400_000;

/** Stores mail until it is sent (migrations/functions/mail.sql). */
export function openOutbox(sql: Connection): Outbox {
  return {
    async enqueue({ to, subject, text }, key, expiresMs) {
      const rows = await sql`INSERT INTO shop.mail (key, recipient, subject, body, expires_at)
        VALUES (${key}, ${to}, ${subject}, ${text}, ${new Date(expiresMs ?? Date.now() + usefulMs)}) ON CONFLICT DO NOTHING RETURNING 1`;
      if (rows.length === 0) await Standby.confirmed(sql);
    },
    async pretend(key) {
      await sql`INSERT INTO shop.mail (key, recipient, subject, body, state, expires_at)
        VALUES (${key}, '', '', '', 'sent', clock_timestamp())`;
    },
    async take() {
      const [row] = await sql<Row<typeof mail>[]>`SELECT * FROM shop.lease_mail(${lease}::interval)`;
      if (!row) return null;
      const { id, key, recipient, subject, body, attempts } = row;
      return { id, key, to: recipient, subject, text: body, attempt: attempts };
    },
    async end({ id }: DueMail, outcome) {
      await sql`SELECT shop.finish_mail(${id}, ${outcome})`;
    },
    async retry({ id, attempt }, waitMs) {
      // The condition on `attempts` skips a message that another process has leased since.
      await sql`UPDATE shop.mail SET due_at = clock_timestamp() + ${`${waitMs} milliseconds`}::interval
        WHERE id = ${id} AND attempts = ${attempt} AND state = 'waiting'`;
    },
    async expire() {
      const rows = await sql`SELECT shop.finish_mail(id, 'expired') FROM shop.mail
        WHERE state = 'waiting' AND expires_at <= clock_timestamp()`;
      return rows.length;
    },
  };
}
