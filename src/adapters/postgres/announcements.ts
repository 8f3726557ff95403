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

/** What a process tells the others of the seller's acts. Lost words cost time only: it is looked for as well, or said again. */
export type SellersWord =
  /** `from`, a lane, has taken this catalogue and what settings there are: all are to. */
  | { kind: 'reload'; digest: string; from: string }
  /** There is another key or secret. */
  | { kind: 'secrets' };

export async function listenToSeller(sql: Connection, heard: (word: SellersWord) => void): Promise<void> {
  await sql.listen('seller', (message) => {
    const [kind, digest = '', ...from] = message.split(' ');
    if (kind === 'secrets') heard({ kind });
    else if (kind === 'reload') heard({ kind, digest, from: from.join(' ') });
  });
}

export async function tellReload(sql: Connection, digest: string, from: string): Promise<void> {
  await sql`SELECT pg_notify('seller', ${`reload ${digest} ${from}`})`;
}

export async function tellSecrets(sql: Connection): Promise<void> {
  await sql`SELECT pg_notify('seller', 'secrets')`;
}

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
