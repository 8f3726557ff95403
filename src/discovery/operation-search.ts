import { related, terms } from '@sluice/advisor/lexicon';
import { fold, stem } from '@sluice/advisor/words';
import * as Schema from '@sluice/kernel/json-schema';
import MiniSearch from 'minisearch';
import type { Catalog } from '../catalog/catalog.ts';
import type { Entry } from './entry.ts';

/** A full-text index of operations; `known` are the words of all descriptions. */
export type OperationSearch = { index: MiniSearch; known: ReadonlySet<string> };

/** Longer words are ignored. */
const wordCharsMax = 40;
/** For a word that no description contains: the number of wrong letters, and whether it may be a prefix. A transposition counts as two. */
const forgiving = {
  fuzzy: (word: string) => (word.length < 4 ? 0 : word.length < 5 ? 1 : 2),
  maxFuzzy: 2,
  prefix: (word: string) => word.length > 2,
};
/** The same where a wrong operation is worse than none: no prefix, one wrong letter, two in long words. */
const strict = {
  fuzzy: (word: string) => (word.length < 5 ? 0 : word.length < 8 ? 1 : 2),
  maxFuzzy: 2,
  prefix: false,
};
const fieldDepthMax = 3;

/** Indexes operations by their names, their descriptions, and the fields of their requests and responses. */
export function indexOperations(
  entries: readonly Entry[],
  catalog: Catalog,
  read: Schema.Reader,
): OperationSearch {
  const index = new MiniSearch({
    idField: 'at',
    fields: ['name', 'about', 'fields'],
    tokenize: (text) => text.split(' '),
    processTerm: (term) => term,
  });
  const about = new Map(catalog.services.map((service) => [service.slug, service.description]));
  const texts = entries.map(({ at, id, path, summary, tag, service, operation }) => ({
    at,
    name: words(`${summary} ${tag} ${id} ${path}`),
    about: words(`${Schema.text(operation.description)} ${about.get(service ?? '') ?? ''}`),
    fields: words(service === null ? '' : fieldsOf(read, operation)),
  }));
  index.addAll(texts);
  return { index, known: new Set(texts.flatMap((it) => `${it.name} ${it.about} ${it.fields}`.split(' '))) };
}

/**
 * Returns the positions of matching operations, best first: those with all words, or else with any. Tolerates typos and word forms.
 * @param isStrict only those with all words, and fewer typos
 */
export function find({ index, known }: OperationSearch, said: string, isStrict = false): number[] {
  const query = words(said)
    .split(' ')
    .map((word) => {
      const [near, share] = related[word] ?? [];
      const own = { queries: [word], ...(known.has(word) ? {} : isStrict ? strict : forgiving) };
      const other = near === undefined ? [] : [{ queries: [near], boostTerm: () => share ?? 1 }];
      return { combineWith: 'OR' as const, queries: [own, ...other] };
    });
  const ranked = (combineWith: 'AND' | 'OR') =>
    index.search({ combineWith, queries: query }, { boost: { name: 4, about: 2 } });
  const whole = ranked('AND');
  return (whole.length > 0 || isStrict ? whole : ranked('OR')).map(({ id }) => Number(id));
}

/** Returns the words of a text for the index and for queries: as the advisor parses them, or unchanged when it finds none. */
function words(text: string): string {
  const plain = fold(text).match(/[\p{L}\p{N}]+/gu) ?? [];
  const heard = terms(text);
  return (heard.length > 0 ? heard : plain.map(stem)).filter((word) => word.length <= wordCharsMax).join(' ');
}

/** Returns the names of the upper-level fields of request bodies and responses. */
function fieldsOf(read: Schema.Reader, operation: Schema.Node): string {
  const json = (holder: unknown) => Schema.node(Schema.node(read(holder).content)['application/json']).schema;
  const answers = Object.entries(Schema.node(operation.responses)).filter(([status]) =>
    status.startsWith('2'),
  );
  const schemas = [json(operation.requestBody), ...answers.map(([, answer]) => json(answer))];
  const names = (schema: unknown, depth: number): string[] => {
    const own = read(schema);
    if (depth === 0) return [];
    return [
      ...Object.entries(Schema.node(own.properties)).flatMap(([name, it]) => [name, ...names(it, depth - 1)]),
      ...(own.items === undefined ? [] : names(own.items, depth - 1)),
    ];
  };
  return schemas.flatMap((schema) => names(schema, fieldDepthMax)).join(' ');
}
