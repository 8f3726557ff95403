import * as Schema from '@sluice/kernel/json-schema';
import { withFewUnits } from '../../../catalog/example-request.ts';
import type { Operation } from '../../../catalog/operation.ts';
import type { SampleBody } from '../code-samples.ts';
import type { OperationPage } from './outline.ts';
import type { SchemaWriter } from './schema-kind.ts';

const depthMax = 5;
/** Longer examples are cut in pages. */
const charsMax = 8_000;

/** A request that an operation takes. */
export type ExampleRequest = { path: string; body: SampleBody | null };

/** Makes a request of an operation: of the examples of its description, or of its schemas. */
export function requestOf(
  write: SchemaWriter,
  { entry, sold }: Pick<OperationPage, 'entry' | 'sold'>,
): ExampleRequest {
  const { read } = write;
  const parameters = Schema.list(entry.operation.parameters).map(read);
  const path = entry.path.replace(/\{([^}]+)\}/g, (_, name: string) => {
    const given = exampleOf(read, parameters.find((one) => one.name === name && one.in === 'path') ?? {});
    return given === undefined ? screamed(name) : encodeURIComponent(String(given));
  });
  const query = new URLSearchParams(
    parameters
      .filter((one) => one.in === 'query' && one.required === true)
      .map((one): [string, string] => [Schema.text(one.name), queryValue(read, one)]),
  );
  return {
    path: query.size === 0 ? path : `${path}?${query}`,
    body: bodyOf(write, entry.operation.requestBody, sold),
  };
}

function queryValue(read: Schema.Reader, parameter: Schema.Node): string {
  const value = exampleOf(read, parameter) ?? Schema.sample(read, parameter.schema);
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** `order_id` as `ORDER_ID`: a value that the reader has to put in. */
function screamed(name: string): string {
  return name
    .replace(/([a-z\d])([A-Z])/g, '$1_$2')
    .replace(/[^A-Za-z0-9]+/g, '_')
    .toUpperCase();
}

function exampleOf(read: Schema.Reader, carrier: Schema.Node): unknown {
  const [first] = Object.values(Schema.node(carrier.examples));
  const schema = read(carrier.schema);
  return carrier.example ?? read(first).value ?? schema.example ?? Schema.list(schema.examples)[0];
}

function bodyOf({ read }: SchemaWriter, requestBody: unknown, sold: Operation | null): SampleBody | null {
  const content = Schema.node(read(requestBody).content);
  const types = Object.keys(content);
  const json = types.find(isJson);
  if (json !== undefined) {
    const media = read(content[json]);
    const isDescribed = Object.keys(read(media.schema)).length > 0;
    const made = () => (isDescribed ? Schema.sample(read, media.schema) : bareBody(sold));
    return { kind: 'json', value: exampleOf(read, media) ?? made() };
  }
  const [type] = types;
  if (type === undefined) return null;
  const isForm = type.startsWith('application/x-www-form-urlencoded');
  if (!isForm && !type.startsWith('multipart/')) return { kind: 'file', type };
  const { properties, required } = read(read(content[type]).schema);
  const needed = Schema.list(required);
  const fields = Object.entries(Schema.node(properties))
    .filter(([name]) => needed.length === 0 || needed.includes(name))
    .map(([name, value]): [string, string] => [name, formValue(read, value)]);
  return { kind: isForm ? 'form' : 'upload', fields };
}

/** The body of an operation whose fields are not described, as the front page has it. */
function bareBody(sold: Operation | null): unknown {
  return sold === null ? {} : withFewUnits(sold, {});
}

function formValue(read: Schema.Reader, value: unknown): string {
  const schema = read(value);
  if (schema.format === 'binary' || schema.contentMediaType !== undefined) return '@file';
  const sample = Schema.sample(read, schema);
  return typeof sample === 'string' ? sample : JSON.stringify(sample);
}

/** An example of a response as indented JSON; null when it is not JSON or unknown. */
export function responseExample({ read }: SchemaWriter, response: unknown): string | null {
  const content = Schema.node(read(response).content);
  const type = Object.keys(content).find(isJson);
  if (type === undefined) return null;
  const media = read(content[type]);
  const value = exampleOf(read, media) ?? full(read, media.schema, 0, []);
  if (value === undefined || value === null) return null;
  const text = JSON.stringify(value, null, 2);
  return text.length > charsMax ? `${text.slice(0, charsMax)}\n...` : text;
}

/** A value of a schema with all of its fields. */
function full(read: Schema.Reader, value: unknown, depth: number, within: readonly string[]): unknown {
  const schema = read(value);
  const name = Schema.text(schema.named);
  const given = [schema.example, Schema.list(schema.examples)[0], schema.const].find(
    (it) => it !== undefined,
  );
  if (given !== undefined) return given;
  if (depth > depthMax || (name !== '' && within.includes(name))) return undefined;
  const inside = name === '' ? within : [...within, name];
  if (Schema.isType(schema, 'array')) {
    const item = full(read, schema.items, depth + 1, inside);
    return item === undefined ? [] : [item];
  }
  const members = Object.entries(Schema.node(schema.properties));
  if (members.length === 0) return Object.keys(schema).length === 0 ? undefined : Schema.sample(read, schema);
  return Object.fromEntries(members.map(([key, member]) => [key, full(read, member, depth + 1, inside)]));
}

export function isJson(type: string): boolean {
  return /[/+]json\b/.test(type);
}
