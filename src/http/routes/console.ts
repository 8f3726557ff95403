import type { Hono } from 'hono';
import type { Reload } from '../../journeys/reload.ts';
import type { Shop } from '../../journeys/shop.ts';
import type { AdminGuard } from '../admin-guard.ts';
import * as Console from '../console.ts';
import type { Env } from '../edge.ts';
import type { Metrics } from '../metrics.ts';
import * as Door from '../pages/console/door.ts';
import * as Accounts from './console/accounts.ts';
import * as Audit from './console/audit.ts';
import * as Catalogue from './console/catalogue.ts';
import * as Health from './console/health.ts';
import * as Overview from './console/overview.ts';
import * as Payments from './console/payments.ts';

type Edge = {
  isDraining: () => boolean;
  reload: Reload;
  log: { fault: (fault: unknown, requestId: string) => void };
};

/** The seller's console. Each of these hangs its pages into it, in the order of the navigation. */
export function routes(
  shop: Shop,
  guard: AdminGuard,
  metrics: Metrics,
  { isDraining, reload, log }: Edge,
): Hono<Env> {
  const { console, app } = Console.open(shop, guard, log.fault);
  Overview.add(console);
  Accounts.add(console);
  Payments.add(console);
  Catalogue.add(console, reload);
  Health.add(console, isDraining, metrics);
  Audit.add(console);
  // Last: what is none of these.
  console.page('/admin/console/*', async () => {
    const main = Door.told('No such page', 'The console has no page here.');
    return { title: 'No such page', status: 404, main };
  });
  return app;
}
