import { hint } from '@sluice/kernel/did-you-mean';
import * as Money from '@sluice/kernel/money';
import * as BodyLimit from './body-limit.ts';
import * as IncludedRules from './included-rules.ts';
import * as MeterRules from './meter-rules.ts';
import * as OperationRules from './operation-rules.ts';
import * as OwnershipChecks from './ownership-checks.ts';
import * as SourceLocation from './source-location.ts';
import * as UpstreamRules from './upstream-rules.ts';

/** Minimum and maximum of a card charge: 0.50 USD, and eight digits of cents. */
const chargeMin = Money.ofCents(50);
const chargeMax = Money.ofCents(99_999_999);

/** Checks the rules that the schema cannot express. Each rule skips values that the schema rejects, so that both can report together. */
export function checkRules(root: SourceLocation.LocatedValue): SourceLocation.Finding[] {
  const services = SourceLocation.items(SourceLocation.member(root, 'services'));
  const plans = SourceLocation.items(SourceLocation.member(root, 'plans'));
  const sold = plans.filter((plan) => SourceLocation.member(plan, 'retired').value !== true);
  const slugs = services.map((service) => SourceLocation.member(service, 'slug'));
  return [
    ...keyHeader(
      SourceLocation.member(SourceLocation.member(SourceLocation.member(root, 'upstream'), 'key'), 'header'),
    ),
    ...UpstreamRules.checkUpstreams(root),
    ...BodyLimit.checkBodyLimit(root),
    ...repeated(slugs),
    ...services.flatMap((service) => amount(SourceLocation.member(service, 'price_usd'))),
    ...OperationRules.checkOperations(root),
    ...OwnershipChecks.checkOwnership(root),
    ...MeterRules.checkMeters(root),
    ...repeated(plans.map((plan) => SourceLocation.member(plan, 'id'))),
    ...onlyOne(sold, 'trial'),
    ...onlyOne(sold, 'credit'),
    ...onlyOneRecommended(sold),
    ...plans.flatMap(charges),
    ...plans.flatMap(IncludedRules.checkIncluded),
    ...plans.flatMap((plan) => covered(plan, slugs)),
    ...uncovered(slugs, sold),
  ];
}

function keyHeader(header: SourceLocation.LocatedValue): SourceLocation.Finding[] {
  const name = SourceLocation.text(header);
  if (name === null || !UpstreamRules.isFraming(name)) return [];
  return [
    {
      path: header.path,
      reason: `header ${name} controls the request itself: choose the header for the key`,
    },
  ];
}

function repeated(places: readonly SourceLocation.LocatedValue[]): SourceLocation.Finding[] {
  const first = new Map<string, SourceLocation.LocatedValue>();
  return places.flatMap((place) => {
    const text = SourceLocation.text(place);
    if (text === null) return [];
    const earlier = first.get(text);
    if (earlier === undefined) {
      first.set(text, place);
      return [];
    }
    const reason = `${SourceLocation.name(place.path)} "${text}" is taken by ${SourceLocation.format(earlier.path)}: choose another`;
    return [{ path: place.path, reason }];
  });
}

/** A shop has at most one trial and one credit plan. */
function onlyOne(plans: readonly SourceLocation.LocatedValue[], kind: string): SourceLocation.Finding[] {
  const [first, ...more] = plans
    .map((plan) => SourceLocation.member(plan, 'kind'))
    .filter((it) => it.value === kind);
  if (first === undefined) return [];
  return more.map(({ path }) => ({
    path,
    reason: `kind ${kind} is taken by ${SourceLocation.format(first.path.slice(0, -1))}: a shop has at most one such plan`,
  }));
}

/** The start page highlights one plan. */
function onlyOneRecommended(plans: readonly SourceLocation.LocatedValue[]): SourceLocation.Finding[] {
  const [first, ...more] = plans
    .map((plan) => SourceLocation.member(plan, 'recommended'))
    .filter(({ value }) => value === true);
  if (first === undefined) return [];
  return more.map(({ path }) => ({
    path,
    reason: `recommended is taken by ${SourceLocation.format(first.path.slice(0, -1))}: recommend one plan`,
  }));
}

/** Checks the maximum; the schema checks the digits. */
function amount(place: SourceLocation.LocatedValue): SourceLocation.Finding[] {
  const text = SourceLocation.text(place);
  if (text === null || !/^\d+(\.\d+)?$/.test(text) || Money.parse(text) !== null) return [];
  return [
    {
      path: place.path,
      reason: `${SourceLocation.name(place.path)} "${text}" is above ${Money.usdMax} USD: lower it`,
    },
  ];
}

/** Checks the amounts that cards are charged for a plan. */
function charges(plan: SourceLocation.LocatedValue): SourceLocation.Finding[] {
  switch (SourceLocation.member(plan, 'kind').value) {
    case 'subscription':
      return charge(SourceLocation.member(plan, 'price_usd'));
    case 'credit': {
      const min = SourceLocation.member(plan, 'min_usd');
      const max = SourceLocation.member(plan, 'max_usd');
      return [...charge(min), ...charge(max), ...ordered(min, max)];
    }
    default:
      return [];
  }
}

function charge(place: SourceLocation.LocatedValue): SourceLocation.Finding[] {
  const money = Money.parse(SourceLocation.text(place) ?? '');
  if (money === null) return amount(place);
  const says = `${SourceLocation.name(place.path)} "${place.value}"`;
  const find = (reason: string) => [{ path: place.path, reason: `${says} ${reason}` }];
  if (money < chargeMin)
    return find(`is below what a card can be charged: write at least "${Money.format(chargeMin)}"`);
  if (money > chargeMax)
    return find(`is above what a card can be charged: write at most "${Money.format(chargeMax)}"`);
  if (Money.toCents(money) === null)
    return find('has fractions of a cent, which no card can be charged: write two decimals');
  return [];
}

function ordered(
  min: SourceLocation.LocatedValue,
  max: SourceLocation.LocatedValue,
): SourceLocation.Finding[] {
  const least = Money.parse(SourceLocation.text(min) ?? '');
  const most = Money.parse(SourceLocation.text(max) ?? '');
  if (least === null || most === null || least <= most) return [];
  return [
    {
      path: min.path,
      reason: `min_usd "${min.value}" is above max_usd "${max.value}": lower it or raise max_usd`,
    },
  ];
}

function covered(
  plan: SourceLocation.LocatedValue,
  slugs: readonly SourceLocation.LocatedValue[],
): SourceLocation.Finding[] {
  const names = slugs.flatMap((slug) => SourceLocation.text(slug) ?? []);
  return SourceLocation.items(SourceLocation.member(plan, 'covers')).flatMap((item) => {
    const slug = SourceLocation.text(item);
    if (slug === null || names.includes(slug)) return [];
    const reason = `${SourceLocation.name(item.path)} "${slug}" is not a service. ${hint(slug, names, 'Services')}`;
    return [{ path: item.path, reason }];
  });
}

/** A service that no plan covers could not be used. A misspelt `covers` is reported separately. */
function uncovered(
  slugs: readonly SourceLocation.LocatedValue[],
  plans: readonly SourceLocation.LocatedValue[],
): SourceLocation.Finding[] {
  const covers = plans.map((plan) => SourceLocation.member(plan, 'covers'));
  if (covers.length === 0 || covers.some((place) => !Array.isArray(place.value))) return [];
  if (plans.some((plan) => covered(plan, slugs).length > 0)) return [];
  const opened = new Set(covers.flatMap(SourceLocation.items).map((item) => item.value));
  return slugs.flatMap((slug) => {
    if (SourceLocation.text(slug) === null || opened.has(slug.value)) return [];
    const reason = `slug "${slug.value}" is covered by no plan: add it to the covers of one`;
    return [{ path: slug.path, reason }];
  });
}
