import * as Schema from '@sluice/kernel/json-schema';
import { operationKey } from '@sluice/kernel/operation-key';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import MiniSearch from 'minisearch';
import * as Key from './key.ts';
import { type Leaf, leaves } from './leaf.ts';
import { stem, terms } from './lexicon.ts';
import type { Operation, PriceList } from './price-list.ts';
import * as Slot from './slot.ts';

/** An operation that is sold, with all that its description says of it. */
export type Offer = {
  at: number;
  operation: Operation;
  id: string;
  summary: string;
  /** The subject of the operation, from its summary. */
  subject: ReadonlySet<string>;
  slots: readonly Slot.Slot[];
  /** The values that it is asked about. */
  asks: readonly Ask[];
  /** The values in its responses. */
  gives: readonly Leaf[];
  /** The words of its name, by which it is called for. */
  heads: ReadonlySet<string>;
  body: Schema.Node | null;
  example: unknown;
  validate: ValidateFunction;
};

/** A slot that names what is asked about, with the words that do so and the operations whose answers have it. */
export type Ask = {
  slot: Slot.Slot;
  words: readonly string[];
  makers: readonly { at: number; leaf: Leaf }[];
};

/** The score of a word in each operation, and the number of operations that contain the word itself, not only a related one. */
export type Found = { shares: ReadonlyMap<number, number>; own: number };

/** All that is sold, ready to be asked for. */
export type Surface = {
  offers: readonly Offer[];
  index: MiniSearch;
  vocabulary: ReadonlySet<string>;
  read: Schema.Reader;
  enums: ReadonlyMap<string, Slot.Choice>;
  /** Cached lookups of the index for its own words. */
  found: Map<string, Found>;
};

const isoDate = /^\d{4}-\d{2}-\d{2}$/;
const formats = {
  uri: (value: string) => URL.canParse(value),
  email: /^[^\s@]+@[^\s@]+$/,
  date: isoDate,
  'date-time': /^\d{4}-\d{2}-\d{2}T/,
  uuid: /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i,
};

/** Reads what the OpenAPI document says of each operation of the price list; others stay out. */
export function readSurface({ operations }: PriceList, document: unknown): Surface {
  const root = Schema.node(document);
  const read = Schema.reader(root);
  const ajv = new Ajv2020({ strict: false, logger: false, formats, validateFormats: true, allErrors: true });
  const base = 'description.json';
  ajv.addSchema(
    { $id: base, components: Schema.node(withoutIdleNullable(root.components ?? {})) },
    undefined,
    false,
    false,
  );
  const described = new Map<string, { value: Schema.Node; shared: readonly unknown[] }>();
  for (const [path, item] of Object.entries(Schema.node(root.paths)))
    for (const [method, value] of Object.entries(Schema.node(item)))
      described.set(operationKey(method.toUpperCase(), path), {
        value: Schema.node(value),
        shared: Schema.list(Schema.node(item).parameters),
      });

  const enums = new Map<string, Slot.Choice>();
  const offers = operations.flatMap((operation, at) => {
    const found = described.get(operationKey(operation.method, operation.path));
    return (found && offer(operation, at, found, { read, ajv, base, enums })) ?? [];
  });
  const makers = offers.map(({ gives }) => Key.sources(gives));
  const known = offers.map((it, at) => ({
    ...it,
    at,
    asks: it.asks.map((ask) => ({ ...ask, makers: made(makers, at, Key.wanted(ask.slot)) })),
  }));
  const index = new MiniSearch({
    fields: ['head', 'where', 'about', 'gives'],
    processTerm: (term) => term,
    tokenize: (words) => words.split(' ').filter((word) => word !== ''),
  });
  const texts = known.map((it) => words(it, described));
  index.addAll(texts.map((text, id) => ({ id, ...text })));
  const vocabulary = new Set(texts.flatMap((text) => Object.values(text).join(' ').split(' ')));
  return { offers: known, index, vocabulary, read, enums, found: new Map() };
}

/** Returns the other operations whose responses have the value that is asked about. */
function made(
  makers: readonly Key.Sources[],
  self: number,
  wanted: readonly string[],
): { at: number; leaf: Leaf }[] {
  return makers.flatMap((from, at) => {
    const leaf = at === self ? null : Key.source(from, wanted);
    return leaf === null ? [] : [{ at, leaf }];
  });
}

type Tools = { read: Schema.Reader; ajv: Ajv2020; base: string; enums: Map<string, Slot.Choice> };

function offer(
  operation: Operation,
  at: number,
  { value, shared }: { value: Schema.Node; shared: readonly unknown[] },
  { read, ajv, base, enums }: Tools,
): Offer | null {
  const json = Schema.node(Schema.node(read(value.requestBody).content)['application/json']);
  const body = json.schema === undefined ? null : Schema.node(json.schema);
  const validate = compiled(ajv, body === null ? {} : absolute(body, base));
  if (validate === null) return null;
  const answer = Schema.node(
    Schema.node(read(success(Schema.node(value.responses))).content)['application/json'],
  );
  const inBody = body === null ? [] : leaves(read, body);
  const slots = [
    ...[...shared, ...Schema.list(value.parameters)].flatMap((it) => parameter(read, it)),
    ...inBody.map((leaf) => ({ leaf, place: 'body' as const })),
  ].map(({ leaf, place }) => Slot.toSlot(leaf, place, operation, enums));
  return {
    at,
    operation,
    id: Schema.text(value.operationId) || operation.id,
    summary: Schema.text(value.summary) || operation.service.name,
    subject: new Set(headOf(Schema.text(value.summary)).split(' ')),
    slots,
    asks: slots.filter(Key.isLink).map((slot) => ({ slot, words: Key.words(slot), makers: [] })),
    gives: leaves(read, answer.schema),
    heads: new Set(
      `${headOf(Schema.text(value.summary))} ${headOf(operation.service.name)}`
        .split(' ')
        .filter((word) => word !== ''),
    ),
    body,
    example: json.example ?? Schema.node(Object.values(Schema.node(json.examples))[0]).value,
    validate,
  };
}

/** Returns a validator; null for a schema that is not valid JSON Schema. Requests to its operation could not be checked, so it gets no advice. */
function compiled(ajv: Ajv2020, schema: unknown): ValidateFunction | null {
  try {
    return ajv.compile(withoutIdleNullable(schema) as Schema.Node);
  } catch {
    return null;
  }
}

/** Returns a schema without the `nullable` of OpenAPI 3.0 where it has no `type`: there it has no effect, and JSON Schema does not know it. */
function withoutIdleNullable(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutIdleNullable);
  if (typeof value !== 'object' || value === null) return value;
  const isIdle = 'nullable' in value && typeof value.nullable === 'boolean' && !('type' in value);
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => !(isIdle && key === 'nullable'))
      .map(([key, part]) => [key, withoutIdleNullable(part)]),
  );
}

function success(responses: Schema.Node): unknown {
  return (
    responses['200'] ??
    responses['201'] ??
    Object.entries(responses).find(([status]) => status.startsWith('2'))?.[1]
  );
}

function parameter(read: Schema.Reader, value: unknown): { leaf: Leaf; place: 'path' | 'query' }[] {
  const own = read(value);
  const place = own.in === 'path' || own.in === 'query' ? own.in : null;
  if (place === null) return [];
  const schema = { description: own.description, example: own.example, ...Schema.node(own.schema) };
  return leaves(read, schema).map((leaf) => ({
    leaf: {
      ...leaf,
      path: [Schema.text(own.name), ...leaf.path],
      name: terms(Schema.text(own.name)),
      required: own.required === true,
    },
    place,
  }));
}

/** The same schema with its references into the document that ajv holds; `nullable` as OpenAPI 3.0 writes it is read too. */
function absolute(value: unknown, base: string): unknown {
  if (Array.isArray(value)) return value.map((item) => absolute(item, base));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      key,
      key === '$ref' && typeof item === 'string' && item.startsWith('#') ? base + item : absolute(item, base),
    ]),
  );
}

function words(it: Offer, described: ReadonlyMap<string, { value: Schema.Node }>) {
  const { operation } = it;
  const value = described.get(operationKey(operation.method, operation.path))?.value ?? {};
  const path = terms(operation.path.replace(/\{[^}]*\}/g, ' '));
  return {
    head: [...it.heads].join(' '),
    where: [...terms(`${it.summary} ${operation.service.name} ${it.id}`), ...path].join(' '),
    about: terms(
      `${Schema.text(value.description)} ${operation.service.description} ${Schema.list(value.tags).join(' ')}`,
    ).join(' '),
    gives: [...new Set(it.gives.filter(({ path: keys }) => keys.length <= 2).flatMap(({ name }) => name))]
      .map(stem)
      .join(' '),
  };
}

/** Returns the head of a name, before its place or its target: "Jobs" of "Jobs at any company". */
function headOf(name: string): string {
  const [whole = '', turned] = name.split(/ to /i);
  return terms(turned ?? whole.split(/\b(?:of|at|in|behind|for|from)\b/i)[0] ?? '').join(' ');
}
