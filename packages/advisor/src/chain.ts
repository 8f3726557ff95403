import * as Evidence from './evidence.ts';
import type { Filling } from './filling.ts';
import type { Goal } from './goal.ts';
import type * as Key from './key.ts';
import type { Leaf } from './leaf.ts';
import type { Ask, Offer, Surface } from './surface.ts';

/** The source of a value that a call in a chain needs. */
export type Source =
  | { kind: 'given'; ask: Ask; given: Exclude<Key.Given, null> }
  | { kind: 'call'; ask: Ask; call: number; leaf: Leaf }
  /** The value is missing: neither the goal nor an earlier call provides it. */
  | { kind: 'missing'; ask: Ask };

/** One operation of a chain; `call` of a source counts from 0. */
export type Link = { offer: Offer; sources: readonly Source[]; filling: Filling };
/** `share` says how much of the goal is accounted for, from 0 to 1. */
export type Chain = {
  links: readonly Link[];
  score: number;
  share: number;
  /** True when the goal names one of its operations by a word that is not only context. */
  isNamed: boolean;
};

const linkCountMax = 5;
const depthMax = 2;
const targetCountMax = 6;
/** Ways to one operation that are followed further. */
const wayCountMax = 4;
/** The costs of a further call, of a value that an earlier call or the caller must provide, and of a promised value. */
const cost = { call: 0.5, missing: 1.3, asked: 0.5, said: 0.15 };
/** The weight of a given value that only narrows a search. */
const optional = 0.85;
/** The minimum gain for which a call is added. */
const gainMin = 0.15;

type Ways = readonly (readonly Link[])[];
/** One planning: its evidence, and the ways to each operation by depth that were found so far. */
type Planning = Evidence.Evidence & { known: Map<string, Ways>; weighty: readonly number[] };

/** The chain of operations that accounts for most of the goal at the least expense; null where none accounts for anything. */
export function plan(goal: Goal, surface: Surface): Chain | null {
  const evidence = Evidence.weigh(goal, surface);
  const weighty = [...evidence.weights.keys()].filter((index) => evidence.weights[index] !== 0);
  const planning = { ...evidence, weighty, known: new Map<string, Ways>() };
  const targets = surface.offers
    .map((offer) => ({ offer, score: judge(planning, [alone(planning, offer)]).score }))
    .sort((a, b) => b.score - a.score || a.offer.at - b.offer.at)
    .slice(0, targetCountMax);
  let best: Chain | null = null;
  for (const { offer } of targets) {
    for (const links of ways(planning, offer, depthMax)) {
      const chain = grow(planning, links);
      if (best === null || worth(chain) > worth(best) + 1e-9) best = chain;
    }
  }
  return best === null || best.share === 0 ? null : { ...best, links: ordered(planning, best.links) };
}

/** Of two chains the shorter, unless each further call of the longer brings enough. */
function worth({ links, score }: Chain): number {
  return score - links.length * gainMin;
}

function alone({ fillings }: Planning, offer: Offer, sources: readonly Source[] = []): Link {
  return { offer, sources, filling: fillings[offer.at] ?? { fills: [], used: new Set() } };
}

/** The best ways to a call of `offer`: itself, behind whatever finds what it is asked about. */
function ways(planning: Planning, offer: Offer, depth: number): Ways {
  const key = `${offer.at} ${depth}`;
  const known = planning.known.get(key);
  if (known !== undefined) return known;
  let found: { before: readonly Link[]; sources: readonly Source[] }[] = [{ before: [], sources: [] }];
  for (const ask of offer.asks) {
    const given = planning.given.get(ask) ?? null;
    if (given !== null && (ask.slot.isKey || given.kind === 'values')) {
      found = found.map(({ before, sources }) => ({
        before,
        sources: [...sources, { kind: 'given', ask, given }],
      }));
      continue;
    }
    const behind = depth === 0 ? [] : makers(planning, ask, offer, depth);
    found = found.flatMap(({ before, sources }) => [
      { before, sources: ask.slot.isKey ? [...sources, { kind: 'missing' as const, ask }] : sources },
      ...(before.length > 0 ? [] : behind).map(({ links, leaf }) => ({
        before: links,
        sources: [...sources, { kind: 'call' as const, ask, call: links.length - 1, leaf }],
      })),
    ]);
  }
  const all = found.map(({ before, sources }) => [...before, alone(planning, offer, sources)]);
  const best = all
    .map((links) => ({ links, score: judge(planning, links).score }))
    .sort((a, b) => b.score - a.score)
    .slice(0, wayCountMax)
    .map(({ links }) => links);
  planning.known.set(key, best);
  return best;
}

/** The ways to what finds the values for `ask`. An optional slot is worth a call only where that call knows what the goal gives. */
function makers(
  planning: Planning,
  ask: Ask,
  offer: Offer,
  depth: number,
): { links: readonly Link[]; leaf: Leaf }[] {
  return ask.makers.flatMap(({ at, leaf }) => {
    const maker = planning.surface.offers[at];
    if (maker === undefined || (!ask.slot.isKey && !knowsValues(planning, maker))) return [];
    return ways(planning, maker, depth - 1)
      .filter((links) => links.length < linkCountMax && links.every((link) => link.offer !== offer))
      .map((links) => ({ links, leaf }));
  });
}

function knowsValues({ given }: Planning, { asks }: Offer): boolean {
  const keys = asks.filter(({ slot }) => slot.isKey);
  return keys.length > 0 && keys.every((ask) => given.get(ask)?.kind === 'values');
}

/** Adds calls for what a chain leaves unexplained, as long as each is worth it. */
function grow(planning: Planning, start: readonly Link[]): Chain {
  let chain = judge(planning, start);
  while (chain.links.length < linkCountMax) {
    let better: Chain | null = null;
    for (const offer of planning.surface.offers) {
      if (chain.links.some((link) => link.offer === offer)) continue;
      const link = attach(planning, chain.links, offer);
      const next = link === null ? null : judge(planning, [...chain.links, link]);
      if (next !== null && next.score > (better?.score ?? chain.score + gainMin) + 1e-9) better = next;
    }
    if (better === null) return chain;
    chain = better;
  }
  return chain;
}

/** Returns a call that uses what the chain has or was given; null when it would not be connected to the chain. */
function attach(planning: Planning, links: readonly Link[], offer: Offer): Link | null {
  const keys = offer.asks.filter(({ slot }) => slot.isKey);
  const sources = keys.map((ask): Source => {
    const given = planning.given.get(ask) ?? null;
    if (given !== null) return { kind: 'given', ask, given };
    for (const { at, leaf } of ask.makers) {
      const call = links.findIndex((link) => link.offer.at === at);
      if (call >= 0) return { kind: 'call', ask, call, leaf };
    }
    return { kind: 'missing', ask };
  });
  const before = links.flatMap((link) => link.sources);
  const goesOn = sources.some(
    (source) =>
      source.kind === 'call' ||
      before.some((other) => other.kind === source.kind && name(other.ask) === name(source.ask)),
  );
  return goesOn && isNamed(planning, links, offer) ? alone(planning, offer, sources) : null;
}

/** Returns true when a word of the goal names `offer` and no operation of the chain. */
function isNamed({ weights, named, explained }: Planning, links: readonly Link[], offer: Offer): boolean {
  return weights.some((weighed, index) => {
    const share = named[offer.at]?.[index] ?? 0;
    return (
      weighed > 0 && share >= 0.9 && links.every((link) => (explained[link.offer.at]?.[index] ?? 0) < share)
    );
  });
}

function name({ slot }: Ask): string {
  return slot.leaf.path.join('.');
}

/** Returns the share of each word that the links take as a given value. */
function givenShares(links: readonly Link[]): Map<number, number> {
  const shares = new Map<number, number>();
  for (const source of links.flatMap(({ sources }) => sources)) {
    if (source.kind !== 'given') continue;
    const share = source.ask.slot.isKey ? 1 : optional;
    for (const index of source.given.at) shares.set(index, Math.max(shares.get(index) ?? 0, share));
  }
  return shares;
}

/** Sums the costs of a chain: its calls, their excess, promised values, and each missing value once. */
function expense(links: readonly Link[], excess: readonly number[]): number {
  const missing = new Map<string, number>();
  let spent = 0;
  for (const { offer, sources } of links) {
    spent += cost.call + (excess[offer.at] ?? 0);
    for (const source of sources) {
      if (source.kind === 'missing')
        missing.set(name(source.ask), source.ask.makers.length > 0 ? cost.missing : cost.asked);
      if (source.kind === 'given' && source.given.kind === 'said') spent += cost.said;
    }
  }
  return [...missing.values()].reduce((total, each) => total + each, spent);
}

/** Scores a chain: the weight of the words it accounts for, minus its costs. */
function judge({ weights, weighty, explained, named, excess }: Planning, links: readonly Link[]): Chain {
  const given = givenShares(links);
  let [gained, all, isNamed] = [0, 0, false];
  for (const index of weighty) {
    const weighed = weights[index] ?? 0;
    let share = given.get(index) ?? 0;
    for (const { offer } of links) share = Math.max(share, explained[offer.at]?.[index] ?? 0);
    isNamed ||= links.some(({ offer }) => (named[offer.at]?.[index] ?? 0) >= 0.5);
    gained += weighed * share;
    all += weighed;
  }
  return {
    links,
    score: gained - expense(links, excess),
    share: all === 0 ? 0 : gained / all,
    isNamed,
  };
}

/** Calls that wait for no other go in the order in which the goal speaks of them. */
function ordered({ goal, explained }: Planning, links: readonly Link[]): Link[] {
  const spoken = links.map(({ offer }) => {
    const others = links.filter((other) => other.offer !== offer);
    const first = (explained[offer.at] ?? []).findIndex(
      (share, index) =>
        share >= 1 &&
        goal.words[index]?.mention === null &&
        others.every((other) => (explained[other.offer.at]?.[index] ?? 0) < share),
    );
    return first < 0 ? links.length + goal.words.length : first;
  });
  const order: number[] = [];
  while (order.length < links.length) {
    const [next] = [...links.keys()]
      .filter(
        (at) =>
          !order.includes(at) &&
          (links[at]?.sources ?? []).every((source) => source.kind !== 'call' || order.includes(source.call)),
      )
      .sort((a, b) => (spoken[a] ?? 0) - (spoken[b] ?? 0) || a - b);
    if (next === undefined) break;
    order.push(next);
  }
  return order.flatMap((at) => {
    const link = links[at];
    if (link === undefined) return [];
    return [
      {
        ...link,
        sources: link.sources.map((source) =>
          source.kind === 'call' ? { ...source, call: order.indexOf(source.call) } : source,
        ),
      },
    ];
  });
}
