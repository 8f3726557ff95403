import * as Money from '../kernel/money.ts';
import type { Catalog } from './catalog.ts';
import * as Difference from './difference.ts';
import type { Plan } from './plan.ts';
import type { Stake } from './stake.ts';

/** One change, and what it means for those who have bought: a sentence for each plan that they hold. */
export type Consequence = Difference.Change & { says: readonly string[] };

/** All that taking a catalogue means. `refusals`: why it is not to be taken as it is; nothing where it may be. */
export type Consequences = {
  severity: Difference.Severity;
  changes: readonly Consequence[];
  refusals: readonly string[];
  /** What is wrong with either, and no reason to keep the one that runs. */
  warnings: readonly string[];
};

/** What `after` in place of `before` means for those who hold `stakes`. */
export function of(before: Catalog, after: Catalog, stakes: readonly Stake[]): Consequences {
  const known = new Map(plansOf(before).map((plan) => [plan.id, plan]));
  const changes = Difference.between(before, after).map((change) => ({
    ...change,
    says: change.plans.flatMap((id) => {
      const stake = stakes.find(({ plan }) => plan === id);
      const plan = known.get(id);
      return stake && plan ? means(change, plan, stake) : [];
    }),
  }));
  return {
    severity: Difference.worst(changes.map(({ severity }) => severity)),
    changes,
    refusals: refusals(before, after, stakes),
    warnings: unusable(after, stakes)
      .filter(({ id }) => !known.has(id))
      .map(({ says }) => says),
  };
}

/** What accounts hold of plans that `catalog` does not know: nothing opens for it, and no call can draw on it. */
export function unusable(catalog: Catalog, stakes: readonly Stake[]): { id: string; says: string }[] {
  const known = new Set(plansOf(catalog).map(({ id }) => id));
  return stakes
    .filter(({ plan, accounts, periods }) => !known.has(plan) && accounts + periods.length > 0)
    .map((stake) => ({
      id: stake.plan,
      says: `There is no plan ${holding(stake)}. Put it back with "retired: true"`,
    }));
}

/**
 * What was paid for has to stay of use. A plan for money is retired first, so that nobody buys it while it goes, and left out once
 * nobody has anything of it.
 */
function refusals(before: Catalog, after: Catalog, stakes: readonly Stake[]): string[] {
  const sold = new Set(before.plans);
  const fresh = new Map(plansOf(after).map((plan) => [plan.id, plan]));
  return plansOf(before).flatMap((plan) => {
    const { id, kind } = plan;
    const next = fresh.get(id);
    if (kind === 'trial' || next?.kind === kind) return [];
    const what = next ? `cannot become a ${next.kind} plan` : 'cannot be left out';
    const stake = stakes.find((one) => one.plan === id);
    if (stake)
      return [`Plan ${id} ${what} (${holding(stake)}). Keep it with "retired: true" until that has ended`];
    if (sold.has(plan))
      return [
        `Plan ${id} ${what} while it is sold: take it with "retired: true" first, so that nobody buys it meanwhile`,
      ];
    return [];
  });
}

/** What a change means for those who hold a stake of `plan`. */
function means(change: Difference.Change, plan: Plan, stake: Stake): string[] {
  const who = holding(stake);
  switch (change.subject) {
    case 'shop':
      return [];
    case 'service':
    case 'operation':
      if (stake.accounts === 0) return [];
      if (change.deed === 'removed') return [`${who}: it opens this no more`];
      return calls(change, stake).map((what) => `${who}: ${what}`);
    case 'plan':
      return terms(change, plan, stake).map((what) => `${who}: ${what}`);
  }
}

/** From the next call on. */
function calls({ subject, fields }: Difference.Change, { usd }: Stake): string[] {
  return fields.flatMap(({ name, to, severity }) => {
    if (name === 'price_usd')
      return usd > 0 ? [`credit pays ${to} USD from the next call on; included units count as before`] : [];
    if (subject === 'service' || severity === 'harmless') return [];
    return [name === 'service' ? 'it may open this no more' : 'a call may cost more units'];
  });
}

/** What is bought is bought: a period keeps its price and units for as long as it renews. */
function terms({ deed, fields }: Difference.Change, plan: Plan, stake: Stake): string[] {
  if (deed === 'removed') return ['what they hold is of no use any more'];
  const said = fields.flatMap(({ name, from, to, severity }) => {
    switch (name) {
      case 'price_usd':
      case 'every':
      case 'included':
      case 'included_when_claimed':
      case 'rollover':
      case 'grace_days':
        return ['bought'];
      case 'min_usd':
      case 'max_usd':
        return ['purchases from now on are held to the new bounds; agreed top-ups stay as they are'];
      case 'covers':
        return severity === 'harmless'
          ? [`it opens ${to} at once`]
          : [`it opens ${to} in place of ${from} at once`];
      case 'requests_per_second':
        return [`${to} calls a second at once`];
      default:
        return [];
    }
  });
  const isBought = said.includes('bought');
  const others = said.filter((one) => one !== 'bought');
  const stay = deed === 'retired' ? ['nobody else can buy it; they use up what they have'] : [];
  if (deed === 'retired' && stake.periods.length > 0) stay.push('what renews goes on until it is ended');
  if (deed === 'retired' && stake.topUps > 0) stay.push('agreed top-ups go on until they are ended');
  return [...stay, ...(isBought ? [kept(plan, stake)] : []), ...others];
}

/** What it says of those who have it already. */
function kept(plan: Plan, { periods }: Stake): string {
  if (plan.kind !== 'subscription')
    return 'they keep what they were given; the new terms are for new accounts';
  const bought = periods.map(
    ({ accounts, price, every, units }) =>
      `${count(accounts, 'account')} ${Money.format(price)} USD a ${every} for ${units} units`,
  );
  return `a renewal costs what they bought it at (${bought.join(', ') || 'there is none'}); the new terms are for who buys it, or changes to it, from now on`;
}

/** `credit: 12 accounts hold 340.00 USD and 5 units`. */
function holding({ plan, accounts, usd, units, periods, coming, topUps, promotions, offers }: Stake): string {
  const held = [usd > 0 && `${Money.format(usd)} USD`, units > 0 && count(units, 'unit')].filter(Boolean);
  const subscribers = periods.reduce((sum, period) => sum + period.accounts, 0);
  const facts = [
    accounts > 0 && `${count(accounts, 'account')} with ${held.join(' and ')}`,
    subscribers > 0 && count(subscribers, 'subscriber'),
    coming > 0 && `${count(coming, 'subscriber')} to come`,
    topUps > 0 && count(topUps, 'agreed top-up'),
    promotions > 0 && count(promotions, 'promotion'),
    offers > 0 && `${count(offers, 'offer')} that may still be paid`,
  ];
  return `${plan}: ${facts.filter(Boolean).join(', ')}`;
}

function count(many: number, noun: string): string {
  return `${many} ${noun}${many === 1 ? '' : 's'}`;
}

function plansOf({ plans, retired }: Catalog): Plan[] {
  return [...plans, ...retired];
}

const marks: Readonly<Record<Difference.Severity, string>> = {
  harmless: ' ',
  raises_price: '!',
  takes_away: '-',
};

/** All of it as lines for a person. `!` raises a price, `-` takes something away. */
export function inWords({ changes, refusals, warnings }: Consequences): string[] {
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
