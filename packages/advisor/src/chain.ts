import * as Draft from './draft.ts';
import { type Filling, fill, lookUp } from './filling.ts';
import * as Found from './found.ts';
import type { Goal } from './goal.ts';
import * as Identifier from './identifier.ts';
import * as Key from './key.ts';
import * as Knowledge from './knowledge.ts';
import * as Located from './located.ts';
import type { Ask, Offer } from './offer.ts';
import * as Ranker from './ranker.ts';
import type { Reading } from './reader.ts';
import type { Surface } from './surface.ts';

/** One operation of a chain; `call` of a source counts from 0. */
export type Link = { offer: Offer; sources: readonly Draft.Source[]; filling: Filling };

/** Calls that answer a goal, and the probability that exactly these are meant. */
export type Chain = { links: readonly Link[]; probability: number };

/** The most probable chains, the best first, and the probabilities that no chain answers the goal, or that it says too little. */
export type Plan = { chains: readonly Chain[]; outside: number; vague: number };

/** The operations that are looked at as part of a chain, the most of one chain, and the chains that are returned. */
const candidateCountMax = 9;
/** The most probable operations whose keys are looked for. */
const soughtCount = 3;
const linkCountMax = 4;
const chainCountMax = 8;

/** Returns the most probable chains, with different operations each. */
export function plan(goal: Goal, surface: Surface, reading: Reading): Plan {
  const planning = prepare(goal, surface, reading);
  const drafts = draftsOf(planning);
  const weights = Knowledge.chainWeights()[reading.by];
  const evidence = [...drafts.map((draft) => draft.evidence), ...othersOf(reading)];
  const shares = Ranker.probabilities(Ranker.scores(weights, evidence));
  const sorted = drafts
    .map((draft, at) => ({ ...draft, probability: shares[at] as number }))
    .sort((a, b) => b.probability - a.probability || a.members.length - b.members.length);
  const hits = lookUp(goal, surface.enums.values());
  const chains = sorted.slice(0, chainCountMax).map(({ members, sources, probability }) => ({
    links: members.map((at, index) => {
      const offer = surface.offers[at] as Offer;
      const filling = fill(offer, goal, hits, Draft.nameFor(planning, members, at));
      return { offer, sources: sources[index] ?? [], filling };
    }),
    probability,
  }));
  return { chains, outside: shares[drafts.length] ?? 0, vague: shares[drafts.length + 1] ?? 0 };
}

/** Finds what the goal gives to each operation. */
export function prepare(goal: Goal, surface: Surface, reading: Reading): Draft.Planning {
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
  const returned = new Set(
    [...given].flatMap(([{ slot, makers }, value]) =>
      slot.isKey && value?.kind === 'values' ? makers.map(({ at }) => at) : [],
    ),
  );
  return { goal, surface, reading, given, literals: new Set(values), unfound, returned };
}

/** Returns all chains of the most probable operations. None finds coordinates that the goal gives, unless it probably asks for that itself. */
export function draftsOf(planning: Draft.Planning): Draft.Draft[] {
  const drafts = subsets(candidatesOf(planning), linkCountMax).flatMap((members) =>
    Draft.drafts(planning, members),
  );
  if (!Located.hasPoint(planning.goal)) return drafts;
  return drafts.filter(
    ({ members }) =>
      !members.some((at, index) => Draft.oddsOf(planning, at) < 0 && isFinder(planning, members, index)),
  );
}

/** Returns true for a call that finds the coordinates which a later one needs. */
function isFinder({ surface }: Draft.Planning, members: readonly number[], index: number): boolean {
  return members
    .slice(index + 1)
    .some((later) => surface.offers[later]?.finders.some(({ at }) => at === members[index]));
}

/** Returns the evidence that no chain answers a goal, and that it says too little. */
export function othersOf({ by, odds, outside, vague, known, near }: Reading): Draft.Evidence[] {
  const most = Draft.cut(Math.max(...odds));
  const { most: nearMost, share: nearShare } = near.get('outside') ?? { most: 0, share: 0 };
  const none = {
    outside: 1,
    outsideOdds: Draft.cut(outside),
    outsideMost: most,
    outsideUnknown: 1 - known,
    ...(by === 'taught' && { outsideNear: nearMost, outsideShare: nearShare }),
  };
  return by === 'described' ? [none] : [none, { vague: 1, vagueOdds: Draft.cut(vague), vagueMost: most }];
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

/** Returns the calls that do more than find what a later one needs, in a text: chains with the same are one reading of a goal. */
export function meaning(links: readonly Link[]): string {
  const finders = finding(links);
  return links.flatMap(({ offer }, at) => (finders.has(at) ? [] : [offer.at])).join(' ');
}

/** The most probable operations, and those that find what the first of them need. */
function candidatesOf(planning: Draft.Planning): number[] {
  const { offers } = planning.surface;
  const odds = (at: number) => planning.reading.odds[at] ?? Number.NEGATIVE_INFINITY;
  const byOdds = (a: number, b: number) => odds(b) - odds(a) || a - b;
  const sorted = offers
    .map(({ at }) => at)
    .sort(byOdds)
    .slice(0, candidateCountMax);
  const finders = sorted
    .filter((at) => planning.unfound.has(at))
    .flatMap((at) => offers[at]?.finders ?? [])
    .map(({ at }) => at);
  const makers = sorted
    .slice(0, soughtCount)
    .flatMap((at) => offers[at]?.asks ?? [])
    .filter((ask) => ask.slot.isKey && !planning.given.get(ask))
    .map((ask) => {
      const own = ask.makers.filter(({ isOwn }) => isOwn);
      return (own.length > 0 ? own : ask.makers).map(({ at }) => at).sort(byOdds)[0] ?? -1;
    })
    .filter((at) => at >= 0);
  return [...new Set([...finders.slice(0, 1), ...sorted.slice(0, soughtCount), ...makers, ...sorted])].slice(
    0,
    candidateCountMax,
  );
}

/** The identifiers in a goal that a key takes. */
function identified(
  { words, text }: Goal,
  { identifiers }: Reading,
  key: { slot: Ask['slot']; path: string },
  keys: readonly { slot: Ask['slot']; path: string }[],
): Key.Given {
  if (!key.slot.isKey) return null;
  const found = Identifier.identifying(key, identifiers, keys).map(({ value }) => value);
  const number = found.length > 0 ? null : Identifier.numbered(text, Identifier.keyOf(key.slot, key.path));
  const values = number === null ? found : [number];
  if (values.length === 0) return null;
  const at = words.flatMap(({ raw }, index) =>
    values.some((value) => value.split(/[_-]+/).includes(raw) || value === raw) ? [index] : [],
  );
  return { kind: 'values', values, at };
}

function subsets(of: readonly number[], most: number): number[][] {
  let all: number[][] = [[]];
  for (const at of of) all = [...all, ...all.filter((set) => set.length < most).map((set) => [...set, at])];
  return all.filter((set) => set.length > 0);
}
