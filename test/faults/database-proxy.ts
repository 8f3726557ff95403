import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { type Message, Messages, Statements } from './database-messages.ts';

/** `sent`: the statement was sent, and has not reached the database. `done`: the database has completed it, and the client does not know. */
export type When = 'sent' | 'done';

/** The decision of a watcher about a statement: pass it on, break its connection there, or delay it until the promise settles. */
export type Fate = 'pass' | 'cut' | Promise<unknown>;

export type DatabaseProxy = {
  /** The URL of the database through the proxy. */
  url: string;
  /** Breaks every connection. */
  cut(): void;
  close(): Promise<void>;
};

/**
 * Opens a proxy between one process and PostgreSQL that parses the protocol, so that faults can strike at a named statement instead of
 * at a point in time. `watch` sees every statement twice, by its name (database-messages.ts).
 */
export async function open(
  databaseUrl: string,
  watch: (statement: string, when: When) => Fate,
): Promise<DatabaseProxy> {
  const target = new URL(databaseUrl);
  const sockets = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect(Number(target.port), target.hostname);
    const statements = new Statements();
    pass(near, far, new Messages(true), (message) => {
      const name = statements.sent(message);
      return name === null ? 'pass' : watch(name, 'sent');
    });
    pass(far, near, new Messages(false), (message) => {
      const name = statements.answered(message);
      return name === null ? 'pass' : watch(name, 'done');
    });
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.setNoDelay(true);
      socket.on('close', () => sockets.delete(socket));
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = new URL(databaseUrl);
  url.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const cut = () => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    url: url.href,
    cut,
    async close() {
      server.close();
      cut();
      await once(server, 'close');
    },
  };
}

/** Passes messages on one by one, in order, as the watcher decides. */
function pass(from: Socket, to: Socket, messages: Messages, judge: (message: Message) => Fate): void {
  let isBusy = false;
  const pump = async () => {
    if (isBusy) return;
    isBusy = true;
    for (let message = messages.take(); message; message = messages.take()) {
      const fate = judge(message);
      if (fate === 'cut') {
        from.destroy();
        to.destroy();
      } else if (fate !== 'pass') await fate;
      if (!to.destroyed) to.write(message.bytes);
    }
    isBusy = false;
  };
  from.on('data', (chunk) => {
    messages.add(chunk);
    void pump();
  });
  from.on('error', () => undefined);
  from.on('close', () => to.destroy());
}
