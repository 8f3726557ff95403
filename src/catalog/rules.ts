import * as Money from '../kernel/money.ts';
import { nearest } from '../kernel/nearest.ts';
import * as OperationRules from './operation-rules.ts';
import * as Place from './place.ts';

/** The least and the most that the card processor charges at once, in USD: 0.50, and eight digits of cents. */
const chargeMin = Money.ofCents(50);
const chargeMax = Money.ofCents(99_999_999);

/** Headers that frame or route the request, which the key would break. */
const framing: ReadonlySet<string> = new Set([
  'connection',
  'content-encoding',
  'content-length',
  'content-type',
  'expect',
  'host',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** What the schema cannot say. Each rule passes over what the schema has refused already, so that both can speak at once. */
export function check(root: Place.Place): Place.Finding[] {
  const services = Place.items(Place.member(root, 'services'));
  const plans = Place.items(Place.member(root, 'plans'));
  const sold = plans.filter((plan) => Place.member(plan, 'retired').value !== true);
  const slugs = services.map((service) => Place.member(service, 'slug'));
  return [
    ...keyHeader(Place.member(Place.member(Place.member(root, 'upstream'), 'key'), 'header')),
    ...repeated(slugs),
    ...services.flatMap((service) => amount(Place.member(service, 'price_usd'))),
    ...OperationRules.check(root),
    ...repeated(plans.map((plan) => Place.member(plan, 'id'))),
    ...onlyOne(sold, 'trial'),
    ...onlyOne(sold, 'credit'),
    ...plans.flatMap(charges),
    ...plans.flatMap((plan) => covered(plan, slugs)),
    ...uncovered(slugs, sold),
  ];
}

function keyHeader(header: Place.Place): Place.Finding[] {
  const name = Place.text(header);
  if (name === null || !framing.has(name.toLowerCase())) return [];
  return [
    {
      path: header.path,
      reason: `header ${name} carries the request itself: choose the one that bears the key`,
    },
  ];
}

function repeated(places: readonly Place.Place[]): Place.Finding[] {
  const first = new Map<string, Place.Place>();
  return places.flatMap((place) => {
    const text = Place.text(place);
    if (text === null) return [];
    const earlier = first.get(text);
    if (earlier === undefined) {
      first.set(text, place);
      return [];
    }
    const reason = `${Place.name(place.path)} "${text}" is taken by ${Place.format(earlier.path)}: choose another`;
    return [{ path: place.path, reason }];
  });
}

/** A new account gets one trial, and credit of one kind is sold. */
function onlyOne(plans: readonly Place.Place[], kind: string): Place.Finding[] {
  const [first, ...more] = plans.map((plan) => Place.member(plan, 'kind')).filter((it) => it.value === kind);
  if (first === undefined) return [];
  return more.map(({ path }) => ({
    path,
    reason: `kind ${kind} is taken by ${Place.format(first.path.slice(0, -1))}: a shop has at most one such plan`,
  }));
}

/** The schema has seen to the digits. */
function amount(place: Place.Place): Place.Finding[] {
  const text = Place.text(place);
  if (text === null || !/^\d+(\.\d+)?$/.test(text) || Money.parse(text) !== null) return [];
  return [
    {
      path: place.path,
      reason: `${Place.name(place.path)} "${text}" is above ${Money.usdMax} USD: lower it`,
    },
  ];
}

/** What a card is charged for a plan. */
function charges(plan: Place.Place): Place.Finding[] {
  switch (Place.member(plan, 'kind').value) {
    case 'subscription':
      return charge(Place.member(plan, 'price_usd'));
    case 'credit': {
      const min = Place.member(plan, 'min_usd');
      const max = Place.member(plan, 'max_usd');
      return [...charge(min), ...charge(max), ...ordered(min, max)];
    }
    default:
      return [];
  }
}

function charge(place: Place.Place): Place.Finding[] {
  const money = Money.parse(Place.text(place) ?? '');
  if (money === null) return amount(place);
  const says = `${Place.name(place.path)} "${place.value}"`;
  const find = (reason: string) => [{ path: place.path, reason: `${says} ${reason}` }];
  if (money < chargeMin)
    return find(`is below what a card can be charged: write at least "${Money.format(chargeMin)}"`);
  if (money > chargeMax)
    return find(`is above what a card can be charged: write at most "${Money.format(chargeMax)}"`);
  if (Money.toCents(money) === null)
    return find('has fractions of a cent, which no card can be charged: write two decimals');
  return [];
}

function ordered(min: Place.Place, max: Place.Place): Place.Finding[] {
  const least = Money.parse(Place.text(min) ?? '');
  const most = Money.parse(Place.text(max) ?? '');
  if (least === null || most === null || least <= most) return [];
  return [
    {
      path: min.path,
      reason: `min_usd "${min.value}" is above max_usd "${max.value}": lower it or raise max_usd`,
    },
  ];
}

function covered(plan: Place.Place, slugs: readonly Place.Place[]): Place.Finding[] {
  const names = slugs.flatMap((slug) => Place.text(slug) ?? []);
  return Place.items(Place.member(plan, 'covers')).flatMap((item) => {
    const slug = Place.text(item);
    if (slug === null || names.includes(slug)) return [];
    const near = nearest(slug, names);
    const mend = near === null ? `the services are ${names.join(', ')}` : `did you mean "${near}"?`;
    return [{ path: item.path, reason: `${Place.name(item.path)} "${slug}" is no service: ${mend}` }];
  });
}

/** A service that no plan covers can only ever be refused. A misspelt `covers` is told on its own. */
function uncovered(slugs: readonly Place.Place[], plans: readonly Place.Place[]): Place.Finding[] {
  const covers = plans.map((plan) => Place.member(plan, 'covers'));
  if (covers.length === 0 || covers.some((place) => !Array.isArray(place.value))) return [];
  if (plans.some((plan) => covered(plan, slugs).length > 0)) return [];
  const opened = new Set(covers.flatMap(Place.items).map((item) => item.value));
  return slugs.flatMap((slug) => {
    if (Place.text(slug) === null || opened.has(slug.value)) return [];
    const reason = `slug "${slug.value}" is covered by no plan: add it to the covers of one`;
    return [{ path: slug.path, reason }];
  });
}
