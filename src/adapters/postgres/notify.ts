import type { Connection } from './connection.ts';
import type { Listener } from './listener.ts';

/** Notifications between processes about credit. A lost one only costs time, because the ledger is read before a call is refused. */
export type CreditSubscriber = {
  /** An account received credit. */
  granted(account: string): void;
  /** Another writer needs idle leases of this one. */
  recall(account: string): void;
  /** Another writer returned leases. */
  returned(account: string): void;
  /** Notifications about any account may have been missed before. */
  listening(): void;
};

/** Notifications about the seller's actions. A lost one only costs time, because processes also check periodically. */
export type SellersWord =
  /** The writer `from` has loaded this catalogue and the current settings, and all others shall load them. */
  | { kind: 'reload'; digest: string; from: string }
  /** A signing key or secret was added. */
  | { kind: 'secrets' };

export async function listenToSeller(listener: Listener, heard: (word: SellersWord) => void): Promise<void> {
  const take = (message: string) => {
    const [kind, digest = '', ...from] = message.split(' ');
    if (kind === 'secrets') heard({ kind });
    else if (kind === 'reload') heard({ kind, digest, from: from.join(' ') });
  };
  await listener.listen('seller', take);
}

export async function tellReload(sql: Connection, digest: string, from: string): Promise<void> {
  await sql`SELECT pg_notify('seller', ${`reload ${digest} ${from}`})`;
}

export async function tellSecrets(sql: Connection): Promise<void> {
  await sql`SELECT pg_notify('seller', 'secrets')`;
}

export async function listen(listener: Listener, subscriber: CreditSubscriber): Promise<void> {
  const take = (message: string) => {
    const split = message.indexOf(':');
    const account = message.slice(split + 1);
    switch (message.slice(0, split)) {
      case 'granted':
        return subscriber.granted(account);
      case 'recall':
        return subscriber.recall(account);
      case 'returned':
        return subscriber.returned(account);
    }
  };
  await listener.listen('ledger', take, () => subscriber.listening());
}

/** Listens for events of the outbox. A lost notification only costs time, because processes also check every second. */
export async function listenToEvents(listener: Listener, heard: () => void): Promise<void> {
  await listener.listen('events', heard);
}

/** Listens for cancellations of running calls. A lost one only lets its call run to its end. */
export async function listenToCancellations(listener: Listener, heard: (key: string) => void): Promise<void> {
  await listener.listen('cancelled', heard);
}

export async function tellCancellation(sql: Connection, key: string): Promise<void> {
  await sql`SELECT pg_notify('cancelled', ${key})`;
}
