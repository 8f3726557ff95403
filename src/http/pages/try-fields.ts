import { isDeepStrictEqual } from 'node:util';
import * as Schema from '@sluice/kernel/json-schema';
import type { Operation } from '../../catalog/operation.ts';
import type { Reference } from '../../discovery/reference.ts';
import { capitalized } from '../../text/capitalized.ts';

/** The input for a value. A `list` has one value a line; `json` is for everything that no input fits. */
export type FieldKind =
  | { kind: 'choice'; values: readonly string[] }
  | { kind: 'number'; isInteger: boolean; min: number | null; max: number | null }
  | { kind: 'boolean' }
  | { kind: 'text'; charsMax: number | null }
  | { kind: 'list' }
  | { kind: 'json' };

/** A field of an operation's request. `keys`: the name of a parameter, or the members that lead to a value of the body. */
export type RequestField = {
  place: 'path' | 'query' | 'body';
  keys: readonly string[];
  description: string;
  isRequired: boolean;
  input: FieldKind;
};

/** The request as it is sent: a path with its query, and a body as text. */
export type TypedRequest = { path: string; body: string };
type FieldFault = { field: string; fault: 'required' | 'number' | 'too_small' | 'too_large' | 'json' };

/** Objects in objects have fields of their own down to this depth. */
const depthMax = 3;
const fieldsMax = 60;

/** Returns the fields of an operation's request, the required ones first; none when its description has no schema. */
export function fieldsOf(
  reference: Reference,
  read: Schema.Reader,
  { method, path }: Operation,
): RequestField[] {
  const entry = reference.entries.find((one) => one.method === method && one.path === path);
  if (entry === undefined) return [];
  const parameters = Schema.list(entry.operation.parameters)
    .map(read)
    .flatMap((one) => ofParameter(read, one));
  const content = Schema.node(read(entry.operation.requestBody).content);
  const type = Object.keys(content).find((name) => /[/+]json\b/.test(name));
  const schema = type === undefined ? {} : read(Schema.node(content[type]).schema);
  const members = Schema.isObject(schema) ? ofMembers(read, schema, [], true) : [];
  const all = [...parameters, ...members];
  return all.toSorted((a, b) => Number(b.isRequired) - Number(a.isRequired)).slice(0, fieldsMax);
}

/** The field of a fault in a body that was written as JSON. */
export const rawBody = 'raw.body';

/** The name of a field in the form. */
export function nameOf({ place, keys }: Pick<RequestField, 'place' | 'keys'>): string {
  return [place, ...keys].join('.');
}

/** The field that a path of members leads to, or leads through; null when there is none. An API may begin the path with the place. */
export function fieldAt(fields: readonly RequestField[], keys: readonly string[]): RequestField | null {
  const leads = (path: readonly string[]) => (field: RequestField) =>
    path.length > 0 && field.keys.every((key, at) => path[at] === key);
  const found = [...fields.filter(leads(keys)), ...fields.filter(leads(keys.slice(1)))];
  return found.toSorted((a, b) => b.keys.length - a.keys.length)[0] ?? null;
}

/** The name of a field in words: `People: job title: include`. */
export function labelOf(keys: readonly string[]): string {
  const words = keys.map((key) => key.replaceAll(/[_-]+/g, ' ')).join(': ');
  return capitalized(words);
}

function ofParameter(read: Schema.Reader, parameter: Schema.Node): RequestField[] {
  const place = parameter.in;
  if (place !== 'path' && place !== 'query') return [];
  const schema = read(parameter.schema);
  const description = Schema.text(parameter.description) || Schema.text(schema.description);
  const isRequired = place === 'path' || parameter.required === true;
  return [
    { place, keys: [Schema.text(parameter.name)], description, isRequired, input: inputOf(read, schema) },
  ];
}

function ofMembers(
  read: Schema.Reader,
  schema: Schema.Node,
  above: readonly string[],
  isNeeded: boolean,
): RequestField[] {
  const required = Schema.list(schema.required);
  return Object.entries(Schema.node(schema.properties)).flatMap(([name, value]) => {
    const member = read(value);
    const keys = [...above, name];
    const isRequired = isNeeded && required.includes(name);
    if (member.readOnly === true) return [];
    if (Schema.isObject(member) && keys.length < depthMax) return ofMembers(read, member, keys, isRequired);
    const description = Schema.text(member.description);
    return [{ place: 'body' as const, keys, description, isRequired, input: inputOf(read, member) }];
  });
}

function inputOf(read: Schema.Reader, schema: Schema.Node): FieldKind {
  const values = Schema.list(schema.enum).filter((value) => typeof value === 'string');
  if (values.length > 0) return { kind: 'choice', values };
  const isInteger = Schema.isType(schema, 'integer');
  if (isInteger || Schema.isType(schema, 'number'))
    return { kind: 'number', isInteger, min: limit(schema.minimum), max: limit(schema.maximum) };
  if (Schema.isType(schema, 'boolean')) return { kind: 'boolean' };
  if (Schema.isType(schema, 'string')) return { kind: 'text', charsMax: limit(schema.maxLength) };
  if (Schema.isType(schema, 'array') && Schema.isType(read(schema.items), 'string')) return { kind: 'list' };
  return { kind: 'json' };
}

function limit(value: unknown): number | null {
  return typeof value === 'number' ? value : null;
}

/** Returns the values of the fields in a request, as they are typed; a request that cannot be read has none. */
export function valuesOf(
  fields: readonly RequestField[],
  { path: template }: Operation,
  { path, body }: TypedRequest,
): URLSearchParams {
  const values = new URLSearchParams();
  const [plain = '', query = ''] = path.split('?', 2);
  const parameters = new URLSearchParams(query);
  const json = parsed(body);
  for (const field of fields) {
    const [name = ''] = field.keys;
    const value =
      field.place === 'body'
        ? typed(
            field,
            field.keys.reduce<unknown>((at, key) => Schema.node(at)[key], json),
          )
        : field.place === 'query'
          ? parameters.getAll(name).join('\n')
          : segmentOf(template, plain, name);
    if (value !== '') values.set(nameOf(field), value);
  }
  return values;
}

/** The value of a path parameter; empty while the path still has the template's own segment. */
function segmentOf(template: string, path: string, name: string): string {
  const at = template.split('/').indexOf(`{${name}}`);
  const segment = path.split('/')[at] ?? '';
  if (at < 0 || segment.startsWith('{')) return '';
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

function typed({ input }: RequestField, value: unknown): string {
  if (value === undefined || value === null) return '';
  if (input.kind === 'list' && Array.isArray(value)) return value.join('\n');
  return typeof value === 'string' && input.kind !== 'json' ? value : JSON.stringify(value);
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return {};
  }
}

/** Returns the request of a filled-in form, without its empty fields, and what is wrong with which field. */
export function requestOf(
  fields: readonly RequestField[],
  { path: template, method }: Operation,
  form: URLSearchParams,
): TypedRequest & { faults: FieldFault[] } {
  const faults: FieldFault[] = [];
  const query = new URLSearchParams();
  const body: Record<string, unknown> = {};
  let path = template;
  for (const field of fields) {
    const text = (form.get(nameOf(field)) ?? '').trim();
    const [name = ''] = field.keys;
    if (text === '') {
      if (field.isRequired) faults.push({ field: nameOf(field), fault: 'required' });
      continue;
    }
    const read = readValue(field.input, text);
    if (read.kind === 'fault') faults.push({ field: nameOf(field), fault: read.fault });
    else if (field.place === 'path') path = path.replace(`{${name}}`, encodeURIComponent(text));
    else if (field.place === 'query')
      for (const value of [read.value].flat()) query.append(name, String(value));
    else put(body, field.keys, read.value);
  }
  const text = query.size === 0 ? '' : `?${query}`;
  const hasBody = method !== 'GET' && method !== 'DELETE';
  return { path: path + text, body: hasBody ? JSON.stringify(body, null, 2) : '', faults };
}

/** Returns true when the fields hold a whole request: read from them again, it is the same. */
export function holdsAll(
  fields: readonly RequestField[],
  operation: Operation,
  request: TypedRequest,
): boolean {
  const again = requestOf(fields, operation, valuesOf(fields, operation, request));
  const parts = ({ path, body }: TypedRequest) => {
    const [plain, query] = path.split('?', 2);
    return { plain, query: [...new URLSearchParams(query)], body: body.trim() === '' ? {} : parsed(body) };
  };
  return isDeepStrictEqual(parts(again), parts(request));
}

type ReadValue = { kind: 'value'; value: unknown } | { kind: 'fault'; fault: FieldFault['fault'] };

function readValue(input: FieldKind, text: string): ReadValue {
  switch (input.kind) {
    case 'number': {
      const value = Number(text);
      if (!Number.isFinite(value) || (input.isInteger && !Number.isSafeInteger(value)))
        return { kind: 'fault', fault: 'number' };
      if (input.min !== null && value < input.min) return { kind: 'fault', fault: 'too_small' };
      if (input.max !== null && value > input.max) return { kind: 'fault', fault: 'too_large' };
      return { kind: 'value', value };
    }
    case 'boolean':
      return { kind: 'value', value: text === 'true' };
    case 'list':
      return {
        kind: 'value',
        value: text
          .split(/\r?\n/)
          .map((line) => line.trim())
          .filter((line) => line !== ''),
      };
    case 'json':
      try {
        return { kind: 'value', value: JSON.parse(text) };
      } catch {
        return { kind: 'fault', fault: 'json' };
      }
    default:
      return { kind: 'value', value: text };
  }
}

/** Sets a value of nested objects. Names such as `__proto__` are members like any other. */
function put(body: Record<string, unknown>, keys: readonly string[], value: unknown): void {
  let at = body;
  for (const key of keys.slice(0, -1)) {
    if (!Object.hasOwn(at, key)) define(at, key, {});
    at = at[key] as Record<string, unknown>;
  }
  define(at, keys.at(-1) ?? '', value);
}

function define(object: Record<string, unknown>, key: string, value: unknown): void {
  Object.defineProperty(object, key, { value, enumerable: true, writable: true, configurable: true });
}
