import { type Filling, fill, lookUp } from './filling.ts';
import * as Found from './found.ts';
import type { Goal } from './goal.ts';
import * as Identifier from './identifier.ts';
import * as Key from './key.ts';
import type { Leaf } from './leaf.ts';
import type { Ask, Offer } from './offer.ts';
import type { Reading } from './reader.ts';
import type { Slot } from './slot.ts';
import type { Surface } from './surface.ts';

/** The source of a value that a call in a chain needs. */
export type Source =
  | { kind: 'given'; ask: Ask; given: Exclude<Key.Given, null> }
  | { kind: 'call'; ask: Ask; call: number; leaf: Leaf }
  /** The value is missing: neither the goal nor an earlier call provides it. */
  | { kind: 'missing'; ask: Ask };

/** One operation of a chain; `call` of a source counts from 0. */
export type Link = { offer: Offer; sources: readonly Source[]; filling: Filling };

/** Calls that answer a goal, and how probable it is that these are meant, among all that could be. */
export type Chain = { links: readonly Link[]; probability: number };

/** The operations that are looked at as part of a chain, and the most of one chain. */
const candidateCountMax = 9;
const linkCountMax = 4;
const odds = {
  /** Log-odds are cut here, as one operation must not outweigh all others. */
  most: 5,
  /** A missing value, and one that the caller is likely to have. */
  missing: 1.5,
  said: 0.1,
  /** A literal of the goal that no call takes. */
  idle: 2.5,
  /** Each call but one: people mostly want one thing. Less for a call that takes what an earlier one found. */
  further: 1.2,
  led: -0.3,
  /** The least of a call that takes nothing, is no GET and finds what another needs. */
  searched: -2.5,
  /** The least of an operation that leads from what is given to what is wanted. */
  leading: -0.4,
};
/** The steepness with which the better of two chains is preferred. */
const sharpness = 1;

type Planning = {
  goal: Goal;
  surface: Surface;
  reading: Reading;
  given: ReadonlyMap<Ask, Key.Given>;
  literals: ReadonlySet<number>;
  /** The operations that need numbers of a thing which the goal only names. */
  unfound: ReadonlySet<number>;
};

/** Returns the most probable chains, the best first, with different operations each. */
export function plan(goal: Goal, surface: Surface, reading: Reading): Chain[] {
  const keys = surface.offers.flatMap(({ asks, operation: { path } }) =>
    asks.filter(({ slot }) => slot.isKey).map(({ slot }) => ({ slot, path })),
  );
  const given = new Map(
    surface.offers.flatMap(({ asks, operation: { path } }) =>
      asks.map((ask): [Ask, Key.Given] => [
        ask,
        identified(goal, reading, { slot: ask.slot, path }, keys) ?? Key.given(ask.slot, ask.words, goal),
      ]),
    ),
  );
  const values = [...given].flatMap(([{ slot }, value]) =>
    slot.isKey && value?.kind === 'values' ? value.at : [],
  );
  const unfound = new Set(surface.offers.filter((offer) => Found.isWanted(offer, goal)).map(({ at }) => at));
  const planning: Planning = { goal, surface, reading, given, literals: new Set(values), unfound };
  const candidates = candidatesOf(planning);
  const drafts = subsets(candidates, linkCountMax).map((members) => drafted(planning, members));
  const best = Math.max(...drafts.map(({ score }) => score));
  const total = drafts.reduce((sum, { score }) => sum + Math.exp(sharpness * (score - best)), 0);
  const sorted = drafts.sort((a, b) => b.score - a.score || a.members.length - b.members.length);
  const hits = lookUp(goal, surface.enums.values());
  return sorted.slice(0, 8).map(({ members, sources, score }) => ({
    links: members.flatMap((at, index) => {
      const offer = surface.offers[at];
      return offer === undefined
        ? []
        : [
            {
              offer,
              sources: sources[index] ?? [],
              filling: fill(offer, goal, hits, nameFor(planning, members, at)),
            },
          ];
    }),
    probability: Math.exp(sharpness * (score - best)) / total,
  }));
}

/** Returns the positions of the calls that only find, by a name, the numbers which a later one needs. */
export function finding(links: readonly Link[]): Set<number> {
  return new Set(
    links.flatMap(({ offer, sources }) =>
      sources.flatMap((source) =>
        source.kind === 'call' && !offer.asks.includes(source.ask) ? [source.call] : [],
      ),
    ),
  );
}

/** Returns the operations of the calls that do more than find what a later one needs. */
export function wanted(links: readonly Link[]): Offer[] {
  const finders = finding(links);
  return links.flatMap(({ offer }, at) => (finders.has(at) ? [] : [offer]));
}

/** The most probable operations, and those that find what the first of them need. */
function candidatesOf(planning: Planning): number[] {
  const { offers } = planning.surface;
  const sorted = offers
    .map(({ at }) => at)
    .sort((a, b) => oddsOf(planning, b) - oddsOf(planning, a) || a - b)
    .slice(0, candidateCountMax);
  const finders = sorted
    .filter((at) => planning.unfound.has(at))
    .flatMap((at) => offers[at]?.finders ?? [])
    .map(({ at }) => at);
  return [...new Set([...finders.slice(0, 1), ...sorted])].slice(0, candidateCountMax);
}

/** The identifiers in a goal that a key takes. */
function identified(
  { words }: Goal,
  { identifiers }: Reading,
  key: { slot: Ask['slot']; path: string },
  keys: readonly { slot: Ask['slot']; path: string }[],
): Key.Given {
  if (!key.slot.isKey || identifiers.length === 0) return null;
  const found = Identifier.identifying(key, identifiers, keys);
  if (found.length === 0) return null;
  const at = words.flatMap(({ raw }, index) =>
    found.some(({ value }) => value.split(/[_-]+/).includes(raw) || value === raw) ? [index] : [],
  );
  return { kind: 'values', values: found.map(({ value }) => value), at };
}

function oddsOf({ reading }: Planning, at: number): number {
  return Math.max(-odds.most, Math.min(odds.most, reading.odds[at] ?? -odds.most));
}

type Draft = { members: readonly number[]; sources: readonly (readonly Source[])[]; score: number };

/** Orders some operations so that each finds what it needs, and weighs them. */
function drafted(planning: Planning, chosen: readonly number[]): Draft {
  const members = ordered(planning, chosen);
  const sources = members.map((at, index) => sourcesOf(planning, members.slice(0, index), at));
  // A call that finds what the caller already has leads nowhere.
  const fed = new Set(
    sources
      .flat()
      .flatMap((source) => (source.kind === 'call' && !planning.given.get(source.ask) ? [source.call] : [])),
  );
  const score = members.reduce(
    (sum, at, index) =>
      sum + worth(planning, at, sources[index] ?? [], leastOf(planning, members, index, sources, fed)),
    odds.further,
  );
  const given = sources.flat().flatMap((source) => (source.kind === 'given' ? source.given.at : []));
  const taken = new Set(given);
  const idle = [...planning.literals].some((word) => !taken.has(word));
  return { members, sources, score: score - (idle ? odds.idle : 0) };
}

/** Returns the least that a call counts which leads to a later one; null for any other. */
function leastOf(
  planning: Planning,
  members: readonly number[],
  index: number,
  sources: readonly (readonly Source[])[],
  fed: ReadonlySet<number>,
): number | null {
  const at = members[index] ?? -1;
  if (nameFor(planning, members, at) !== null) return 0;
  const own = sources[index] ?? [];
  if (!fed.has(index) || !own.every(({ kind }) => kind === 'given')) return null;
  const isSearch =
    !planning.reading.isTrained &&
    (planning.surface.offers[at]?.operation.method === 'GET' || oddsOf(planning, at) > odds.searched);
  return own.length > 0 || isSearch ? odds.leading : null;
}

/** Returns the log-odds that one call adds to a chain. */
function worth(planning: Planning, at: number, own: readonly Source[], least: number | null): number {
  const isFound = own.some(({ ask }) => !planning.surface.offers[at]?.asks.includes(ask));
  const isLed = !isFound && own.some(({ kind }) => kind === 'call');
  const cost = least !== null ? 0 : isLed ? odds.led : odds.further;
  const unfound = planning.unfound.has(at) && !isFound ? odds.missing : 0;
  return Math.max(oddsOf(planning, at), least ?? -odds.most) - cost - expense(own) - unfound;
}

/** The doubt about missing values, and about those that the caller claims to have without naming them. */
function expense(sources: readonly Source[]): number {
  return sources.reduce((sum, source) => {
    if (source.kind === 'missing') return sum + odds.missing;
    return source.kind === 'given' && source.given.kind === 'said' ? sum + odds.said : sum;
  }, 0);
}

/** Operations that feed others come first; of the rest, those that callers mostly name first. */
function ordered({ surface, unfound }: Planning, members: readonly number[]): number[] {
  const rest = [...members];
  const done: number[] = [];
  const feeds = (from: number, to: number) =>
    (unfound.has(to) && surface.offers[to]?.finders.some(({ at }) => at === from)) ||
    (surface.offers[to]?.asks.some(
      ({ slot, makers }) => slot.isKey && makers.some(({ at }) => at === from),
    ) ??
      false);
  while (rest.length > 0) {
    const free = rest.filter((at) =>
      rest.every((from) => from === at || !feeds(from, at) || feeds(at, from)),
    );
    const next = (free.length > 0 ? free : rest).sort(
      (a, b) => precedence(surface, b, a) - precedence(surface, a, b) || a - b,
    )[0] as number;
    done.push(next);
    rest.splice(rest.indexOf(next), 1);
  }
  return done;
}

function precedence({ reader }: Surface, first: number, second: number): number {
  return reader().order.get(`${first} ${second}`) ?? 0;
}

/** Returns the sources of the values that a call is asked about: the goal, or an earlier call's response. */
function sourcesOf(planning: Planning, before: readonly number[], at: number): Source[] {
  const { surface, given } = planning;
  const asked = (surface.offers[at]?.asks ?? []).flatMap((ask): Source[] => {
    const own = given.get(ask) ?? null;
    if (own?.kind === 'values') return [{ kind: 'given', ask, given: own }];
    const makers = new Set(ask.makers.map((made) => made.at));
    const call = before.findLastIndex((maker) => makers.has(maker));
    const leaf = ask.makers.find((made) => made.at === before[call])?.leaf;
    if (ask.slot.isKey && leaf !== undefined) return [{ kind: 'call', ask, call, leaf }];
    if (!ask.slot.isKey)
      return leaf !== undefined && knows(surface, given, before[call])
        ? [{ kind: 'call', ask, call, leaf }]
        : [];
    return [own === null ? { kind: 'missing', ask } : { kind: 'given', ask, given: own }];
  });
  return [...asked, ...foundOf(planning, before, at)];
}

/** Returns the numbers that an earlier call finds by the name in the goal. */
function foundOf({ surface, unfound }: Planning, before: readonly number[], at: number): Source[] {
  if (!unfound.has(at)) return [];
  for (const { at: from, values } of surface.offers[at]?.finders ?? []) {
    const call = before.indexOf(from);
    if (call >= 0) return values.map(({ ask, leaf }) => ({ kind: 'call', ask, call, leaf }));
  }
  return [];
}

/** An optional value is worth taking only from a call that knows what the goal gives. */
function knows({ offers }: Surface, given: Planning['given'], at: number | undefined): boolean {
  const keys = (at === undefined ? undefined : offers[at])?.asks.filter(({ slot }) => slot.isKey) ?? [];
  return keys.length > 0 && keys.every((ask) => given.get(ask)?.kind === 'values');
}

function subsets(of: readonly number[], most: number): number[][] {
  let all: number[][] = [[]];
  for (const at of of) all = [...all, ...all.filter((set) => set.length < most).map((set) => [...set, at])];
  return all.filter((set) => set.length > 0);
}

/** Returns the slot that takes the name of what a later call needs. */
function nameFor({ surface, unfound }: Planning, members: readonly number[], at: number): Slot | null {
  const later = members.slice(members.indexOf(at) + 1).filter((other) => unfound.has(other));
  const finders = later.flatMap((other) => surface.offers[other]?.finders ?? []);
  return finders.find((finder) => finder.at === at)?.name ?? null;
}
