import * as Money from '@sluice/kernel/money';
import type { Catalog } from './catalog.ts';
import { atMost, counted, shopFacts, streamText } from './catalog-diff-text.ts';
import * as MeterDiff from './meter-diff.ts';
import type { Operation, Units, UnitsMax } from './operation.ts';
import { covers, type Plan, type SubscriptionPlan } from './plan.ts';
import { planFacts } from './plan-facts.ts';
import type { Service } from './service.ts';

/** The worst possible effect of a change on buyers. */
export type Severity = 'harmless' | 'raises_price' | 'takes_away';

/** A changed field, as the catalogue file writes it; null: the field is absent. */
export type ChangedField = { name: string; from: string | null; to: string | null; severity: Severity };

/** The kind of a change. `retired`: a plan is no longer sold. `resumed`: it is sold again. */
export type ChangeKind = 'added' | 'removed' | 'retired' | 'resumed' | 'changed';

export type CatalogChange = {
  subject: 'shop' | 'service' | 'operation' | 'plan';
  /** The slug of a service, the call of an operation or the id of a plan; `name` is for people. */
  id: string;
  name: string;
  deed: ChangeKind;
  /** The worst severity of its fields. */
  severity: Severity;
  /** The changed fields; all fields when the subject was added or removed. */
  fields: readonly ChangedField[];
  /** Ids of the previous plans whose holders are affected. */
  plans: readonly string[];
};

const order: readonly Severity[] = ['harmless', 'raises_price', 'takes_away'];

/** Returns the worst of `severities`. */
export function worst(severities: readonly Severity[]): Severity {
  return order[Math.max(0, ...severities.map((one) => order.indexOf(one)))] ?? 'harmless';
}

/**
 * Returns what `after` changes for buyers of `before`; empty when both sell the same. A change that cannot be compared (another way to
 * count) is treated as a price increase.
 */
export function between(before: Catalog, after: Catalog): CatalogChange[] {
  return [
    ...changed('shop', '', after.storefront.name, shopFields(before, after), []),
    ...services(before, after),
    ...operations(before, after),
    ...plans(before, after),
  ];
}

function services(before: Catalog, after: Catalog): CatalogChange[] {
  const pair = (slug: string) => [before, after].map((one) => one.services.find((it) => it.slug === slug));
  return union(
    before.services.map(({ slug }) => slug),
    after.services.map(({ slug }) => slug),
  ).flatMap((slug) => {
    const [old, fresh] = pair(slug);
    const fields = compared(serviceFacts(old), serviceFacts(fresh), (name) => {
      if (!old || !fresh) return 'harmless';
      if (name === 'price_usd') return fresh.price > old.price ? 'raises_price' : 'harmless';
      return MeterDiff.severity(name, old.metering, fresh.metering);
    });
    const held = old ? opens(before, old) : [];
    if (old && fresh) return changed('service', slug, fresh.name, fields, held);
    return [whole('service', slug, (fresh ?? old)?.name ?? slug, old ? 'removed' : 'added', fields, held)];
  });
}

function operations(before: Catalog, after: Catalog): CatalogChange[] {
  const find = (catalog: Catalog, id: string) => catalog.operations.find((it) => it.id === id);
  return union(
    before.operations.map(({ id }) => id),
    after.operations.map(({ id }) => id),
  ).flatMap((id) => {
    const [old, fresh] = [find(before, id), find(after, id)];
    const held = old ? opens(before, old.service) : [];
    if (!old || !fresh) {
      const fields = compared(operationFacts(old), operationFacts(fresh), () => 'harmless');
      return [whole('operation', id, id, old ? 'removed' : 'added', fields, held)];
    }
    const isLost = held.some((plan) => !isOpen(after, plan, fresh.service));
    return changed('operation', id, id, operationFields(old, fresh, isLost), held);
  });
}

function plans(before: Catalog, after: Catalog): CatalogChange[] {
  const [old, fresh] = [before, after].map((catalog) => ({
    all: new Map([...catalog.plans, ...catalog.retired].map((plan) => [plan.id, plan])),
    sold: new Set(catalog.plans.map(({ id }) => id)),
  }));
  if (!old || !fresh) return [];
  return union([...old.all.keys()], [...fresh.all.keys()]).flatMap((id) => {
    const [was, is] = [old.all.get(id), fresh.all.get(id)];
    const held = was ? [id] : [];
    if (!was || !is) {
      const fields = compared(planFacts(was), planFacts(is), () => 'harmless');
      return [whole('plan', id, (is ?? was)?.name ?? id, was ? 'removed' : 'added', fields, held)];
    }
    const fields = planFields(was, is, after);
    if (old.sold.has(id) === fresh.sold.has(id)) return changed('plan', id, is.name, fields, held);
    return [whole('plan', id, is.name, fresh.sold.has(id) ? 'resumed' : 'retired', fields, held)];
  });
}

function shopFields(before: Catalog, after: Catalog): ChangedField[] {
  return compared(shopFacts(before), shopFacts(after), () => 'harmless');
}

function serviceFacts(service: Service | undefined): Record<string, string> {
  if (!service) return {};
  const { name, description, group, unit, price, route, metering } = service;
  const upstreams = route ? { upstream: [route.upstream, ...route.otherwise].join(', otherwise ') } : {};
  const shown = { name, description, ...(group !== undefined && { group }), ...upstreams };
  if (metering !== undefined) return { ...MeterDiff.facts(metering), ...shown };
  return { price_usd: Money.format(price), unit, ...shown };
}

function operationFacts(operation: Operation | undefined): Record<string, string> {
  if (!operation) return {};
  const { service, units, unitsMax, uncountable, yield: part, answeredBy, stream, job, socket } = operation;
  const { owns, owned, onlyOwned, onlyPriced } = operation;
  return {
    service: service.slug,
    price_usd: service.metering === undefined ? Money.format(service.price) : '',
    units: counted(units),
    ...(units.kind === 'meters' ? { max_cost_usd: maxCost(operation) } : { units_max: atMost(unitsMax) }),
    uncountable,
    yield: `${part.low} to ${part.high}`,
    answered_by: answeredBy,
    ...(stream && { stream: streamText(stream) }),
    ...(job && { job: JSON.stringify(job) }),
    ...(socket && { socket: JSON.stringify(socket) }),
    ...(owns && { owns: JSON.stringify(owns) }),
    ...(owned && { owned: JSON.stringify(owned) }),
    ...(onlyOwned && { only_owned: JSON.stringify(onlyOwned) }),
    ...(onlyPriced && { only_priced: JSON.stringify(onlyPriced) }),
  };
}

/** The most that a call by meters can cost, whose units are micro-dollars. */
function maxCost({ unitsMax, service }: Operation): string {
  return Money.format(
    Money.times(service.price, unitsMax.kind === 'fixed' ? unitsMax.units : unitsMax.ceiling),
  );
}

/** `isLost`: a plan that covered the operation does not cover its new service. */
function operationFields(old: Operation, fresh: Operation, isLost: boolean): ChangedField[] {
  const isMoved = old.service.slug !== fresh.service.slug;
  return compared(operationFacts(old), operationFacts(fresh), (name) => {
    switch (name) {
      case 'service':
        return isLost ? 'takes_away' : 'harmless';
      case 'price_usd':
        return fresh.service.price > old.service.price ? 'raises_price' : 'harmless';
      case 'units':
        return isFewer(old.units, fresh.units) ? 'harmless' : 'raises_price';
      case 'max_cost_usd':
      case 'units_max':
        return isLess(old.unitsMax, fresh.unitsMax) ? 'harmless' : 'raises_price';
      case 'stream':
      case 'job':
      case 'socket':
        return 'raises_price';
      case 'owned':
      case 'only_owned':
      case 'only_priced':
        return 'takes_away';
      case 'uncountable':
        if (fresh.uncountable === 'max') return 'raises_price';
        return fresh.uncountable === 'withhold' ? 'takes_away' : 'harmless';
      default:
        return 'harmless';
    }
    // The new price of a service is reported once, with the service.
  }).filter(({ name }) => isMoved || name !== 'price_usd');
}

/** Returns true when a limit is new or smaller. Without a limit there is no value. */
function isTighter(from: string | null, to: string | null): boolean {
  return to !== null && (from === null || more(to, from));
}

function planFields(old: Plan, fresh: Plan, after: Catalog): ChangedField[] {
  return compared(planFacts(old), planFacts(fresh), (name, from, to) => {
    switch (name) {
      case 'kind':
        return 'takes_away';
      case 'price_usd':
      case 'every':
        return isDearer(old, fresh) ? 'raises_price' : 'harmless';
      case 'min_usd':
        return more(from, to) ? 'raises_price' : 'harmless';
      case 'included':
      case 'included_usd':
      case 'included_when_claimed':
      case 'included_usd_when_claimed':
      case 'max_usd':
      case 'grace_days':
      case 'requests_per_second':
        return more(to, from) ? 'takes_away' : 'harmless';
      case 'all_per_hour':
      case 'all_usd_per_hour':
        return isTighter(from, to) ? 'takes_away' : 'harmless';
      case 'rollover':
        return to === 'false' ? 'takes_away' : 'harmless';
      case 'covers':
        // A removed service is reported separately.
        return after.services.some((it) => covers(old, it) && !covers(fresh, it)) ? 'takes_away' : 'harmless';
      default:
        return 'harmless';
    }
  });
}

/** Returns true when a purchase, or a year of the plan, costs more. */
function isDearer(old: Plan, fresh: Plan): boolean {
  if (old.kind !== 'subscription' || fresh.kind !== 'subscription') return true;
  const yearly = ({ price, every }: SubscriptionPlan) => (every === 'year' ? price : price * 12);
  return fresh.price > old.price || yearly(fresh) > yearly(old);
}

function isFewer(old: Units, fresh: Units): boolean {
  return fresh.kind === 'fixed' && (fresh.units === 0 || (old.kind === 'fixed' && fresh.units <= old.units));
}

/** Returns true when no request can cost more than before. */
function isLess(old: UnitsMax, fresh: UnitsMax): boolean {
  if (fresh.kind === 'fixed') return fresh.units <= (old.kind === 'fixed' ? old.units : 0);
  if (old.kind === 'fixed') return fresh.ceiling <= old.units;
  const isSame = fresh.pointer.join('/') === old.pointer.join('/');
  return isSame && fresh.default <= old.default && fresh.ceiling <= old.ceiling;
}

/** Returns the ids of the plans that cover a service, retired ones included. */
function opens({ plans, retired }: Catalog, service: Service): string[] {
  return [...plans, ...retired].filter((plan) => covers(plan, service)).map(({ id }) => id);
}

function isOpen({ plans, retired }: Catalog, id: string, service: Service): boolean {
  return [...plans, ...retired].some((plan) => plan.id === id && covers(plan, service));
}

function compared(
  old: Record<string, string>,
  fresh: Record<string, string>,
  judge: (name: string, from: string | null, to: string | null) => Severity,
): ChangedField[] {
  return union(Object.keys(old), Object.keys(fresh)).flatMap((name) => {
    const [from = null, to = null] = [old[name], fresh[name]];
    return from === to ? [] : [{ name, from, to, severity: judge(name, from, to) }];
  });
}

function changed(
  subject: CatalogChange['subject'],
  id: string,
  name: string,
  fields: readonly ChangedField[],
  held: readonly string[],
): CatalogChange[] {
  if (fields.length === 0) return [];
  const severity = worst(fields.map((field) => field.severity));
  return [{ subject, id, name, deed: 'changed', severity, fields, plans: held }];
}

function whole(
  subject: CatalogChange['subject'],
  id: string,
  name: string,
  deed: ChangeKind,
  fields: readonly ChangedField[],
  held: readonly string[],
): CatalogChange {
  const own = deed === 'removed' || deed === 'retired' ? 'takes_away' : 'harmless';
  const severity = worst([own, ...fields.map((field) => field.severity)]);
  return { subject, id, name, deed, severity, fields, plans: held };
}

function more(from: string | null, to: string | null): boolean {
  return Number(to ?? 0) > Number(from ?? 0);
}

function union(a: readonly string[], b: readonly string[]): string[] {
  return [...new Set([...a, ...b])];
}
