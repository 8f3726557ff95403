import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import type { Clock } from '@sluice/kernel/clock';
import { app } from './app.ts';
import type { Config } from './config.ts';
import * as Sandbox from './sandbox.ts';

export type Running = {
  /** The URL on this machine. */
  url: string;
  /** Takes nothing new, lets what is at work come to its end within a bound, and lets go of everything. */
  close(): Promise<void>;
};

const drainMs = 5_000;

/** Listens, then opens the sandbox. Rejects where the port is taken or the journal cannot be read. */
export async function start(config: Config, clock: Clock): Promise<Running> {
  const server = createServer();
  server.listen(config.port, config.host);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const sandbox = Sandbox.openSandbox(config, config.publicUrl ?? `http://localhost:${port}`, clock);
  server.on('request', getRequestListener(app(sandbox).fetch));
  const host = config.host.includes(':') ? `[${config.host}]` : config.host;
  return {
    url: `http://${host}:${port}`,
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      const impatience = setTimeout(() => server.closeAllConnections(), drainMs);
      await closed;
      clearTimeout(impatience);
      await sandbox.close();
    },
  };
}
