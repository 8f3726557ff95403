import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openCluster } from '../../src/cli/embedded/cluster.ts';
import { freePort } from './program.ts';
import * as QuoteShop from './quote-shop.ts';

/**
 * A quote route for published clients: that of the shop that runs at SHOP_URL, else one on a database of its own.
 * `close` ends what was started here and nothing else.
 */
export async function open() {
  const { SHOP_URL } = process.env;
  if (SHOP_URL) return { url: SHOP_URL + QuoteShop.path, close: async () => {} };
  const dir = await mkdtemp(join(tmpdir(), 'sluice-quotes-'));
  const cluster = await openCluster({ dir, database: 'shop', durable: false, logFile: join(dir, 'log') });
  const port = await freePort();
  const publicUrl = `http://127.0.0.1:${port}`;
  const shop = await QuoteShop.open({ databaseUrl: cluster.url, port, publicUrl });
  return {
    url: publicUrl + QuoteShop.path,
    async close() {
      await shop.close();
      await cluster.stop();
      await rm(dir, { recursive: true, force: true });
    },
  };
}
