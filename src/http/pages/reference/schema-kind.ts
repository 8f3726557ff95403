import * as Schema from '@sluice/kernel/json-schema';
import type { Texts } from '../../../text/texts.ts';

/** Writes the schemas of one description, whose references `read` resolves. */
export type SchemaWriter = {
  texts: Texts;
  root: Schema.Node;
  read: Schema.Reader;
  /** The long lists of values that the page shows already, by their values: each is written once. */
  lists?: Map<string, { id: string; field: string }>;
};

/** The alternatives of a schema that are not null; empty when it has one form. */
export function alternatives({ root, read }: SchemaWriter, value: unknown): Schema.Node[] {
  const own = followed(root, value);
  const choices = [...Schema.list(own.anyOf), ...Schema.list(own.oneOf)].map(read);
  const real = choices.filter(({ type }) => type !== 'null');
  return real.length > 1 ? real : [];
}

/** Follows references without choosing an alternative. */
function followed(root: Schema.Node, value: unknown): Schema.Node {
  let here = Schema.node(value);
  for (let depth = 0; depth < Schema.depthMax && typeof here.$ref === 'string'; depth += 1) {
    const tokens = here.$ref.startsWith('#/') ? here.$ref.slice(2).split('/') : [];
    here = Schema.node(tokens.reduce<unknown>((at, token) => Schema.node(at)[token], root));
  }
  return here;
}

/** The type of a value in words, such as `list of string or null`. */
export function kind(write: SchemaWriter, value: unknown, depth = 0): string {
  const { texts, read } = write;
  const choices = depth > Schema.depthMax ? [] : alternatives(write, value);
  if (choices.length > 0) {
    const words = new Set(choices.map((choice) => kind(write, choice, depth + 1)));
    return joined(
      texts,
      [...words].filter((word) => word !== ''),
    );
  }
  const schema = read(value);
  const types = [schema.type ?? impliedTypes(schema)].flat().filter((type) => typeof type === 'string');
  const word = depth > Schema.depthMax ? '' : plain(write, schema, types, depth);
  return types.includes('null') && word !== '' ? texts.text('reference.or_null', { type: word }) : word;
}

/** The types of a constant or of listed values. */
function impliedTypes({ const: only, enum: listed }: Schema.Node): string[] {
  const known = only === undefined ? Schema.list(listed) : [only];
  return [...new Set(known.map((value) => (value === null ? 'null' : typeof value)))];
}

function plain(write: SchemaWriter, schema: Schema.Node, types: readonly string[], depth: number): string {
  const { texts } = write;
  if (types.includes('array')) {
    const type = kind(write, schema.items, depth + 1) || texts.text('reference.values');
    return texts.text('reference.list_of', { type });
  }
  const others = schema.additionalProperties;
  if (
    types.includes('object') &&
    schema.properties === undefined &&
    Object.keys(Schema.node(others)).length > 0
  )
    return texts.text('reference.map_of', {
      type: kind(write, others, depth + 1) || texts.text('reference.values'),
    });
  if (types.length === 0 && schema.properties !== undefined) return 'object';
  const known = types.filter((type) => type !== 'null');
  return Schema.text(schema.format) || joined(texts, known);
}

function joined(texts: Texts, types: readonly string[]): string {
  return types.length === 0
    ? ''
    : types.reduce((first, second) => texts.text('reference.or', { first, second }));
}

/** The only value of a constant, in words. */
export function constant(texts: Texts, { const: only }: Schema.Node): string[] {
  return only === undefined ? [] : [texts.text('reference.always', { value: JSON.stringify(only) })];
}

/** The limits of a value in words. Its listed values are not among them. */
export function bounds(
  texts: Texts,
  { default: usual, minimum, maximum, maxItems, maxLength }: Schema.Node,
): string[] {
  return [
    ...range(texts, minimum, maximum),
    ...(maxItems === undefined ? [] : [texts.text('reference.items_max', { limit: String(maxItems) })]),
    ...(maxLength === undefined ? [] : [texts.text('reference.chars_max', { limit: String(maxLength) })]),
    ...(isEmpty(usual) ? [] : [texts.text('reference.default', { value: JSON.stringify(usual) })]),
  ];
}

/** A default that says no more than that the field may be left out. */
function isEmpty(usual: unknown): boolean {
  return usual === undefined || usual === null || (Array.isArray(usual) && usual.length === 0);
}

/** The numeric limits in words, such as `0 to 980,000` or `at least 1`. */
function range(texts: Texts, minimum: unknown, limit: unknown): string[] {
  // The largest exact number of JSON says nothing.
  const maximum = typeof limit === 'number' && limit >= Number.MAX_SAFE_INTEGER ? undefined : limit;
  const written = (limit: unknown) => (typeof limit === 'number' ? texts.number(limit) : String(limit));
  if (minimum === undefined && maximum === undefined) return [];
  if (minimum === undefined) return [texts.text('reference.at_most', { limit: written(maximum) })];
  if (maximum === undefined) return [texts.text('reference.at_least', { limit: written(minimum) })];
  return [texts.text('reference.range', { minimum: written(minimum), maximum: written(maximum) })];
}
