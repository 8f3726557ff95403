import * as StatementDeadline from '@sluice/kernel/statement-deadline';
import type { Connection } from './connection.ts';

/** The maximum of `ledger.send_notices`. */
const sentAtOnceMax = 1_000;
/** Pools whose notices are being sent. The value is true if more were written meanwhile. */
const sending = new WeakMap<Connection, boolean>();

/**
 * Runs a statement whose SQL function announces something (`ledger.announce`), and then sends the notices. Sending needs a statement of its own
 * after the commit: a transaction that notifies holds a lock of the whole cluster while its commit waits for a standby. The result does not
 * wait for it. Notices of a statement whose outcome is unknown are sent with the next heartbeat of any process.
 */
export async function announced<T>(sql: Connection, statement: PromiseLike<T>): Promise<T> {
  const result = await statement;
  void send(sql);
  return result;
}

/** Sends all notices that are due. Concurrent calls for one pool share a statement. */
async function send(sql: Connection): Promise<void> {
  if (sending.has(sql)) {
    sending.set(sql, true);
    return;
  }
  do {
    sending.set(sql, false);
    // A failure only costs time: the next heartbeat sends them.
    const sent = await StatementDeadline.withoutBudget(
      async () => sql<[{ count: number }]>`SELECT ledger.send_notices() AS count`,
    ).catch(() => null);
    if (Number(sent?.[0].count ?? 0) >= sentAtOnceMax) sending.set(sql, true);
  } while (sending.get(sql));
  sending.delete(sql);
}
