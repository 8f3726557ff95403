import * as Money from '../kernel/money.ts';
import type { Catalog } from './catalog.ts';
import type { Operation, Units, UnitsMax } from './operation.ts';
import { covers, type Plan, type SubscriptionPlan } from './plan.ts';
import type { Service } from './service.ts';

/** What a change does to those who buy: the worst that it may do. */
export type Severity = 'harmless' | 'raises_price' | 'takes_away';

/** One field that is another now; null where there was none, or is none. In the words of the catalogue file. */
export type Field = { name: string; from: string | null; to: string | null; severity: Severity };

/** What became of one thing that the catalogue names. `retired` and `resumed`: a plan that is not sold any more, or is again. */
export type Deed = 'added' | 'removed' | 'retired' | 'resumed' | 'changed';

export type Change = {
  subject: 'shop' | 'service' | 'operation' | 'plan';
  /** The slug, the call or the plan's id; for people, `name`. */
  id: string;
  name: string;
  deed: Deed;
  /** That of its worst field. */
  severity: Severity;
  /** What is another now; all of it where it came or went. */
  fields: readonly Field[];
  /** The plans, of before, whose holders it is about. */
  plans: readonly string[];
};

const order: readonly Severity[] = ['harmless', 'raises_price', 'takes_away'];

/** The worse of all. */
export function worst(severities: readonly Severity[]): Severity {
  return order[Math.max(0, ...severities.map((one) => order.indexOf(one)))] ?? 'harmless';
}

/**
 * What `after` changes for those who buy by `before`; nothing where both sell the same. What cannot be compared (another
 * way to count) is taken for dearer.
 */
export function between(before: Catalog, after: Catalog): Change[] {
  return [
    ...changed('shop', '', after.storefront.name, shopFields(before, after), []),
    ...services(before, after),
    ...operations(before, after),
    ...plans(before, after),
  ];
}

function services(before: Catalog, after: Catalog): Change[] {
  const pair = (slug: string) => [before, after].map((one) => one.services.find((it) => it.slug === slug));
  return union(
    before.services.map(({ slug }) => slug),
    after.services.map(({ slug }) => slug),
  ).flatMap((slug) => {
    const [old, fresh] = pair(slug);
    const fields = compared(serviceFacts(old), serviceFacts(fresh), (name) =>
      name === 'price_usd' && old && fresh && fresh.price > old.price ? 'raises_price' : 'harmless',
    );
    const held = old ? opens(before, old) : [];
    if (old && fresh) return changed('service', slug, fresh.name, fields, held);
    return [whole('service', slug, (fresh ?? old)?.name ?? slug, old ? 'removed' : 'added', fields, held)];
  });
}

function operations(before: Catalog, after: Catalog): Change[] {
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

function plans(before: Catalog, after: Catalog): Change[] {
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

function shopFields(before: Catalog, after: Catalog): Field[] {
  const facts = ({ storefront, upstream }: Catalog) => ({
    name: storefront.name,
    description: storefront.description,
    contact: storefront.contact,
    'upstream.description': upstream.description,
    'upstream.key': `${upstream.key.header}: ${upstream.key.value}`,
    'upstream.timeout_ms': String(upstream.timeoutMs),
  });
  return compared(facts(before), facts(after), () => 'harmless');
}

function serviceFacts(service: Service | undefined): Record<string, string> {
  if (!service) return {};
  const { name, description, unit, price } = service;
  return { price_usd: Money.format(price), unit, name, description };
}

function operationFacts(operation: Operation | undefined): Record<string, string> {
  if (!operation) return {};
  const { service, units, unitsMax, yield: part, answeredBy } = operation;
  return {
    service: service.slug,
    price_usd: Money.format(service.price),
    units: counted(units),
    units_max: atMost(unitsMax),
    yield: `${part.low} to ${part.high}`,
    answered_by: answeredBy,
  };
}

/** `isLost`: some plan that opened it does so no more, as its service is another. */
function operationFields(old: Operation, fresh: Operation, isLost: boolean): Field[] {
  const isMoved = old.service.slug !== fresh.service.slug;
  return compared(operationFacts(old), operationFacts(fresh), (name) => {
    switch (name) {
      case 'service':
        return isLost ? 'takes_away' : 'harmless';
      case 'price_usd':
        return fresh.service.price > old.service.price ? 'raises_price' : 'harmless';
      case 'units':
        return isFewer(old.units, fresh.units) ? 'harmless' : 'raises_price';
      case 'units_max':
        return isLess(old.unitsMax, fresh.unitsMax) ? 'harmless' : 'raises_price';
      default:
        return 'harmless';
    }
    // The new price of a service is said once, of the service.
  }).filter(({ name }) => isMoved || name !== 'price_usd');
}

function planFields(old: Plan, fresh: Plan, after: Catalog): Field[] {
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
      case 'included_when_claimed':
      case 'max_usd':
      case 'grace_days':
      case 'requests_per_second':
        return more(to, from) ? 'takes_away' : 'harmless';
      case 'rollover':
        return to === 'false' ? 'takes_away' : 'harmless';
      case 'covers':
        // A service that is gone is told on its own.
        return after.services.some((it) => covers(old, it) && !covers(fresh, it)) ? 'takes_away' : 'harmless';
      default:
        return 'harmless';
    }
  });
}

function planFacts(plan: Plan | undefined): Record<string, string> {
  if (!plan) return {};
  return {
    kind: plan.kind,
    ...termsOf(plan),
    covers: plan.covers === '*' ? '*' : [...plan.covers].sort().join(', '),
    requests_per_second: `${plan.requestsPerSecond}`,
    name: plan.name,
    description: plan.description,
  };
}

/** What a plan costs and gives, by the keys of the file. */
function termsOf(plan: Plan): Record<string, string> {
  switch (plan.kind) {
    case 'trial':
      return { included: `${plan.included}`, included_when_claimed: `${plan.includedWhenClaimed}` };
    case 'credit':
      return { min_usd: Money.format(plan.min), max_usd: Money.format(plan.max) };
    case 'subscription':
      return {
        price_usd: Money.format(plan.price),
        every: plan.every,
        included: `${plan.included}`,
        rollover: `${plan.rollover}`,
        grace_days: `${plan.graceDays}`,
      };
  }
}

/** More to pay at once, or over a year. */
function isDearer(old: Plan, fresh: Plan): boolean {
  if (old.kind !== 'subscription' || fresh.kind !== 'subscription') return true;
  const yearly = ({ price, every }: SubscriptionPlan) => (every === 'year' ? price : price * 12);
  return fresh.price > old.price || yearly(fresh) > yearly(old);
}

function isFewer(old: Units, fresh: Units): boolean {
  return fresh.kind === 'fixed' && (fresh.units === 0 || (old.kind === 'fixed' && fresh.units <= old.units));
}

/** Whether no request can cost more than before. */
function isLess(old: UnitsMax, fresh: UnitsMax): boolean {
  if (fresh.kind === 'fixed') return fresh.units <= (old.kind === 'fixed' ? old.units : 0);
  if (old.kind === 'fixed') return fresh.ceiling <= old.units;
  const isSame = fresh.pointer.join('/') === old.pointer.join('/');
  return isSame && fresh.default <= old.default && fresh.ceiling <= old.ceiling;
}

function counted(units: Units): string {
  return units.kind === 'fixed' ? `${units.units}` : pointer(units.pointer);
}

function atMost(max: UnitsMax): string {
  return max.kind === 'fixed'
    ? `${max.units}`
    : `${pointer(max.pointer)}, ${max.default} where it is left out, at most ${max.ceiling}`;
}

function pointer(tokens: readonly string[]): string {
  return tokens.map((token) => `/${token}`).join('');
}

/** The ids of the plans that open a service, for those who have them. */
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
): Field[] {
  return union(Object.keys(old), Object.keys(fresh)).flatMap((name) => {
    const [from = null, to = null] = [old[name], fresh[name]];
    return from === to ? [] : [{ name, from, to, severity: judge(name, from, to) }];
  });
}

function changed(
  subject: Change['subject'],
  id: string,
  name: string,
  fields: readonly Field[],
  held: readonly string[],
): Change[] {
  if (fields.length === 0) return [];
  const severity = worst(fields.map((field) => field.severity));
  return [{ subject, id, name, deed: 'changed', severity, fields, plans: held }];
}

function whole(
  subject: Change['subject'],
  id: string,
  name: string,
  deed: Deed,
  fields: readonly Field[],
  held: readonly string[],
): Change {
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
