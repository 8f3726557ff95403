import type { IdempotencyClaim, IdempotencyKey, IdempotencyKeys } from '../../ledger/idempotency-key.ts';
import { type Connection, statementTimeoutMs } from './connection.ts';

/** Lifetime of a key, and the maximum of an account in a day (UTC): keys, and bytes of stored responses. */
export type Limits = { life: string; idempotencyKeysMax: number; bytesMax: number };

/** Maximum size of all stored responses of an account in a day (UTC). */
export const storedBytesMax = 256 * 1024 * 1024;
const limits: Limits = { life: '24 hours', idempotencyKeysMax: 100_000, bytesMax: storedBytesMax };
/** Maximum number of keys deleted at a time. */
const prunedMax = 5_000;
const textType = 25;

/** `releaseEnded` retries the releases that failed. Call it periodically. */
export type OpenIdempotencyKeys = IdempotencyKeys & { releaseEnded(): Promise<void> };

/** Idempotency keys in PostgreSQL (migrations/functions/ledger-idempotency-keys.sql). */
export function openIdempotencyKeys(
  sql: Connection,
  { life, idempotencyKeysMax, bytesMax }: Limits = limits,
): OpenIdempotencyKeys {
  /** Keys to release. At most one per running call. */
  const ending = new Map<string, IdempotencyKey>();
  /**
   * If the connection drops, the statement may still commit within the statement timeout, leaving a key that no process owns. This releases
   * it afterwards.
   */
  const releaseLater = (idempotencyKey: IdempotencyKey) =>
    setTimeout(() => ending.set(idempotencyKey.callId, idempotencyKey), 2 * statementTimeoutMs).unref();
  const releaseEnded = async () => {
    const idempotencyKeys = [...ending.values()];
    if (idempotencyKeys.length === 0) return;
    const list = (pick: (idempotencyKey: IdempotencyKey) => string) =>
      sql.array(idempotencyKeys.map(pick), textType);
    const given = sql`SELECT ledger.release_idempotency_keys(${list(({ account }) => account)}::text[],
      ${list(({ key }) => `\\x${key}`)}::text[]::bytea[], ${list(({ callId }) => callId)}::text[]::uuid[])`;
    await given;
    for (const { callId } of idempotencyKeys) ending.delete(callId);
  };
  return {
    releaseEnded,
    async claim(idempotencyKey) {
      const { account, key, request, callId, writer, epoch } = idempotencyKey;
      type Row = {
        state: IdempotencyClaim['kind'];
        keeps: boolean;
        kept_call: string;
        kept_status: number;
        kept_headers: string;
        /** In base64: the driver reads bytes as hexadecimal, which is twice as long and slow to decode. */
        kept_body: string | null;
      };
      const drawn = sql<[Row]>`SELECT state, keeps, kept_call, kept_status, kept_headers,
        encode(kept_body, 'base64') AS kept_body FROM ledger.acquire_idempotency_key(${account}, ${Buffer.from(key, 'hex')},
        ${Buffer.from(request, 'hex')}, ${callId}, ${writer}, ${epoch}, ${life}::interval, ${idempotencyKeysMax}, ${bytesMax})`;
      const [row] = await drawn.catch((error: unknown) => {
        releaseLater(idempotencyKey);
        throw error;
      });
      if (row.state === 'taken') return { kind: 'taken', keepsBody: row.keeps };
      if (row.state !== 'kept') return { kind: row.state };
      const response = {
        callId: row.kept_call,
        status: row.kept_status,
        headers: JSON.parse(row.kept_headers),
        body: row.kept_body === null ? null : Buffer.from(row.kept_body, 'base64'),
      };
      return { kind: 'kept', response };
    },
    async giveUp(idempotencyKey) {
      ending.set(idempotencyKey.callId, idempotencyKey);
      await releaseEnded().catch(() => undefined);
    },
  };
}

/** Deletes expired idempotency keys and their stored responses. */
export async function prune(sql: Connection): Promise<void> {
  await sql`SELECT ledger.prune_idempotency_keys(${limits.life}::interval, ${prunedMax})`;
}
