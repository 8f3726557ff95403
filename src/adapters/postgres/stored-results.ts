import type { StoredResults } from '../../ledger/stored-results.ts';
import type { Connection } from './connection.ts';
import { storedBytesMax } from './idempotency-keys.ts';

/** Responses in PostgreSQL, beside those of idempotency keys (migrations/functions/ledger-idempotency-keys.sql). */
export function openStoredResults(sql: Connection): StoredResults {
  return {
    async store(account, callId, headers, body) {
      const [row] = await sql<[{ stored: boolean }]>`SELECT ledger.store_response(${account}, ${callId},
        ${JSON.stringify(headers)}, ${body}, ${storedBytesMax}) AS stored`;
      return row.stored;
    },
    async read(account, callId) {
      type Row = { status: number; headers: string; body: string; service: string };
      // In base64: the driver reads bytes as hexadecimal, which is twice as long and slow to decode.
      const [row] = await sql<Row[]>`SELECT a.status, a.headers, encode(a.body, 'base64') AS body, u.service
        FROM ledger.stored_response a JOIN ledger.usage u ON u.call_id = a.call_id
        WHERE a.call_id = ${callId} AND a.body IS NOT NULL
          AND shop.resolve_account(a.account_id) = shop.resolve_account(${account}) LIMIT 1`;
      if (row === undefined) return null;
      const { status, headers, body, service } = row;
      return { callId, status, headers: JSON.parse(headers), body: Buffer.from(body, 'base64'), service };
    },
  };
}
