import { createServer, type RequestListener } from 'node:http';

/** How long calls under way may take to end once the process is told to. */
const drainMaxMs = 10_000;
const drainLookMs = 50;

/**
 * Listens. What it returns takes nothing new and lets what is under way end, for a bounded time; a connection that asks
 * for nothing is not under way.
 */
export async function serve(
  { host, port }: { host: string; port: number },
  listener: RequestListener,
): Promise<() => Promise<void>> {
  const server = createServer({ keepAliveTimeout: 65_000, requestTimeout: 60_000 }, listener);
  let underWay = 0;
  server.on('request', (_, response) => {
    underWay += 1;
    response.once('close', () => {
      underWay -= 1;
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  return async () => {
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    const look = setInterval(() => {
      if (underWay > 0) server.closeIdleConnections();
      else server.closeAllConnections();
    }, drainLookMs);
    const late = setTimeout(() => server.closeAllConnections(), drainMaxMs);
    await closed;
    clearInterval(look);
    clearTimeout(late);
  };
}
