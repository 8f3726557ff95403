import * as Schema from '@sluice/kernel/json-schema';
import { operationKey } from '@sluice/kernel/operation-key';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import * as Found from './found.ts';
import * as Key from './key.ts';
import { concepts, outside } from './knowledge.ts';
import { type Leaf, leaves } from './leaf.ts';
import { terms } from './lexicon.ts';
import * as Makers from './makers.ts';
import type { Offer } from './offer.ts';
import type { Operation, PriceList } from './price-list.ts';
import * as Reader from './reader.ts';
import { atOnce, inSlices } from './slices.ts';
import * as Slot from './slot.ts';

/** All that is sold, ready to be asked for. */
export type Surface = {
  offers: readonly Offer[];
  read: Schema.Reader;
  enums: ReadonlyMap<string, Slot.Choice>;
  /** Recognizes what a goal asks for. Trains it at once when `prepare` has not. */
  reader: () => Reader.Reader;
  /** Trains the reader, once, in short slices: the whole takes a second or two, and three to four for ten thousand goals. */
  prepare: () => Promise<void>;
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
export function readSurface(
  { operations, samples = [], concepts: own = {} }: PriceList,
  document: unknown,
): Surface {
  const root = Schema.node(document);
  const read = Schema.reader(root);
  const ajv = new Ajv2020({
    strict: false,
    logger: false,
    formats,
    validateFormats: true,
    allErrors: true,
    code: { optimize: false },
  });
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
  const makersOf = Makers.among(offers);
  const placed = offers.map((it, at) => ({ ...it, at }));
  const known: Offer[] = placed.map((it, at) => ({
    ...it,
    finders: Found.findersOf(it, placed),
    asks: it.asks.map((ask) => ({ ...ask, makers: makersOf(at, ask.slot) })),
  }));
  const places = new Map(known.map(({ operation, at: place }) => [operation.id, place]));
  const asked = samples.map(({ ask, kind, calls }) => ({
    ask,
    kind,
    calls: calls.flatMap((id) => places.get(id) ?? []),
  }));
  const train = function* () {
    const ownConcepts = concepts(own, Reader.isLearned(known, asked));
    yield;
    const samplesOutside = outside();
    yield;
    return yield* Reader.open(known, [...asked, ...samplesOutside], ownConcepts);
  };
  let reader: Reader.Reader | undefined;
  let preparing: Promise<void> | undefined;
  return {
    offers: known,
    read,
    enums,
    reader: () => {
      reader ??= atOnce(train());
      return reader;
    },
    prepare() {
      preparing ??= inSlices(train()).then((trained) => {
        reader ??= trained;
      });
      return preparing;
    },
  };
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
    texts: textsOf(
      operation,
      value,
      inBody,
      [...shared, ...Schema.list(value.parameters)].map((it) => read(it)),
      leaves(read, answer.schema),
    ),
    slots,
    asks: slots.filter(Key.isLink).map((slot) => ({ slot, words: Key.words(slot), makers: [] })),
    finders: [],
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

/** The texts about an operation, with the weight of each. */
function textsOf(
  { service, path }: Operation,
  value: Schema.Node,
  inBody: readonly Leaf[],
  parameters: readonly Schema.Node[],
  gives: readonly Leaf[],
): Offer['texts'] {
  const spaced = (names: readonly string[]) =>
    [...new Set(names)]
      .map((name) => name.replace(/([a-z0-9])([A-Z])/g, '$1 $2').replace(/[^\p{L}\p{N}]+/gu, ' '))
      .join(' ');
  const description = Schema.text(value.description);
  const summary = Schema.text(value.summary);
  const first = description.split(/(?<=\.)\s/)[0] ?? '';
  return [
    { name: 'summary', text: summary, weight: 1 },
    { name: 'first', text: `${summary}. ${first}`, weight: 1 },
    {
      name: 'path',
      text: spaced([Schema.text(value.operationId), ...path.replace(/\{[^}]*\}/g, ' ').split('/')]),
      weight: 0.8,
    },
    { name: 'service', text: `${service.name}. ${service.description}`, weight: 0.5 },
    { name: 'description', text: description.slice(0, 600), weight: 0.6 },
    { name: 'tags', text: spaced(Schema.list(value.tags).map(Schema.text)), weight: 0.4 },
    {
      name: 'parameters',
      text: spaced([
        ...inBody.map(({ path: keys }) => keys.join(' ')),
        ...parameters.map((it) => Schema.text(it.name)),
      ]),
      weight: 0.5,
    },
    {
      name: 'said',
      text: parameters
        .map((it) => Schema.text(it.description))
        .join('. ')
        .slice(0, 600),
      weight: 0.4,
    },
    {
      name: 'gives',
      text: spaced(
        gives.filter(({ path: keys }) => keys.length <= 4).map(({ path: keys }) => keys.at(-1) ?? ''),
      ),
      weight: 0.4,
    },
  ].filter(({ text }) => text.trim() !== '');
}

/** Returns the head of a name, before its place or its target: "Jobs" of "Jobs at any company". */
function headOf(name: string): string {
  const [whole = '', turned] = name.split(/ to /i);
  return terms(turned ?? whole.split(/\b(?:of|at|in|behind|for|from)\b/i)[0] ?? '').join(' ');
}
