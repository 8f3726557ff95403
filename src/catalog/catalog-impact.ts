import * as Money from '@sluice/kernel/money';
import type { Catalog } from './catalog.ts';
import * as CatalogDiff from './catalog-diff.ts';
import * as Included from './included.ts';
import type { Plan } from './plan.ts';
import type { PlanHoldings } from './plan-holdings.ts';

/** A change and its effect on buyers, a sentence per plan that they hold. */
export type Impact = CatalogDiff.CatalogChange & { says: readonly string[] };

/** The effects of a new catalogue. `refusals`: reasons against loading it; empty when it may be loaded. */
export type Impacts = {
  severity: CatalogDiff.Severity;
  changes: readonly Impact[];
  refusals: readonly string[];
  /** Sentences about what the seller should look at. They are no reasons against loading the catalogue. */
  warnings: readonly string[];
};

/** Returns the effects of replacing `before` by `after` on the holders in `stakes`. */
export function impactsOf(before: Catalog, after: Catalog, stakes: readonly PlanHoldings[]): Impacts {
  const known = new Map(plansOf(before).map((plan) => [plan.id, plan]));
  const changes = CatalogDiff.between(before, after).map((change) => ({
    ...change,
    says: change.plans.flatMap((id) => {
      const planHoldings = stakes.find(({ plan }) => plan === id);
      const plan = known.get(id);
      return planHoldings && plan ? means(change, plan, planHoldings) : [];
    }),
  }));
  return {
    severity: CatalogDiff.worst(changes.map(({ severity }) => severity)),
    changes,
    refusals: refusals(before, after, stakes),
    warnings: [
      ...otherAmounts(before, after),
      ...unusable(after, stakes)
        .filter(({ id }) => !known.has(id))
        .map(({ says }) => says),
    ],
  };
}

/** Returns the plans whose own description gives buyers amounts, none of which is the new price. */
function otherAmounts(before: Catalog, after: Catalog): string[] {
  const known = new Map(before.plans.map((plan) => [plan.id, plan]));
  return after.plans.flatMap((plan) => {
    if (plan.kind !== 'subscription') return [];
    const { id, name, description, price } = plan;
    const was = known.get(id);
    const isAsBefore = was?.kind === 'subscription' && was.price === price && was.description === description;
    const amounts = [
      ...description.matchAll(/\$ ?(\d[\d,]*(?:\.\d+)?)|(\d[\d,]*(?:\.\d+)?) (?:USD|dollars)\b/g),
    ].map(([, before, after]) => (before ?? after ?? '').replaceAll(',', ''));
    if (isAsBefore || amounts.length === 0 || amounts.some((one) => Money.parse(one) === price)) return [];
    return [
      `The description of ${name} names ${amounts.join(' and ')} USD, but its price is ${Money.format(price)} USD`,
    ];
  });
}

/** Returns holdings of plans that `catalog` does not contain: no call can use them. */
export function unusable(catalog: Catalog, stakes: readonly PlanHoldings[]): { id: string; says: string }[] {
  const known = new Set(plansOf(catalog).map(({ id }) => id));
  return stakes
    .filter(({ plan, accounts, periods }) => !known.has(plan) && accounts + periods.length > 0)
    .map((planHoldings) => ({
      id: planHoldings.plan,
      says: `The catalogue has no plan ${holding(planHoldings)}. Add it again with "retired: true"`,
    }));
}

/**
 * Purchases must stay usable. A paid plan is retired first, so that it cannot be bought while it is being removed, and removed when no
 * account holds any of it.
 */
function refusals(before: Catalog, after: Catalog, stakes: readonly PlanHoldings[]): string[] {
  const sold = new Set(before.plans);
  const fresh = new Map(plansOf(after).map((plan) => [plan.id, plan]));
  return plansOf(before).flatMap((plan) => {
    const { id, kind } = plan;
    const next = fresh.get(id);
    if (kind === 'trial' || next?.kind === kind) return [];
    const what = next ? `cannot become a ${next.kind} plan` : 'cannot be left out';
    const planHoldings = stakes.find((one) => one.plan === id);
    if (planHoldings)
      return [
        `Plan ${id} ${what} (${holding(planHoldings)}). Keep it with "retired: true" until that has ended`,
      ];
    if (sold.has(plan))
      return [
        `Plan ${id} ${what} while it is sold. Load it with "retired: true" first, so that it cannot be bought in the meantime`,
      ];
    return [];
  });
}

/** Describes the effect of a change on the holders of `plan`. */
function means(change: CatalogDiff.CatalogChange, plan: Plan, planHoldings: PlanHoldings): string[] {
  const who = holding(planHoldings);
  switch (change.subject) {
    case 'shop':
      return [];
    case 'service':
    case 'operation':
      if (planHoldings.accounts === 0) return [];
      if (change.deed === 'removed') return [`${who}: it no longer covers this`];
      return calls(change, planHoldings).map((what) => `${who}: ${what}`);
    case 'plan':
      return terms(change, plan, planHoldings).map((what) => `${who}: ${what}`);
  }
}

/** Effects on calls, from the next one on. */
function calls({ subject, fields }: CatalogDiff.CatalogChange, { usd }: PlanHoldings): string[] {
  return fields.flatMap(({ name, to, severity }) => {
    if (name === 'price_usd')
      return usd > 0 ? [`credit pays ${to} USD from the next call on; included units count as before`] : [];
    if (name.startsWith('prices.')) return meterPrice(name, to, severity, usd);
    if (subject === 'service' || severity === 'harmless') return [];
    if (name === 'max_cost_usd') return [`a call may cost up to ${to} USD`];
    return [name === 'service' ? 'it may no longer cover this' : 'a call may cost more units'];
  });
}

/** The effect of a changed price of one meter. `to`: the new price in words; null: it is gone, and the price of all others may apply. */
function meterPrice(name: string, to: string | null, severity: CatalogDiff.Severity, usd: number): string[] {
  if (severity === 'takes_away')
    return [`calls at the price ${name.slice('prices.'.length)} are refused from the next one on`];
  return to !== null && usd > 0 ? [`${name} is ${to} from the next call on`] : [];
}

/** Effects on the terms of a plan. A subscription keeps the price and units of its purchase for as long as it renews. */
function terms(
  { deed, fields }: CatalogDiff.CatalogChange,
  plan: Plan,
  planHoldings: PlanHoldings,
): string[] {
  if (deed === 'removed') return ['their holdings become unusable'];
  const said = fields.flatMap(({ name, from, to, severity }) => {
    switch (name) {
      case 'price_usd':
      case 'every':
      case 'included':
      case 'included_usd':
      case 'included_usd_when_claimed':
      case 'included_when_claimed':
      case 'rollover':
      case 'grace_days':
        return ['bought'];
      case 'min_usd':
      case 'max_usd':
        return ['the new limits apply to new purchases; agreed top-ups do not change'];
      case 'covers':
        return severity === 'harmless'
          ? [`it covers ${to} at once`]
          : [`it covers ${to} instead of ${from} at once`];
      case 'all_per_hour':
      case 'all_usd_per_hour':
        return ['the new limit of all trials applies at once'];
      case 'once_per':
        return ['they keep their units; the new rule applies to new accounts'];
      case 'requests_per_second':
        return [`${to} calls a second at once`];
      default:
        return [];
    }
  });
  const isBought = said.includes('bought');
  const others = said.filter((one) => one !== 'bought');
  const stay = deed === 'retired' ? ['it can no longer be bought; they can use up their balance'] : [];
  if (deed === 'retired' && planHoldings.periods.length > 0)
    stay.push('subscriptions renew until they are cancelled');
  if (deed === 'retired' && planHoldings.topUps > 0)
    stay.push('agreed top-ups continue until they are cancelled');
  return [...stay, ...(isBought ? [kept(plan, planHoldings)] : []), ...others];
}

/** Describes what current holders keep. */
function kept(plan: Plan, { periods }: PlanHoldings): string {
  if (plan.kind !== 'subscription')
    return `they keep their ${plan.kind === 'trial' && plan.included.asset === 'usd' ? 'dollars' : 'units'}; the new terms apply to new accounts`;
  const bought = periods.map(
    ({ accounts, price, every, units, asset }) =>
      `${count(accounts, 'subscriber')} ${accounts === 1 ? 'keeps' : 'keep'} ${Money.format(price)} USD a ${every} for ${Included.describe({ asset, amount: units }, 'unit')} at every renewal; `,
  );
  return `${bought.join('')}the new terms apply to new subscribers and to changes of plan`;
}

/** Formats holdings: `start: 2 subscribers, 340.00 USD and 5 units unused in 12 accounts`. A subscriber with unused units is counted in both. */
function holding({
  plan,
  accounts,
  usd,
  units,
  periods,
  coming,
  topUps,
  promotions,
  offers,
}: PlanHoldings): string {
  const held = [usd > 0 && `${Money.format(usd)} USD`, units > 0 && count(units, 'unit')].filter(Boolean);
  const subscribers = periods.reduce((sum, period) => sum + period.accounts, 0);
  const facts = [
    subscribers > 0 && count(subscribers, 'subscriber'),
    accounts > 0 && `${held.join(' and ')} unused in ${count(accounts, 'account')}`,
    coming > 0 && `${count(coming, 'subscriber')} to come`,
    topUps > 0 && count(topUps, 'agreed top-up'),
    promotions > 0 && count(promotions, 'promotion code'),
    offers > 0 && count(offers, 'unpaid order'),
  ];
  return `${plan}: ${facts.filter(Boolean).join(', ')}`;
}

function count(many: number, noun: string): string {
  return `${many} ${noun}${many === 1 ? '' : 's'}`;
}

function plansOf({ plans, retired }: Catalog): Plan[] {
  return [...plans, ...retired];
}

const marks: Readonly<Record<CatalogDiff.Severity, string>> = {
  harmless: ' ',
  raises_price: '!',
  takes_away: '-',
};

/** Formats the effects as lines of text. `!` marks a price increase, `-` a loss. */
export function inWords({ changes, refusals, warnings }: Impacts): string[] {
  return [
    ...changes.flatMap(({ subject, id, deed, severity, fields, says }) => [
      `${marks[severity]} ${[subject, id, deed].filter(Boolean).join(' ')}`,
      ...fields.map(
        ({ name, from, to }) => `      ${name}: ${[from, to].filter((it) => it !== null).join(' -> ')}`,
      ),
      ...says.map((what) => `    * ${what}`),
    ]),
    ...warnings.map((warning) => `? ${warning}`),
    ...refusals.map((refusal) => `x ${refusal}`),
  ];
}
