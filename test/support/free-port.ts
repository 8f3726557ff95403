import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:net';

/** Below the range from which Linux takes the local ports of outgoing connections (`net.ipv4.ip_local_port_range`). */
const from = 10_000;
const to = 32_768;
const attemptsMax = 100;

/**
 * Returns `count` different TCP ports of the loopback address that are free at the moment. A program listens on its port seconds later, so the
 * range is one in which no outgoing connection of another test can occupy it meanwhile.
 */
export async function freePorts(count: number): Promise<number[]> {
  const servers: Server[] = [];
  const ports: number[] = [];
  for (let attempt = 0; ports.length < count && attempt < attemptsMax; attempt += 1) {
    const port = randomInt(from, to);
    const server = createServer();
    const listening = await new Promise<boolean>((resolve) => {
      server.once('error', () => resolve(false));
      server.listen(port, '127.0.0.1', () => resolve(true));
    });
    if (!listening) continue;
    servers.push(server);
    ports.push(port);
  }
  await Promise.all(servers.map((server) => once(server.close(), 'close')));
  if (ports.length < count) throw new Error(`${count} free ports were not found`);
  return ports;
}

/** Returns one such port. */
export async function freePort(): Promise<number> {
  const [port] = await freePorts(1);
  if (port === undefined) throw new Error('no port');
  return port;
}
