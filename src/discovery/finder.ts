import MiniSearch from 'minisearch';
import { fold, related, stem, terms } from '../advisor/lexicon.ts';
import * as Schema from '../advisor/schema.ts';
import type { Catalog } from '../catalog/catalog.ts';
import type { Entry } from './entry.ts';

/** Finds operations by words; `known` are those that any operation is described with. */
export type Finder = { index: MiniSearch; known: ReadonlySet<string> };

/** A longer word is one nobody says. */
const wordCharsMax = 40;
/** For a word that no description has: how many letters may be wrong, and whether it may go on. Two that changed places are two. */
const forgiving = {
  fuzzy: (word: string) => (word.length < 4 ? 0 : word.length < 5 ? 1 : 2),
  maxFuzzy: 2,
  prefix: (word: string) => word.length > 2,
};
const fieldDepthMax = 3;

/** Indexes operations by their names, what is said about them, and the fields that they take and give. */
export function open(entries: readonly Entry[], catalog: Catalog, read: Schema.Reader): Finder {
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

/** The places of what matches, the best first: all words, or where nothing has them all, any. Typos and word forms are forgiven. */
export function find({ index, known }: Finder, said: string): number[] {
  const query = words(said)
    .split(' ')
    .map((word) => {
      const [near, share] = related[word] ?? [];
      const own = { queries: [word], ...(known.has(word) ? {} : forgiving) };
      const other = near === undefined ? [] : [{ queries: [near], boostTerm: () => share ?? 1 }];
      return { combineWith: 'OR' as const, queries: [own, ...other] };
    });
  const ranked = (combineWith: 'AND' | 'OR') =>
    index.search({ combineWith, queries: query }, { boost: { name: 4, about: 2 } });
  const whole = ranked('AND');
  return (whole.length > 0 ? whole : ranked('OR')).map(({ id }) => Number(id));
}

/** The words of a text as they are indexed and asked for: as the advisor reads them, or as they stand where it hears nothing in them. */
function words(text: string): string {
  const plain = fold(text).match(/[\p{L}\p{N}]+/gu) ?? [];
  const heard = terms(text);
  return (heard.length > 0 ? heard : plain.map(stem)).filter((word) => word.length <= wordCharsMax).join(' ');
}

/** The names of the fields that a body takes and an answer gives, as far as they are near the top. */
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
