import type { JSONObject } from '@modelcontextprotocol/server';
import { mayHaveBody, type Operation } from '../../catalog/operation.ts';
import type { ArgumentForm } from './arguments.ts';
import * as ToolSchema from './tool-schema.ts';

/** The description of an operation in the upstream's document: the operation, and the shared parameters of its path. */
export type DescribedOperation = { operation: ToolSchema.Schema; shared: readonly unknown[] };

/** The input of a sold operation: the schema of its arguments, and their places in the request. */
export type SoldToolInput = {
  form: ArgumentForm;
  schema: { type: 'object'; properties: JSONObject; required?: string[]; $defs?: unknown };
};

/** The schema of the argument with options for the shop, which is never sent upstream. */
const options = {
  type: 'object',
  description: 'Options for this call. All are optional.',
  properties: {
    max_cost_usd: { type: 'string', description: 'Refuses the call if it could cost more, such as "0.010".' },
    idempotency_key: {
      type: 'string',
      minLength: 1,
      maxLength: 255,
      description: 'Retries with the same key and arguments return the first response and are charged once.',
    },
    receipt: { type: 'boolean', description: 'True to return a signed receipt.' },
  },
  additionalProperties: false,
};
const bodiless = new Set(['GET', 'HEAD', 'DELETE']);

/** The input of a tool. An operation without a description accepts any query and body. */
export function inputOf(
  operation: Operation,
  described: DescribedOperation | null,
  document: unknown,
  use: ToolSchema.SchemaUse = 'arguments',
): SoldToolInput {
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
    hasBody: described === null ? !bodiless.has(operation.method) : json !== null && mayHaveBody(operation),
    isFlat: described !== null && isPlain && new Set(names).size === names.length,
  };
  const whole = form.isFlat ? (body ?? {}) : (json?.schema ?? {});
  const { $defs, ...inBody } = ToolSchema.standalone(document, whole, use);
  const places = {
    path: placed(parameters, 'path', path, document, use),
    query: placed(parameters, 'query', query, document, use),
    body: inBody,
  };
  const { properties, required } = form.isFlat ? flat(places) : nested(form, places, json !== null);
  const schema: SoldToolInput['schema'] = {
    type: 'object',
    properties: { ...properties, storefront: options } as JSONObject,
    ...(required.length > 0 && { required }),
    ...($defs !== undefined && { $defs }),
  };
  return { form, schema };
}

type Placed = ReturnType<typeof placed>;
type Places = { path: Placed; query: Placed; body: ToolSchema.Schema };

/** Parameters and members of the body side by side. */
function flat({ path, query, body }: Places): { properties: object; required: string[] } {
  return {
    properties: { ...path.properties, ...query.properties, ...(body.properties as object) },
    required: [...path.required, ...query.required, ...list(body.required).map(String)],
  };
}

/** One argument for each part of the request. */
function nested(form: ArgumentForm, { path, query, body }: Places, needsBody: boolean) {
  const hasPath = form.path.length > 0;
  return {
    properties: { ...(hasPath && { path }), query, ...(form.hasBody && { body }) },
    required: [...(hasPath ? ['path'] : []), ...(needsBody ? ['body'] : [])],
  };
}

function placed(
  parameters: readonly ToolSchema.Schema[],
  place: string,
  names: readonly string[],
  document: unknown,
  use: ToolSchema.SchemaUse,
) {
  const mine = new Map(parameters.filter((it) => it.in === place).map((it) => [String(it.name), it]));
  const schemaOf = ({ description, schema }: ToolSchema.Schema) => ({
    ...(typeof description === 'string' && { description }),
    ...ToolSchema.standalone(document, schema ?? {}, use),
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

/** The JSON content of a request or a response. */
export function jsonOf(content: unknown): ToolSchema.Schema | null {
  const json = ToolSchema.isObject(content) ? content['application/json'] : undefined;
  return ToolSchema.isObject(json) ? json : null;
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
