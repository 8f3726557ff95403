import type * as Asked from './asked.ts';
import * as Deed from './deed.ts';
import * as Described from './described.ts';
import * as Identifier from './identifier.ts';
import * as Key from './key.ts';

/** The similarities of a goal and an operation, by name; their weights are learned over many APIs. */
export type Pairing = Readonly<Record<string, number>>;

/** Compares a goal with each operation of an API. */
export function pair(api: Described.Api, asked: Asked.Asked): Pairing[] {
  const fits = api.described.map(
    ({ keys }) =>
      asked.identifiers.filter(({ value }) => keys.some((key) => Identifier.fits(value, key))).length +
      Number(keys.some((key) => Identifier.numbered(asked.literals.text, key) !== null)),
  );
  const deeds = Deed.wanted(asked.actions);
  const anyFit = fits.some((count) => count > 0);
  const weighed = asked.probability.map((value, at) => value * (api.prior[at] as number));
  const sum = weighed.reduce((all, value) => all + value, 0);
  const probability = weighed.map((value) => value / sum);
  const total = 1 + [...asked.names.values()].reduce((sum, weight) => sum + weight, 0);
  const pairs = api.described.map((own, at) => {
    const features: Record<string, number> = {};
    const share = (field: ReadonlySet<string> | undefined) => {
      let sum = 0;
      if (field !== undefined) for (const [name, weight] of asked.names) if (field.has(name)) sum += weight;
      return sum / total;
    };
    for (const name of Described.fieldNames) features[name] = share(own.fields[name]);
    features.any = share(own.all);
    features.asked = own.asks.reduce((most, ask) => Math.max(most, likeness(asked.names, ask)), 0);
    features.covered = coveredShare(api, own.fields.summary, asked.names);
    const [fit, speaks] = related(api, own, probability);
    features.common = Math.log(0.02 + fit);
    features.speaks = Math.log(0.02 + speaks);
    features.behind = Number(isBehind(own, api.described, asked.words));
    features.verb = Number([...own.verbs].some((verb) => asked.actions.has(verb)));
    features.askedWrite = Number(own.isWrite && asked.isQuestion && asked.actions.size === 0);
    features.toldRead = Number(!own.isWrite && asked.actions.size > 0 && !asked.isQuestion);
    features.write = Number(own.isWrite);
    const [needs, count] = [own.keys.length, asked.identifiers.length];
    const isFit = (fits[at] ?? 0) > 0;
    Object.assign(features, doing(own, asked, deeds, isFit));
    features.idElsewhere = Number(anyFit && (fits[at] ?? 0) === 0);
    features.idTaken = Number(count > 0 && needs > 0 && !anyFit);
    features.idUnused = Number(count > 0 && needs === 0);
    features.idMissing = Number(count === 0 && needs > 0);
    const given = api.offers[at]?.asks.some(
      ({ slot, words }) => slot.isKey && Key.given(slot, words, asked.literals)?.kind === 'values',
    );
    features.literal = Number(given ?? false);
    features.pointFits = Number(asked.hasPoint && own.takes.point);
    features.pointUnused = Number(asked.hasPoint && !own.takes.point);
    features.dateFits = Number(asked.hasDate && own.takes.date);
    features.dateMissing = Number(!asked.hasDate && own.takes.date);
    features.emailFits = Number(asked.hasEmail && own.takes.email);
    features.placeFits = Number(asked.hasPlace && own.takes.place);
    features.placeUnused = Number(asked.hasPlace && !own.takes.place);
    features.lists = Number(asked.isList && own.isList);
    features.listsOne = Number(!asked.isList && own.isList);
    return features;
  });
  return pairs.map((features) => compared(features, pairs));
}

/** Compares what is to be done, and to which thing, with what an operation does. */
function doing(
  own: Described.Described,
  asked: Asked.Asked,
  deeds: ReadonlySet<Deed.Deed>,
  isFit: boolean,
): Pairing {
  const verbs = deeds.size > 0 ? [...deeds] : [asked.isQuestion ? 'question' : 'told'];
  return {
    idFits: Number(isFit),
    idOfOne: Number(isFit && own.isOfOne),
    idBelow: Number(isFit && own.isBelowOne),
    idOfOneRead: Number(isFit && own.isOfOne && own.deed === 'read' && deeds.size === 0),
    ...Object.fromEntries(verbs.map((verb) => [`${verb} by ${own.deed}`, 1])),
  };
}

/** Adds how far an operation is ahead of the others. */
function compared(features: Pairing, all: readonly Pairing[]): Pairing {
  const share = (name: string, value: (features: Pairing) => number) => ({
    [name]: value(features) / (0.01 + all.reduce((sum, other) => sum + value(other), 0)),
  });
  const shares = {
    ...share('commonShare', ({ common = -4 }) => Math.exp(common)),
    ...share('anyShare', ({ any = 0 }) => any ** 2),
    ...share('summaryShare', ({ summary = 0, path = 0 }) => (summary + path) ** 2),
  };
  return { ...features, ...shares, agreed: (shares.commonShare ?? 0) * (shares.anyShare ?? 0) };
}

/** The evidence for no operation at all. */
export function nothing(api: Described.Api, asked: Asked.Asked): Pairing {
  let [outside, fit] = [0, 0];
  for (const [at, probability] of asked.probability.entries()) fit += probability * (api.prior[at] as number);
  for (const [at, probability] of asked.probability.entries())
    outside += probability * (1 - Math.min(1, Math.max(0, ((api.best[at] as number) - 0.25) / 0.4)));
  return {
    none: 1,
    noneFit: Math.log(0.02 + fit),
    noneOutside: Math.log(0.02 + outside),
    noneInside: Math.log(0.02 + 1 - outside),
    noneUnknown: 1 - asked.known,
    noneShort: Number(asked.meaningful <= 2),
    noneId: Number(asked.identifiers.length > 0),
    noneVerb: Number([...asked.actions].some((name) => !api.known.has(name))),
    noneRemove: Number(
      Deed.wanted(asked.actions).has('remove') && api.described.every(({ deed }) => deed !== 'remove'),
    ),
  };
}

function coveredShare(
  api: Described.Api,
  title: ReadonlySet<string> | undefined,
  names: ReadonlyMap<string, number>,
): number {
  let [all, found] = [0.5, 0];
  for (const name of title ?? []) {
    const weight = 0.3 + Math.log((api.offers.length + 1) / (api.known.get(name) ?? 1));
    all += weight;
    if (names.has(name)) found += weight;
  }
  return found / all;
}

/** Returns true when the goal names the one word by which a sibling's title differs from this one, and not the own word. */
function isBehind(
  { title: own }: Described.Described,
  all: readonly Described.Described[],
  words: ReadonlySet<string>,
): boolean {
  return all.some(({ title }) => {
    if (own.length < 2 || title.length !== own.length) return false;
    const [at = -1, ...more] = own.flatMap((word, index) => (word === title[index] ? [] : [index]));
    return at >= 0 && more.length === 0 && words.has(title[at] ?? '') && !words.has(own[at] ?? '');
  });
}

/** The likeness of a goal to a phrase, from 0 to 1. */
function likeness(names: ReadonlyMap<string, number>, ask: ReadonlySet<string>): number {
  const shared = [...names.keys()].filter((name) => ask.has(name)).length;
  return shared === 0 ? 0 : shared / Math.sqrt((names.size + 1) * (ask.size + 1));
}

/** The shares of the goal's words that are like the operation, and that its description contains. */
function related(
  api: Described.Api,
  { likeness, probability }: Described.Described,
  asked: Float64Array,
): [number, number] {
  let [fit, speaks] = [0, 0];
  for (const [at, own] of asked.entries()) {
    const alike = likeness[at] as number;
    const best = api.best[at] as number;
    if (alike > 0) fit += own * alike ** 1.5 * (alike / best) ** 4;
    speaks += Math.sqrt(own * (probability[at] as number));
  }
  return [fit, speaks];
}
