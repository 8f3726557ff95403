import type { CatalogContext } from '../../../catalog/catalog-context.ts';
import type { SellerContext } from '../../../journeys/seller-context.ts';
import * as UsageReport from '../../../ledger/usage-report.ts';
import type { PaymentContext } from '../../../payment/payment-context.ts';
import { troubleCountMax } from '../../../payment/revenue-report.ts';
import type { Metrics } from '../../telemetry/metrics.ts';
import type { Console } from '../console.ts';
import { front } from '../pages/frame.ts';
import * as Page from '../pages/overview.ts';
import { inTime } from './in-time.ts';

const dayMs = 86_400_000;
const daysShown = 30;

/** The dependencies of the front page. */
export type OverviewContext = Pick<CatalogContext, 'catalog'> &
  Pick<PaymentContext, 'clock' | 'fraudSignals' | 'cardAttempts' | 'cardLimits'> &
  Pick<SellerContext, 'console' | 'refundRequests'>;

/** The front page of the console. */
export function addOverviewSection(console: Console, shop: OverviewContext, metrics: Metrics): void {
  console.addSection('Overview', front, async () => {
    const { revenueReport, usageReport, accounts } = shop.console;
    const sinceMs = (Math.floor(shop.clock() / dayMs) - daysShown + 1) * dayMs;
    const [requests, flagged, slowed, days, rails, trouble, writers, made, callers, used, unspent] =
      await Promise.all([
        shop.refundRequests.list('open', null, troubleCountMax),
        shop.fraudSignals.open(troubleCountMax),
        shop.cardAttempts.slowed(shop.cardLimits),
        revenueReport.byDay(sinceMs),
        revenueReport.byRail(sinceMs),
        revenueReport.trouble(sinceMs),
        usageReport.writers(),
        accounts.madeSince(sinceMs),
        inTime(usageReport.callers(sinceMs)),
        inTime(usageReport.byModel(sinceMs)),
        inTime(usageReport.unspent()),
      ]);
    const named = (slug: string) => shop.catalog.services.find((one) => one.slug === slug)?.name ?? slug;
    const models = used?.map((one) => ({ ...one, name: named(one.service) })) ?? null;
    const services = used && UsageReport.byService(used).map((one) => ({ ...one, name: named(one.service) }));
    const facts = {
      requests: requests.length,
      flagged: flagged.length,
      slowed,
      hidesAddresses: metrics.times('client_address_unknown') > 0,
      days,
      rails,
      trouble,
      writers,
      made,
      callers,
      services,
      models,
      unspent,
    };
    return { title: 'Overview', main: Page.overview(facts) };
  });
}
