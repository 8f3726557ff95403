import type { IdentityContext } from '../../../identity/identity-context.ts';
import * as Readiness from '../../../journeys/readiness.ts';
import type { SellerContext } from '../../../journeys/seller-context.ts';
import type { LedgerContext } from '../../../ledger/ledger-context.ts';
import type { Metrics } from '../../telemetry/metrics.ts';
import type { Console } from '../console.ts';
import * as Page from '../pages/health.ts';
import { inTime } from './in-time.ts';

const answersOfMs = 15 * 60_000;
const uncountableOfMs = 7 * 86_400_000;

/** The dependencies of the health page. */
export type HealthContext = Readiness.ReadinessContext &
  Pick<IdentityContext, 'clock'> &
  Pick<LedgerContext, 'writer'> &
  Pick<SellerContext, 'console' | 'uncountableRecord'>;

/** The health page. */
export function addHealthSection(
  console: Console,
  shop: HealthContext,
  isDraining: () => boolean,
  metrics: Metrics,
): void {
  console.addSection('Health', '/admin/console/health', async () => {
    const { usageReport } = shop.console;
    const [{ checks }, writers, answers, uncountable] = await Promise.all([
      Readiness.read(shop, isDraining),
      usageReport.writers(),
      inTime(usageReport.answers(shop.clock() - answersOfMs)),
      shop.uncountableRecord.since(shop.clock() - uncountableOfMs),
    ]);
    const failures = [...metrics.upstream].map(([code, failure]) => ({ code, ...failure }));
    const { version } = process;
    const own = { version, upMs: process.uptime() * 1_000, memoryBytes: process.memoryUsage.rss() };
    const facts = {
      checks,
      writers,
      own: shop.writer.writer.writer,
      answers,
      answersOfMs,
      failures,
      uncountable,
      uncountableOfMs,
      process: own,
    };
    return { title: 'Health', main: Page.health(facts) };
  });
}
