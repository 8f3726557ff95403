import type { Connection } from './connection.ts';

/** What processes tell each other by NOTIFY. */
export type Listener = {
  /** An account was given something. */
  granted(account: string): void;
  /** Another lane is short of what this one may hold idle. */
  recall(account: string): void;
  /** Another lane gave something back. */
  returned(account: string): void;
  /** A token or session was revoked. */
  revoked(id: string): void;
  /** The connection is (again) there: what was announced in between has to be read from the record. */
  listening(): void;
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
  await sql.listen(
    'revoked',
    (id) => listener.revoked(id),
    () => listener.listening(),
  );
}
