import type { JSONObject } from '@modelcontextprotocol/server';
import type { Operation } from '../../catalog/operation.ts';
import type { Form } from './arguments.ts';
import * as ToolSchema from './tool-schema.ts';

/** What the upstream's document says of an operation: the operation itself, and the parameters of its path. */
export type Described = { operation: ToolSchema.Schema; shared: readonly unknown[] };

/** What a sold operation takes: the schema of its arguments, and where they go. */
export type Input = {
  form: Form;
  schema: { type: 'object'; properties: JSONObject; required?: string[]; $defs?: unknown };
};

/** The argument by which a caller says how the shop is to make the call; it never reaches the upstream. */
const options = {
  type: 'object',
  description: 'How the shop makes this call; all of it may be left out.',
  properties: {
    max_cost_usd: { type: 'string', description: 'Refuse the call if it could cost more, such as "0.010".' },
    idempotency_key: {
      type: 'string',
      minLength: 1,
      maxLength: 255,
      description: 'Makes the call once: the same key and arguments again give the first answer, free.',
    },
    receipt: { type: 'boolean', description: 'Whether a signed receipt comes with the answer.' },
  },
  additionalProperties: false,
};
const bodiless = new Set(['GET', 'HEAD', 'DELETE']);

/** The input of a tool; what nobody described takes whatever its places take. */
export function of(operation: Operation, described: Described | null, document: unknown): Input {
  const path = [...operation.path.matchAll(/\{([^{}]+)\}/g)].map(([, name = '']) => name);
  const own = described?.operation ?? {};
  const parameters = [...(described?.shared ?? []), ...list(own.parameters)]
    .map((it) => ToolSchema.deref(document, it))
    .filter((it) => it.in === 'query' || (it.in === 'path' && path.includes(String(it.name))));
  const query = [...new Set(parameters.filter((it) => it.in === 'query').map((it) => String(it.name)))];
  const json = jsonOf(ToolSchema.deref(document, own.requestBody).content);
  const body = json && ToolSchema.deref(document, json.schema);
  const isPlain = body === null || isPlainObject(body);
  const members = body && isPlain ? Object.keys(body.properties as object) : [];
  const names = ['storefront', ...path, ...query, ...members];
  const form = {
    template: operation.path,
    path,
    query,
    hasBody: described === null ? !bodiless.has(operation.method) : json !== null,
    isFlat: described !== null && isPlain && new Set(names).size === names.length,
  };
  const places = {
    path: placed(parameters, 'path', path, document),
    query: placed(parameters, 'query', query, document),
  };
  const whole = form.isFlat ? (body ?? {}) : (json?.schema ?? {});
  const { $defs, ...inBody } = ToolSchema.standalone(document, whole, 'arguments');
  const required = form.isFlat
    ? [...places.path.required, ...places.query.required, ...list(inBody.required).map(String)]
    : [...(path.length > 0 ? ['path'] : []), ...(json === null ? [] : ['body'])];
  const properties = form.isFlat
    ? { ...places.path.properties, ...places.query.properties, ...(inBody.properties as object) }
    : {
        ...(path.length > 0 && { path: places.path }),
        query: places.query,
        ...(form.hasBody && { body: inBody }),
      };
  const schema: Input['schema'] = {
    type: 'object',
    properties: { ...properties, storefront: options } as JSONObject,
    ...(required.length > 0 && { required }),
    ...($defs !== undefined && { $defs }),
  };
  return { form, schema };
}

function placed(
  parameters: readonly ToolSchema.Schema[],
  place: string,
  names: readonly string[],
  document: unknown,
) {
  const mine = new Map(parameters.filter((it) => it.in === place).map((it) => [String(it.name), it]));
  const schemaOf = ({ description, schema }: ToolSchema.Schema) => ({
    ...(typeof description === 'string' && { description }),
    ...ToolSchema.standalone(document, schema ?? {}, 'arguments'),
  });
  return {
    type: 'object',
    properties: Object.fromEntries(
      names.map((name) => [name, schemaOf(mine.get(name) ?? { schema: { type: 'string' } })]),
    ),
    required: names.filter((name) => place === 'path' || mine.get(name)?.required === true),
  };
}

function isPlainObject(schema: ToolSchema.Schema): boolean {
  const { properties, oneOf, anyOf, allOf } = schema;
  return ToolSchema.isObject(properties) && oneOf === undefined && anyOf === undefined && allOf === undefined;
}

/** The JSON of a request or an answer, by its media types. */
export function jsonOf(content: unknown): ToolSchema.Schema | null {
  const json = ToolSchema.isObject(content) ? content['application/json'] : undefined;
  return ToolSchema.isObject(json) ? json : null;
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
