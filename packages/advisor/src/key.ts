import type { Goal, Mention } from './goal.ts';
import type { Leaf } from './leaf.ts';
import { terms } from './lexicon.ts';
import type * as Literal from './literal.ts';
import * as Located from './located.ts';
import type { Slot } from './slot.ts';

/** The key of an operation (the value that it is asked about) as found in the goal. */
export type Given =
  /** The values themselves. */
  | { kind: 'values'; values: readonly string[]; at: readonly number[] }
  /** The caller says to have them. */
  | { kind: 'said'; count: number | null; at: readonly number[] }
  | null;

/** Words in key names that carry no information about the value. */
const plain = new Set(['page', 'url', 'id', 'uri', 'link', 'key']);

/** The words that name what a key is of: `person_network_url` is of a person. */
export function words(slot: Slot): string[] {
  const telling = slot.leaf.path.flatMap(terms).filter((word) => !plain.has(word));
  return telling.includes('person') ? [...telling, 'profile'] : telling;
}

/** Finds the values in the goal for `slot`, whose own words are `own`. */
export function given(slot: Slot, own: readonly string[], goal: Goal): Given {
  const literals = goal.mentions.filter(
    (mention) => mention.kind === 'literal' && takes(slot, mention.literal),
  );
  if (literals.length > 0)
    return { kind: 'values', values: literals.map(value), at: literals.map(({ at }) => at) };
  const point = slot.isKey ? Located.pointFor(slot.leaf, goal.text) : null;
  if (point !== null) return { kind: 'values', values: [point], at: [] };
  const at = goal.words.findIndex((word) => word.given && own.includes(word.word));
  if (at < 0) return null;
  return { kind: 'said', count: counted(goal, at), at: [at] };
}

function value(mention: Mention): string {
  return mention.kind === 'literal' ? mention.literal.value : '';
}

/** The number before "emails" in "a list of 300 work emails", or behind it in "phone numbers, 100 of them". */
function counted(goal: Goal, at: number): number | null {
  const counts = goal.mentions.flatMap((mention) =>
    mention.kind === 'quantity' && mention.quantity.kind === 'count'
      ? [{ at: mention.at, count: mention.quantity.count }]
      : [],
  );
  const near = counts.sort((a, b) => Math.abs(a.at - at) - Math.abs(b.at - at))[0];
  return near?.count ?? null;
}

/** Returns true when a literal fits a slot, by the slot's name and by the examples in its description. */
export function takes(slot: Slot, { kind, value: text }: Literal.Literal): boolean {
  const { schema, path } = slot.leaf;
  const name = path.filter((key) => key !== '*').at(-1) ?? '';
  const shown = `${schema.description ?? ''} ${schema.example ?? ''}`;
  switch (kind) {
    case 'email':
      return /e?mail/i.test(name);
    case 'phone':
      return /phone|mobile/i.test(name);
    case 'domain':
      return /domain|website/i.test(name);
    case 'zone':
      return false;
    case 'url': {
      if (!/ur[iln]|link|domain|website/i.test(name)) return false;
      const ways = [...shown.matchAll(/https?:\/\/[^\s/`]+((?:\/[^\s/`<]+)*)\/[^\s/`]*/g)]
        .map((match) => match[1] ?? '')
        .filter((way) => way !== '');
      const own = /^https?:\/\/[^/]+(\/.*)?$/.exec(text)?.[1] ?? '';
      const others = [...shown.matchAll(/`(\/[^`<]+\/|urn:[^`<]+:)/g)].map((match) => match[1] ?? '');
      return ways.length === 0
        ? /domain|website/i.test(name)
          ? own.split('/').length <= 2
          : true
        : [...ways.map((way) => `${way}/`), ...others].some(
            (way) => own.startsWith(way) || text.startsWith(way),
          );
    }
  }
}

/** The values of a response that could be passed on, by the last word of their name. */
export type Sources = ReadonlyMap<
  string,
  readonly { leaf: Leaf; own: readonly string[]; all: ReadonlySet<string> }[]
>;

/** Prepares the values of a response for `source`. */
export function sources(gives: readonly Leaf[]): Sources {
  const found = gives.filter(isText).flatMap((leaf) => {
    const own = raw(leaf.path.filter((key) => key !== '*').at(-1) ?? '');
    const all = new Set([...own, ...leaf.path.flatMap(raw), ...leaf.around]);
    return own.length === 0 ? [] : [{ leaf, own, all }];
  });
  found.sort((a, b) => a.leaf.path.length - b.leaf.path.length);
  return Map.groupBy(found, ({ own }) => own.at(-1) ?? '');
}

/** The words of a slot's name, for `source`. */
export function wanted(slot: Slot): string[] {
  return slot.leaf.path.flatMap(raw);
}

/** Returns the leaf of a response that provides the values for a slot with these words, the least nested first; null when there is none. */
export function source(from: Sources, words: readonly string[]): Leaf | null {
  const fit = from
    .get(words.at(-1) ?? '')
    ?.find(
      ({ own, all }) => own.every((word) => words.includes(word)) && words.every((word) => all.has(word)),
    );
  return fit?.leaf ?? null;
}

function isText(leaf: Leaf): boolean {
  return [leaf.schema.type].flat().includes('string') || (isWhole(leaf) && isIdentifier(leaf));
}

function isWhole({ schema }: Leaf): boolean {
  return [schema.type].flat().includes('integer');
}

/** Returns true for a value that is named as the identifier of one thing. */
export function isIdentifier({ path }: Leaf): boolean {
  return /(?:^|[a-z_-])(?:id|key|code|slug|uuid|number|ref)$/i.test(
    path.filter((key) => key !== '*').at(-1) ?? '',
  );
}

/** Splits a name into words. Each is read on its own, so that no phrase spans two of them. */
export function raw(name: string): string[] {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .flatMap((word) => (word === '' ? [] : [terms(word)[0] ?? word]));
}

/** Slots that one operation can take from another. */
export function isLink(slot: Slot): boolean {
  return (
    slot.isKey ||
    (slot.kind === 'number' && !slot.leaf.many && /id$/i.test(slot.leaf.path.at(-1) ?? '')) ||
    (slot.kind === 'text' &&
      !slot.isExclude &&
      /(?:url|id|domain|email|phone)s?$/i.test(slot.leaf.path.at(-1) ?? ''))
  );
}
