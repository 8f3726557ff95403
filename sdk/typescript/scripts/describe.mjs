// Writes what packages/data-api/openapi/data-api.yaml says about each operation as types, for test/types to compare with those of this package.
import { readFileSync, writeFileSync } from 'node:fs';
import { parse } from 'yaml';

const source =
  process.argv[2] ?? new URL('../../../packages/data-api/openapi/data-api.yaml', import.meta.url);
const { paths, components } = parse(readFileSync(source, 'utf8'));
const form = 'application/json';

const operations = Object.entries(paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, { requestBody, responses }]) => {
    const fields = requestBody ? type(requestBody.content[form].schema) : 'undefined';
    const answer = type(responses['200'].content[form].schema);
    return `  '${method.toUpperCase()} ${path}': { fields: ${fields}; answer: ${answer} };`;
  }),
);
const schemas = Object.entries(components.schemas).map(
  ([name, schema]) => `export type ${name} = ${type(schema)};`,
);
const lines = ['export interface Operations {', ...operations, '}', '', ...schemas, ''];
writeFileSync(new URL('../test/types/direct.ts', import.meta.url), lines.join('\n'));

/** A JSON Schema as a type. What this has no words for is a fault, so that nothing is passed over. */
function type(schema) {
  if (schema.$ref) return schema.$ref.split('/').at(-1);
  if (schema.anyOf) return schema.anyOf.map(type).join(' | ');
  if (schema.oneOf) return schema.oneOf.map(type).join(' | ');
  if (schema.enum)
    return union(
      schema.enum.map((value) => JSON.stringify(value)),
      schema,
    );
  if ('const' in schema) return JSON.stringify(schema.const);
  const kinds = [schema.type].flat();
  return kinds.map((kind) => single(kind, schema)).join(' | ');
}

function union(literals, { type: kinds }) {
  return [...new Set([...literals, ...([kinds].flat().includes('null') ? ['null'] : [])])].join(' | ');
}

function single(kind, { items, properties, required = [] }) {
  switch (kind) {
    case 'string':
    case 'boolean':
    case 'null':
      return kind;
    case 'number':
    case 'integer':
      return 'number';
    case 'array':
      return `(${items ? type(items) : 'unknown'})[]`;
    case 'object':
      return `{ ${Object.entries(properties ?? {})
        .map(([name, schema]) => `${name}${required.includes(name) ? '' : '?'}: ${type(schema)};`)
        .join(' ')} }`;
    default:
      throw new TypeError(`no type for ${kind}`);
  }
}
