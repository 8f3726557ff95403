import * as Schema from '@sluice/kernel/json-schema';
import MiniSearch from 'minisearch';
import type { Leaf } from './leaf.ts';
import { terms } from './lexicon.ts';
import type { Operation } from './price-list.ts';
import { stem } from './words.ts';

/** The kinds of values in a request that name, description and schema can distinguish. */
export type Kind =
  | 'amount'
  | 'paging'
  | 'bands'
  | 'choice'
  | 'country'
  | 'range'
  | 'least'
  | 'most'
  | 'days'
  | 'title'
  | 'city'
  | 'state'
  | 'keywords'
  | 'name'
  | 'zone'
  | 'flag'
  | 'number'
  | 'text';

/** One place in a request that a goal may fill. */
export type Slot = {
  place: 'path' | 'query' | 'body';
  kind: Kind;
  leaf: Leaf;
  /** True when the slot lists values to exclude. */
  isExclude: boolean;
  /** True when the operation is asked about this value: a required text of its own. */
  isKey: boolean;
  /** The words of its way, of its description and of what it lies in. */
  words: ReadonlySet<string>;
  way: ReadonlySet<string>;
  choice: Choice | null;
};

/** A value for a slot, and the word of the goal that it comes from. */
export type Fill = { slot: Slot; value: unknown; at: number };

/** The values of an enumeration, found by their words. */
export type Choice = {
  values: readonly string[];
  words: ReadonlyMap<string, readonly string[]>;
  index: MiniSearch;
  vocabulary: ReadonlySet<string>;
  bands: readonly Band[] | null;
};
export type Band = { value: string; min: number; max: number };

/** Ends of names by which one thing is found. */
const identifier =
  /(?:ur[iln]|id|domain|website|e?mail|phone|number|code|slug|symbol|sku|isbn|ip|token|reference|handle|username|hash)$/i;

const filler = new Set([
  'service',
  'and',
  'of',
  'the',
  'other',
  'general',
  'industry',
  'product',
  'activity',
  'management',
  'system',
]);

export function toSlot(
  leaf: Leaf,
  place: Slot['place'],
  operation: Operation,
  enums: Map<string, Choice>,
): Slot {
  const way = leaf.path.filter((key) => key !== '*' && key !== 'include');
  const name = leaf.path.at(-1) ?? '';
  const own = new Set(terms(way.at(-1) === 'exclude' ? (way.at(-2) ?? '') : (way.at(-1) ?? '')));
  const words = new Set([...way.flatMap(terms), ...leaf.said, ...leaf.around]);
  const choice = leaf.schema.enum === undefined ? null : choiceOf(Schema.list(leaf.schema.enum), enums);
  const kind = kindOf(
    leaf,
    way.filter((key) => key !== 'exclude'),
    own,
    operation,
    choice,
  );
  return {
    place,
    kind,
    leaf,
    isExclude: leaf.path.at(-1) === 'exclude',
    isKey:
      leaf.required &&
      !leaf.many &&
      leaf.path.length === 1 &&
      (kind === 'text'
        ? place === 'path' || identifier.test(name)
        : kind === 'number' && place === 'path' && isWhole(leaf)),
    words,
    way: new Set(way.flatMap(terms)),
    choice,
  };
}

function isWhole({ schema }: Leaf): boolean {
  return Schema.isType(schema, 'integer');
}

function kindOf(
  leaf: Leaf,
  way: readonly string[],
  own: ReadonlySet<string>,
  operation: Operation,
  choice: Choice | null,
): Kind {
  const { schema } = leaf;
  const name = way.at(-1) ?? '';
  const said = Schema.text(schema.description);
  const max = operation.unitsMax;
  if (max.kind === 'pointer' && max.pointer.join('/') === leaf.path.join('/')) return 'amount';
  if (
    /^(?:cursor|page|offset|skip|after|before|per_?page|limit|page_?size|sort|order|_page|_limit|_sort|_order)$/i.test(
      name,
    )
  )
    return 'paging';
  if (choice !== null) return choice.bands === null ? 'choice' : 'bands';
  if (Schema.isRange(schema)) return 'range';
  if (Schema.isType(schema, 'boolean')) return 'flag';
  if (Schema.isType(schema, 'integer') || Schema.isType(schema, 'number')) return numberKindOf(name);
  return textKindOf(said, way, own);
}

function numberKindOf(name: string): Kind {
  if (/days?$/i.test(name)) return 'days';
  if (/^min|least/i.test(name)) return 'least';
  return /^max|most/i.test(name) ? 'most' : 'number';
}

function textKindOf(said: string, way: readonly string[], own: ReadonlySet<string>): Kind {
  const name = way.at(-1) ?? '';
  if (/alpha-2|iso 3166/i.test(said) || own.has('country') || way.some((key) => /country/i.test(key)))
    return 'country';
  if (/time zone|timezone|iana/i.test(said)) return 'zone';
  if (own.has('title') || way.some((key) => /title/i.test(key))) return 'title';
  if (/city$/i.test(name)) return 'city';
  if (/^(?:state|province)$/i.test(name)) return 'state';
  if (/keywords?$/i.test(name)) return 'keywords';
  return /(?:^|_)name$/i.test(name) ? 'name' : 'text';
}

function choiceOf(listed: readonly unknown[], enums: Map<string, Choice>): Choice {
  const values = listed.filter((value) => typeof value === 'string');
  const key = values.join('\n');
  const known = enums.get(key);
  if (known !== undefined) return known;
  const index = new MiniSearch({
    fields: ['words'],
    processTerm: (term) => term,
    tokenize: (text) => text.split(' ').filter((word) => word !== ''),
  });
  const words = new Map(values.map((value) => [value, wordsOf(value)]));
  index.addAll(values.map((value, id) => ({ id, words: wordsOf(value).join(' ') })));
  const bands = values.flatMap(band);
  const choice = {
    values,
    words,
    index,
    vocabulary: new Set([...words.values()].flat()),
    bands: bands.length > 2 && bands.length === values.length ? bands : null,
  };
  enums.set(key, choice);
  return choice;
}

/** Returns the words of a value that distinguish it from others; never an empty list. */
export function wordsOf(value: string): string[] {
  const all = (
    value
      .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? []
  ).map(stem);
  const telling = all.filter((word) => !filler.has(word));
  return telling.length > 0 ? telling : all;
}

/** `51-200`, `10001+`. */
function band(value: string): Band[] {
  const match = /^(\d+)\s*(?:-|–|to)\s*(\d+)$|^(\d+)\+$/.exec(value.replaceAll(',', ''));
  if (match === null) return [];
  const [, min, max, open] = match;
  return [
    { value, min: Number(min ?? open), max: max === undefined ? Number.POSITIVE_INFINITY : Number(max) },
  ];
}
