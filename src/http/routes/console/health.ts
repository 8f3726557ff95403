import type { Console } from '../../console.ts';
import type { Metrics } from '../../metrics.ts';
import * as Page from '../../pages/console/health.ts';
import * as Readiness from '../../readiness.ts';
import { inTime } from './in-time.ts';

const answersOfMs = 15 * 60_000;

/** Whether the shop can do its work. */
export function add(console: Console, isDraining: () => boolean, metrics: Metrics): void {
  const { shop } = console;
  console.room('Health', '/admin/console/health', async () => {
    const { turnover } = shop.console;
    const [checks, lanes, answers] = await Promise.all([
      Readiness.checks(shop, isDraining),
      turnover.lanes(),
      inTime(turnover.answers(shop.clock() - answersOfMs)),
    ]);
    const failures = [...metrics.upstream].map(([code, failure]) => ({ code, ...failure }));
    const { version } = process;
    const own = { version, upMs: process.uptime() * 1_000, memoryBytes: process.memoryUsage.rss() };
    const facts = { checks, lanes, own: shop.lane.writer.lane, answers, answersOfMs, failures, process: own };
    return { title: 'Health', main: Page.health(facts) };
  });
}
