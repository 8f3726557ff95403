import * as Money from '@sluice/kernel/money';
import type { CatalogContext } from '../../../catalog/catalog-context.ts';
import type { IdentityContext } from '../../../identity/identity-context.ts';
import * as AccountKeys from '../../../journeys/account-keys.ts';
import * as Usage from '../../../journeys/usage.ts';
import type { LedgerContext } from '../../../ledger/ledger-context.ts';
import { allCalls, type DailyGroup, dailyGroups, type UsageSelection } from '../../../ledger/usage.ts';
import type { TextsContext } from '../../../text/texts-context.ts';
import { onlyOwn } from '../../request-context.ts';
import * as Page from '../account/usage.ts';
import type { BrowserSession } from '../browser-session.ts';

type Context = Pick<CatalogContext, 'catalog'> &
  Pick<IdentityContext, 'clock' | 'keys'> &
  Pick<LedgerContext, 'usage'> &
  TextsContext;
/** The query of the usage section. */
type Query = Readonly<Record<string, string>>;
type Selected = {
  filters: Page.Filters;
  selection: UsageSelection;
  period: Usage.UsagePeriod | null;
  faults: Page.UsageFacts['faults'];
};

const daysDefault = 30;
const rangeDays = [7, 30, 90];
const shownCallsMax = 25;
const valueCharsMax = 200;

/** Reads the range and the filters of a query: of the page, and of the file with the same calls. */
export function select(shop: Pick<Context, 'clock' | 'texts'>, query: Query): Selected {
  const text = (name: string) => (query[name] ?? '').slice(0, valueCharsMax);
  const last = Usage.lastDays(daysDefault, shop.clock()).days;
  const filters = {
    from: text('from') || (last[0] ?? ''),
    to: text('to') || (last.at(-1) ?? ''),
    service: text('service'),
    key: text('key'),
    model: text('model'),
  };
  const read = Usage.readSelection(filters);
  const selection = read.kind === 'read' ? read.value : allCalls;
  const isDay = (value: string) => /^\d{4}-\d\d-\d\d$/.test(value);
  const faults = (['from', 'to'] as const)
    .filter((field) => !isDay(filters[field]))
    .map((field) => ({ field, message: shop.texts.text('usage.not_a_day') }));
  if (faults.length > 0) return { filters, selection, period: null, faults };
  const span = Usage.readSpan(filters.from, filters.to, shop.clock());
  if (span.kind === 'read') return { filters, selection, period: span.value, faults };
  const field = span.faults[0]?.field ?? 'from';
  return {
    ...{ filters, selection, period: null },
    faults: [{ field, message: shop.texts.text('usage.bad_range', { days: Usage.daysMax }) }],
  };
}

/** Reads the usage section. */
export async function readUsage(
  shop: Context,
  { account, member }: Pick<BrowserSession, 'account' | 'member'>,
  query: Query,
): Promise<Page.UsageFacts> {
  const { filters, selection, period, faults } = select(shop, query);
  const by = dailyGroups.find((one) => one === query.by) ?? 'service';
  const chosen = Page.measures.find((one) => one === query.show);
  const facts = { filters, by, faults, ranges: ranges(shop.clock()) };
  const shownPeriod = period ?? Usage.lastDays(daysDefault, shop.clock());
  const { fromMs, toMs } = shownPeriod;
  const before = Usage.readCallId(query.before ?? '');
  const [options, daily, sums, calls] = await Promise.all([
    readOptions(shop, account, onlyOwn(member), shownPeriod, filters.key),
    shop.usage.daily(account, fromMs, toMs, by, selection),
    shop.usage.sums(account, fromMs, toMs, by, selection),
    shop.usage.calls(account, fromMs, toMs, before, shownCallsMax + 1, selection),
  ]);
  const shown = calls.slice(0, shownCallsMax);
  const isCounted =
    daily.some(({ units }) => units > 0) ||
    (Page.isCounting(shop.catalog.services) && daily.every(({ cost }) => cost === Money.zero));
  const usualMeasure = isCounted ? 'units' : 'cost';
  const last = shown.at(-1)?.callId;
  return {
    ...facts,
    measure: chosen ?? usualMeasure,
    usualMeasure,
    ...{ options, daily, sums, days: Usage.daysOf(shownPeriod), calls: shown },
    isFirst: before === null,
    older: calls.length > shownCallsMax && last !== undefined ? `call_${last}` : null,
  };
}

/** The services, keys and models that occur in the period, whatever is selected; and the selected key. */
async function readOptions(
  shop: Context,
  account: string,
  creator: string | null,
  { fromMs, toMs }: Usage.UsagePeriod,
  chosenKey: string,
): Promise<Page.UsageFacts['options']> {
  const namesOf = async (group: DailyGroup) =>
    (await shop.usage.sums(account, fromMs, toMs, group)).map(({ name }) => name ?? '');
  const [keys, services, keysUsed, models] = await Promise.all([
    AccountKeys.list(shop, account, creator),
    namesOf('service'),
    namesOf('key'),
    namesOf('model'),
  ]);
  const isUnused = keys.some((one) => one.id === chosenKey) && !keysUsed.includes(chosenKey);
  const byKey = isUnused ? [...keysUsed, chosenKey] : keysUsed;
  const { texts, catalog } = shop;
  const option = (value: string, name: string | undefined, none: string) =>
    value === '' ? { value: Usage.noneValue, name: none } : { value, name: name ?? value };
  const noKey = texts.text('usage.no_key');
  // A person who sees their own keys only cannot see whether another one is revoked.
  const unknownKey = creator === null ? 'usage.revoked_key' : 'usage.other_key';
  const hasNames = (all: readonly string[]) => all.some((name) => name !== '');
  return {
    service: services.map((slug) =>
      option(slug, catalog.services.find((one) => one.slug === slug)?.name, slug),
    ),
    key: hasNames(byKey)
      ? byKey.map((id) =>
          option(id, keys.find((one) => one.id === id)?.name ?? texts.text(unknownKey, { id }), noKey),
        )
      : [],
    model: hasNames(models) ? models.map((name) => option(name, name, texts.text('usage.no_model'))) : [],
  };
}

function ranges(nowMs: number): Page.UsageFacts['ranges'] {
  return rangeDays.map((days) => {
    const all = Usage.lastDays(days, nowMs).days;
    return { days, from: all[0] ?? '', to: all.at(-1) ?? '' };
  });
}
