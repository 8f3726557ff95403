import * as Evidence from './evidence.ts';
import type { Filling } from './filling.ts';
import type { Goal } from './goal.ts';
import type * as Key from './key.ts';
import type { Leaf } from './schema.ts';
import type { Ask, Offer, Surface } from './surface.ts';

/** Where a call of a chain takes what it is asked about. */
export type Source =
  | { kind: 'given'; ask: Ask; given: Exclude<Key.Given, null> }
  | { kind: 'call'; ask: Ask; call: number; leaf: Leaf }
  /** Nobody has it yet. */
  | { kind: 'missing'; ask: Ask };

/** One operation of a chain; `call` of a source counts from 0. */
export type Link = { offer: Offer; sources: readonly Source[]; filling: Filling };
/** `share` says how much of the goal is accounted for, from 0 to 1. */
export type Chain = {
  links: readonly Link[];
  score: number;
  share: number;
  /** Whether the goal names one of its operations, by a word that is not only there to say where. */
  isNamed: boolean;
};

const linkCountMax = 5;
const depthMax = 2;
const targetCountMax = 6;
/** Ways to one operation that are followed further. */
const wayCountMax = 4;
/** What each further call, each open question, which another call may answer or only the caller, and each promise of values take. */
const cost = { call: 0.5, missing: 1.3, asked: 0.5, said: 0.15 };
/** How much of what is given counts that only narrows a search. */
const optional = 0.85;
/** What a further call must bring to be worth it. */
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

/** A call that goes on from what the chain has or was given; null where it would stand apart. */
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

/** Whether a word of the goal names `offer`, and none of the chain as well. */
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

/** What a chain is worth: what it accounts for, less what it takes. */
function judge({ weights, weighty, explained, named, excess }: Planning, links: readonly Link[]): Chain {
  const given = new Map<number, number>();
  const missing = new Map<string, number>();
  let spent = 0;
  for (const { offer, sources } of links) {
    spent += cost.call + (excess[offer.at] ?? 0);
    for (const source of sources) {
      if (source.kind === 'missing')
        missing.set(name(source.ask), source.ask.makers.length > 0 ? cost.missing : cost.asked);
      if (source.kind !== 'given') continue;
      if (source.given.kind === 'said') spent += cost.said;
      for (const index of source.given.at)
        given.set(index, Math.max(given.get(index) ?? 0, source.ask.slot.isKey ? 1 : optional));
    }
  }
  let [gained, all, isNamed] = [0, 0, false];
  for (const index of weighty) {
    const weighed = weights[index] ?? 0;
    let share = given.get(index) ?? 0;
    for (const { offer } of links) share = Math.max(share, explained[offer.at]?.[index] ?? 0);
    isNamed ||= links.some(({ offer }) => (named[offer.at]?.[index] ?? 0) >= 0.5);
    gained += weighed * share;
    all += weighed;
  }
  const open = [...missing.values()].reduce((total, each) => total + each, 0);
  return {
    links,
    score: gained - spent - open,
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
