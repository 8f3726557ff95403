import type { CatalogContext } from '../../../catalog/catalog-context.ts';
import * as Attention from '../../../journeys/attention.ts';
import { inTime } from '../../../journeys/in-time.ts';
import * as UsageReport from '../../../ledger/usage-report.ts';
import type { Metrics } from '../../telemetry/metrics.ts';
import type { Console } from '../console.ts';
import { front } from '../pages/frame.ts';
import * as Page from '../pages/overview.ts';

const dayMs = 86_400_000;
const daysShown = 30;

/** The dependencies of the front page. */
export type OverviewContext = Pick<CatalogContext, 'catalog'> & Attention.AttentionContext;

/** The front page of the console. */
export function addOverviewSection(console: Console, shop: OverviewContext, metrics: Metrics): void {
  console.addSection('Overview', front, async (_, { operator }) => {
    const { revenueReport, usageReport, accounts, attention } = shop.console;
    const sinceMs = (Math.floor(shop.clock() / dayMs) - daysShown + 1) * dayMs;
    const beforeMs = sinceMs - daysShown * dayMs;
    const [allDays, rails, disputed, writers, made, madeSinceBefore, callers, used, unspent] =
      await Promise.all([
        revenueReport.byDay(beforeMs),
        revenueReport.byRail(sinceMs),
        attention.disputed(),
        usageReport.writers(),
        accounts.madeSince(sinceMs),
        accounts.madeSince(beforeMs),
        inTime(usageReport.callers(sinceMs)),
        inTime(usageReport.byModel(sinceMs)),
        inTime(usageReport.unspent()),
      ]);
    const isAddressUnknown = metrics.times('client_address_unknown') > 0;
    const tasks = await Attention.tasks(shop, used, writers, isAddressUnknown);
    const named = (slug: string) => shop.catalog.services.find((one) => one.slug === slug)?.name ?? slug;
    const models = used?.map((one) => ({ ...one, name: named(one.service) })) ?? null;
    const services = used && UsageReport.byService(used).map((one) => ({ ...one, name: named(one.service) }));
    const low = Attention.lowMargins(shop, used).map(({ service, model }) =>
      model === null ? service : `${service}/${model}`,
    );
    const facts = {
      ...{ rails, disputed, tasks, made, callers, services, models, unspent },
      days: allDays.slice(-daysShown),
      before: allDays.slice(0, -daysShown),
      madeBefore: madeSinceBefore - made,
      low: new Set(low),
      // Only an invited person signs in as an operator.
      done: { brand: shop.catalog.storefront.brand?.logo !== undefined, invited: operator !== null },
    };
    return { title: 'Overview', main: Page.overview(facts) };
  });
}
