import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { type Message, Messages, Statements } from './database-messages.ts';

/** `sent`: on its way to the database, which has not seen it. `done`: the database is through with it, and nobody knows yet. */
export type When = 'sent' | 'done';

/** What a watcher does about a statement: lets it go on, breaks its connection there, or keeps it back for a while. */
export type Fate = 'pass' | 'cut' | Promise<unknown>;

export type DatabaseProxy = {
  /** The database by way of the proxy. */
  url: string;
  /** Breaks every connection. */
  cut(): void;
  close(): Promise<void>;
};

/**
 * A proxy between one process and PostgreSQL that reads what passes, so that faults can strike at a named statement and
 * not at a moment of the clock. `watch` sees every statement twice, under its name (database-messages.ts).
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

/** Passes messages on one by one, in their order, as the watcher lets them go. */
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
