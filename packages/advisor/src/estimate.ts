import * as Money from '@sluice/kernel/money';
import { finding, type Link } from './chain.ts';
import type { Goal } from './goal.ts';
import type { Offer } from './offer.ts';

/** The estimate for one operation of a chain: its calls, and the range of units they may cost. */
export type Step = {
  calls: number;
  /** The number of pages per question, as each response is one page. */
  pages: number;
  /** The number of units that each call asks for; null for an operation without such a parameter. */
  amount: number | null;
  units: Range;
  cost: { low: Money.Money; high: Money.Money };
};
export type Range = { low: number; high: number };

/** A number that people say is no count of results above this; costs stay far within what money can hold. */
export const countMax = 10_000_000;
const one: Range = { low: 1, high: 1 };

/** Estimates each operation of a chain. @param quantity the number of results wanted; overrides a number in the goal */
export function estimateSteps(links: readonly Link[], goal: Goal, quantity: number | null): Step[] {
  const counts = assign(links, goal, quantity);
  const results: Range[] = [];
  return links.map((link, at) => {
    const subjects = subjectsOf(link, results);
    const step = taking(link.offer, subjects, counts[at] ?? null);
    results.push(resultsOf(link.offer, subjects, step.units));
    return step;
  });
}

function taking({ operation, slots }: Offer, subjects: Range, count: number | null): Step {
  const { unitsMax, yield: share, units: counted, service } = operation;
  const priced = (units: Range, pages: number, amount: number | null): Step => {
    const capped = { low: Math.min(units.low, countMax * 100), high: Math.min(units.high, countMax * 100) };
    return {
      calls: Math.min(subjects.high * pages, countMax),
      pages,
      amount,
      units: capped,
      cost: { low: Money.times(service.price, capped.low), high: Money.times(service.price, capped.high) },
    };
  };
  // The cost by meters is known when the request is written.
  if (counted.kind === 'meters') return priced({ low: 0, high: 0 }, 1, null);
  if (counted.kind === 'fixed')
    return priced({ low: subjects.low * counted.units, high: subjects.high * counted.units }, 1, null);
  const hasAmount = unitsMax.kind === 'pointer' && slots.some(({ kind }) => kind === 'amount');
  const wanted = unitsMax.kind === 'fixed' ? unitsMax.units : Math.min(count ?? unitsMax.default, countMax);
  const page = unitsMax.kind === 'fixed' ? unitsMax.units : Math.min(wanted, unitsMax.ceiling);
  const units = {
    low: Math.floor(subjects.low * wanted * share.low + 1e-9),
    high: Math.ceil(subjects.high * wanted * share.high - 1e-9),
  };
  return priced(units, Math.ceil(wanted / Math.max(page, 1)), hasAmount ? page : null);
}

/** Returns the number of subjects an operation is called for: the given values, or the results of the call before it. */
function subjectsOf({ sources }: Link, results: readonly Range[]): Range {
  for (const { kind, ask, ...source } of sources.map((it) => ({ given: null, call: -1, ...it }))) {
    if (!ask.slot.isKey) continue;
    if (kind === 'call') return results[source.call] ?? one;
    if (kind !== 'given' || source.given === null) continue;
    const count =
      source.given.kind === 'values'
        ? source.given.values.length
        : Math.min(source.given.count ?? 1, countMax);
    return { low: count, high: count };
  }
  return one;
}

function resultsOf({ operation }: Offer, subjects: Range, units: Range): Range {
  return operation.units.kind === 'pointer' ? units : subjects;
}

/** Assigns the numbers of a goal to operations: to the operation whose name follows the number, otherwise to the first that takes one. */
function assign(links: readonly Link[], goal: Goal, quantity: number | null): (number | null)[] {
  const counts = goal.mentions.flatMap((mention) =>
    mention.kind === 'quantity' && mention.quantity.kind === 'count'
      ? [{ count: mention.quantity.count, each: mention.quantity.each, about: mention.about }]
      : [],
  );
  const said = new Set(
    links.flatMap(({ sources }) =>
      sources.flatMap((source) =>
        source.kind === 'given' && source.given.kind === 'said' ? [source.given.count] : [],
      ),
    ),
  );
  const free = counts.filter(({ count }) => !said.has(count));
  const one = finding(links);
  const takers = links.map(({ offer }, at) => offer.operation.unitsMax.kind === 'pointer' && !one.has(at));
  const assigned: (number | null)[] = links.map((_, at) => (one.has(at) ? 1 : null));
  const first = takers.indexOf(true);
  for (const { count, each, about } of free) {
    const named = links.findIndex(
      ({ offer }, at) =>
        takers[at] === true &&
        assigned[at] === null &&
        about.slice(0, 3).some((word) => offer.heads.has(word)),
    );
    const at = each ? takers.lastIndexOf(true) : named >= 0 ? named : first;
    if (at >= 0 && assigned[at] === null) assigned[at] = count;
  }
  if (quantity !== null && first >= 0) assigned[first] = quantity;
  if (first >= 0 && assigned[first] === null && isOne(goal)) assigned[first] = 1;
  return assigned;
}

/** Returns true when the goal asks for a single result: the best contact, the right person. */
function isOne({ text }: Goal): boolean {
  return /\b(?:best|right|key|single) (?:contact|person)\b(?! s)/i.test(text);
}
