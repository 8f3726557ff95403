import type { Goal } from './goal.ts';
import type * as Key from './key.ts';
import type { Leaf } from './leaf.ts';
import * as Nearest from './nearest.ts';
import type { Ask } from './offer.ts';
import type { Reading } from './reader.ts';
import type { Slot } from './slot.ts';
import type { Surface } from './surface.ts';

/** The source of a value that a call in a chain needs. */
export type Source =
  | { kind: 'given'; ask: Ask; given: Exclude<Key.Given, null> }
  | { kind: 'call'; ask: Ask; call: number; leaf: Leaf }
  /** The value is missing: neither the goal nor an earlier call provides it. */
  | { kind: 'missing'; ask: Ask };

/** All that is known of a goal before calls are chosen. */
export type Planning = {
  goal: Goal;
  surface: Surface;
  reading: Reading;
  given: ReadonlyMap<Ask, Key.Given>;
  literals: ReadonlySet<number>;
  /** The operations that need numbers of a thing which the goal only names. */
  unfound: ReadonlySet<number>;
  /** The operations that find a value which the goal gives. */
  returned: ReadonlySet<number>;
};

/** Some operations in the order in which they are called, the sources of what they need, and what speaks for and against them, by name. */
export type Draft = {
  members: readonly number[];
  sources: readonly (readonly Source[])[];
  evidence: Evidence;
};
/** Its weights are learned by `train/chains.ts`. */
export type Evidence = Readonly<Record<string, number>>;

const odds = {
  /** Log-odds are cut here, as one operation must not outweigh all others. */
  most: 5,
  /** The least of a call that takes nothing, is no GET and finds what another needs. */
  searched: -2.5,
  /** The least of an operation that leads from what is given to what is wanted. */
  leading: -0.4,
};

/** Returns the log-odds that an operation is part of the answer. */
export function oddsOf({ reading }: Planning, at: number): number {
  return cut(reading.odds[at] ?? -odds.most);
}

/** Returns the log-odds of an operation in the part of the goal that speaks of it most. */
function partOdds({ reading }: Planning, at: number): number {
  return cut(reading.parts[at]?.odds ?? -odds.most);
}

/** Returns log-odds within what is weighed. */
export function cut(of: number): number {
  return Math.max(-odds.most, Math.min(odds.most, of));
}

/**
 * Orders some operations so that each finds what it needs, and weighs what speaks for them. Two that do not need each other are weighed in both
 * orders where a seller's goals are known.
 */
export function drafts(planning: Planning, chosen: readonly number[]): Draft[] {
  const members = ordered(planning, chosen);
  const own = draft(planning, members);
  if (planning.reading.by !== 'taught' || members.length !== 2) return [own];
  return own.sources.flat().some(({ kind }) => kind === 'call')
    ? [own]
    : [own, draft(planning, members.toReversed())];
}

function draft(planning: Planning, members: readonly number[]): Draft {
  const sources = members.map((at, index) => sourcesOf(planning, members.slice(0, index), at));
  return { members, sources, evidence: evidenceOf(planning, members, sources) };
}

type Add = (name: string, value: number) => void;

function evidenceOf(
  planning: Planning,
  members: readonly number[],
  sources: readonly (readonly Source[])[],
): Evidence {
  const sum: Record<string, number> = {};
  const add: Add = (name, value) => {
    sum[name] = (sum[name] ?? 0) + value;
  };
  addCalls(planning, members, sources, add);
  for (const { kind, ...source } of sources.flat()) {
    if (kind === 'missing') add('missing', 1);
    if (kind === 'missing' && isFindable(planning, source.ask)) add('unsought', 1);
    if (kind === 'given' && 'given' in source && source.given.kind === 'said') add('said', 1);
  }
  const taken = new Set(sources.flat().flatMap((source) => (source.kind === 'given' ? source.given.at : [])));
  if ([...planning.literals].some((word) => !taken.has(word))) add(sum.missing ? 'mistaken' : 'idle', 1);
  const rest = planning.surface.offers.filter(({ at }) => !members.includes(at));
  add('left', Math.max(0, ...rest.map(({ at }) => oddsOf(planning, at))));
  if (planning.reading.parts.length > 0) {
    add('leftPart', Math.max(-odds.most, ...rest.map(({ at }) => partOdds(planning, at))));
    add('lowestPart', Math.min(...members.map((at) => partOdds(planning, at))));
  }
  if (members.length > 1) {
    add(`of${members.length}`, 1);
    add(`several${members.length}`, planning.reading.several);
  }
  if (planning.reading.by !== 'described') addCounts(planning, members, add);
  if (planning.reading.by === 'taught') addNear(planning.reading, members, add);
  return sum;
}

/** Returns true when an operation that needs no key itself finds a missing value. */
function isFindable(planning: Planning, { makers }: Ask): boolean {
  return makers.some(({ at }) => isSearch(planning, at));
}

/** Returns true for an operation that finds things and needs no key itself. */
function isSearch({ surface: { offers }, reading }: Planning, at: number): boolean {
  const offer = offers[at];
  return (
    reading.by !== 'trained' &&
    offer?.operation.method === 'GET' &&
    offer.asks.every(({ slot }) => !slot.isKey)
  );
}

/** The odds of the calls by their roles. */
function addCalls(
  planning: Planning,
  members: readonly number[],
  sources: readonly (readonly Source[])[],
  add: Add,
): void {
  const { surface, unfound, returned } = planning;
  const fed = fedBy(planning, sources);
  let hasMain = false;
  const wanted = [odds.most];
  for (const [index, at] of members.entries()) {
    const own = sources[index] ?? [];
    const isFound = own.some(({ ask }) => !surface.offers[at]?.asks.includes(ask));
    const taking = isFound ? null : takingOf(planning, own);
    const least = leastOf(planning, members, index, sources, fed);
    const value = Math.max(oddsOf(planning, at), least ?? -odds.most);
    const role: string = least === null ? (taking ?? (hasMain ? 'apart' : 'main')) : 'leading';
    hasMain ||= role === 'main';
    if (role !== 'leading') wanted.push(value);
    add(role, 1);
    add(`${role}Odds`, value);
    if (planning.reading.parts.length > 0) add(`${role}Part`, partOdds(planning, at));
    add('unfound', Number(unfound.has(at) && !isFound));
    add('back', Number(taking === 'led' && !fed.has(index) && returned.has(at)));
  }
  add('lowest', Math.min(...wanted));
}

/** The role of a call that takes what an earlier one finds: `linked` when it can do without; null for one that takes nothing. */
function takingOf(planning: Planning, sources: readonly Source[]): 'led' | 'linked' | null {
  const taken = sources.filter(({ kind }) => kind === 'call');
  if (taken.length === 0) return null;
  return taken.every(({ ask }) => isOptional(planning, ask)) ? 'linked' : 'led';
}

/** The positions of calls that find what a later one needs. A call that finds what the caller already has leads nowhere. */
function fedBy(planning: Planning, sources: readonly (readonly Source[])[]): Set<number> {
  return new Set(
    sources
      .flat()
      .flatMap((source) =>
        source.kind === 'call' && !planning.given.get(source.ask) && !isOptional(planning, source.ask)
          ? [source.call]
          : [],
      ),
  );
}

/** A value that an operation can do without; callers' phrases say by themselves if it is looked up. */
function isOptional({ reading }: Planning, { slot }: Ask): boolean {
  return reading.by !== 'trained' && !slot.isKey && !slot.leaf.required;
}

/** Counts callers' goals that have the chain, and each call of it before another. */
function addCounts({ surface }: Planning, members: readonly number[], add: Add): void {
  const { one, pairs, chains } = surface.reader().counts;
  add('seen', Math.log(1 + (chains.get(members.join(' ')) ?? 0)));
  for (const [index, from] of members.entries())
    for (const to of members.slice(index + 1))
      add('pairs', Math.log(((pairs.get(`${from} ${to}`) ?? 0) + 0.5) / ((one[from] ?? 0) + 10)));
}

/** Adds the likeness of goals with the same chain, and the order of two calls in the parts of the goal. */
function addNear({ near, parts }: Reading, members: readonly number[], add: Add): void {
  const { most, share } = near.get(members.join(' ')) ?? { most: 0, share: 0 };
  add('nearMost', most);
  add('nearShare', share);
  add('nearLog', Nearest.logOf(share));
  if (members.length !== 2) return;
  const [first = 0, second = 0] = members.map((at) => parts[at]?.part);
  if (first !== second) add(first < second ? 'straight' : 'turned', 1);
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
    planning.reading.by !== 'trained' &&
    (planning.surface.offers[at]?.operation.method === 'GET' || oddsOf(planning, at) > odds.searched);
  return own.length > 0 || isSearch ? odds.leading : null;
}

/** Operations that feed others come first; of the rest, those that callers mostly name first, and then those that the goal does. */
function ordered({ surface, unfound, reading }: Planning, members: readonly number[]): number[] {
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
      (a, b) =>
        precedence(surface, b, a) - precedence(surface, a, b) ||
        (reading.parts[a]?.part ?? 0) - (reading.parts[b]?.part ?? 0) ||
        a - b,
    )[0] as number;
    done.push(next);
    rest.splice(rest.indexOf(next), 1);
  }
  return done;
}

function precedence({ reader }: Surface, first: number, second: number): number {
  return reader().counts.pairs.get(`${first} ${second}`) ?? 0;
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
    if (!ask.slot.isKey) {
      const made = ask.makers.find((maker) => maker.at === before[call]);
      const isFree = made?.isOwn === true && isSearch(planning, made.at);
      return leaf !== undefined && (isFree || knows(surface, given, before[call]))
        ? [{ kind: 'call', ask, call, leaf }]
        : [];
    }
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

/** Returns the slot that takes the name of what a later call needs. */
export function nameFor({ surface, unfound }: Planning, members: readonly number[], at: number): Slot | null {
  const later = members.slice(members.indexOf(at) + 1).filter((other) => unfound.has(other));
  const finders = later.flatMap((other) => surface.offers[other]?.finders ?? []);
  return finders.find((finder) => finder.at === at)?.name ?? null;
}
