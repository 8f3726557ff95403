import * as Schema from '@sluice/kernel/json-schema';
import type { Catalog } from '../../../catalog/catalog.ts';
import type { CatalogContext } from '../../../catalog/catalog-context.ts';
import * as Description from '../../../catalog/description.ts';
import { isBranded } from '../../../catalog/import/imported-storefront.ts';
import type { MailContext } from '../../../identity/identity-context.ts';
import { can } from '../../../identity/operators/role.ts';
import * as Attention from '../../../journeys/attention.ts';
import { inTime } from '../../../journeys/in-time.ts';
import * as Readiness from '../../../journeys/readiness.ts';
import type { SellerContext } from '../../../journeys/seller-context.ts';
import * as UsageReport from '../../../ledger/usage-report.ts';
import type { PaymentContext } from '../../../payment/payment-context.ts';
import type { Metrics } from '../../telemetry/metrics.ts';
import type { Console } from '../console.ts';
import { front } from '../pages/frame.ts';
import * as Page from '../pages/overview.ts';

const dayMs = 86_400_000;

/** The dependencies of the front page. */
export type OverviewContext = Pick<CatalogContext, 'catalog'> &
  Pick<SellerContext, 'audit'> &
  Pick<MailContext, 'mail'> &
  Pick<PaymentContext, 'processor'> &
  Attention.AttentionContext &
  Readiness.ReadinessContext;

/** The actions that say that the seller has set up the catalogue. */
const catalogueActs = ['catalog_published', 'reload'];

/** The front page of the console. The query's `days` chooses the period. */
export function addOverviewSection(console: Console, shop: OverviewContext, metrics: Metrics): void {
  console.addSection('Overview', front, async (c, { operator, role }) => {
    const daysShown = Page.periods.find((one) => String(one) === c.req.query('days')) ?? Page.usualPeriod;
    const { revenueReport, usageReport, accounts, attention } = shop.console;
    const sinceMs = (Math.floor(shop.clock() / dayMs) - daysShown + 1) * dayMs;
    const beforeMs = sinceMs - daysShown * dayMs;
    const [hasSold, allDays, rails, disputed, writers, made, madeSinceBefore, callers, used, unspent] =
      await Promise.all([
        revenueReport.hasSold(),
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
      before: allDays.slice(-2 * daysShown, -daysShown),
      canSetUp: can(role, 'publish'),
      isNew: !hasSold,
      madeBefore: madeSinceBefore - made,
      low: new Set(low),
    };
    // Only an invited person signs in as an operator.
    const done = facts.isNew ? { ...(await stepsDone(shop, made)), invited: operator !== null } : {};
    return { title: 'Overview', main: Page.overview({ ...facts, done }) };
  });
}

/** The first steps that are done, by their keys. */
async function stepsDone(shop: OverviewContext, accounts: number): Promise<Page.OverviewFacts['done']> {
  const [acts, ready, cards] = await Promise.all([
    shop.audit.acts(),
    Readiness.read(shop, () => false),
    shop.processor.probe(),
  ]);
  return {
    plans: catalogueActs.some((act) => acts.includes(act)),
    brand: isBranded(shop.catalog.storefront, await infoOf(shop.catalog)),
    works: Readiness.isReady(ready) && shop.mail !== null && cards.state === 'works',
    tried: accounts > 0,
  };
}

const knownInfo = new WeakMap<Catalog, Promise<Schema.Node>>();

/** The `info` of the API description that the catalogue may have been imported from, read once for a catalogue; empty when there is none. */
function infoOf(catalog: Catalog): Promise<Schema.Node> {
  const known = knownInfo.get(catalog);
  if (known !== undefined) return known;
  const reading = Description.read(catalog.upstream.description).then((read) =>
    read.ok ? Schema.node(Schema.node(read.document).info) : {},
  );
  knownInfo.set(catalog, reading);
  return reading;
}
