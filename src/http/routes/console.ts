import type { Hono } from 'hono';
import type { Shop } from '../../journeys/shop.ts';
import type { AdminGuard } from '../admin-guard.ts';
import * as Console from '../console.ts';
import type { Env } from '../edge.ts';
import * as Overview from './console/overview.ts';

/** The seller's console. Each of these hangs its pages into it; the order is that of the navigation. */
export function routes(
  shop: Shop,
  guard: AdminGuard,
  report: (fault: unknown, requestId: string) => void,
): Hono<Env> {
  const { console, app } = Console.open(shop, guard, report);
  for (const { add } of [Overview]) add(console);
  return app;
}
