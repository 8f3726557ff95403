import type { Connection } from './connection.ts';

/** What processes tell each other of money by NOTIFY. Lost words cost time only: the books are asked before a refusal. */
export type Listener = {
  /** An account was given something. */
  granted(account: string): void;
  /** Another lane is short of what this one may hold idle. */
  recall(account: string): void;
  /** Another lane gave something back. */
  returned(account: string): void;
};

/** Listens until the connection is closed; postgres.js reconnects by itself. */
export async function listen(sql: Connection, listener: Listener): Promise<void> {
  await sql.listen('ledger', (message) => {
    const split = message.indexOf(':');
    const account = message.slice(split + 1);
    switch (message.slice(0, split)) {
      case 'granted':
        return listener.granted(account);
      case 'recall':
        return listener.recall(account);
      case 'returned':
        return listener.returned(account);
    }
  });
}
