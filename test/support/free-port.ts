import { once } from 'node:events';
import { createServer, type Server } from 'node:net';

/** Below the range from which Linux takes the local ports of outgoing connections (`net.ipv4.ip_local_port_range`). */
const from = 10_000;
const to = 32_700;
const blockSize = 50;

/** The ports that this process may still give away, and the servers that keep other processes out of their blocks. */
type Own = { left: number[]; locks: Server[] };
const shared: { sluiceTestPorts?: Own } = globalThis as object;

/**
 * Returns `count` different TCP ports of the loopback address that are free and given to no other process. A program listens on its port seconds
 * later, so no other test may get the same port meanwhile: a process takes its ports from blocks whose first port it occupies until it ends.
 */
export async function freePorts(count: number): Promise<number[]> {
  shared.sluiceTestPorts ??= { left: [], locks: [] };
  const own = shared.sluiceTestPorts;
  const ports: number[] = [];
  while (ports.length < count) {
    const port = own.left.shift();
    if (port === undefined) await addBlock(own);
    else {
      const server = await listen(port);
      if (server === undefined) continue;
      await once(server.close(), 'close');
      ports.push(port);
    }
  }
  return ports;
}

/** Returns one such port. */
export async function freePort(): Promise<number> {
  const [port] = await freePorts(1);
  if (port === undefined) throw new Error('no port');
  return port;
}

async function addBlock(own: Own): Promise<void> {
  const blocks = Math.floor((to - from) / blockSize);
  const start = process.pid % blocks;
  for (let step = 0; step < blocks; step += 1) {
    const first = from + ((start + step) % blocks) * blockSize;
    const lock = await listen(first);
    if (lock === undefined) continue;
    own.locks.push(lock.unref());
    for (let port = first + 1; port < first + blockSize; port += 1) own.left.push(port);
    return;
  }
  throw new Error('every block of ports is in use');
}

/** Returns a server that listens on `port`, or undefined when something else does. */
async function listen(port: number): Promise<Server | undefined> {
  const server = createServer();
  const listening = await new Promise<boolean>((resolve) => {
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => resolve(true));
  });
  return listening ? server : undefined;
}
