import type { Node, Schema } from './schema.ts';

export type JsonSchema = { [keyword: string]: unknown };

/**
 * Converts a schema to JSON Schema 2020-12. Named schemas are added to `components` and referenced. Objects are closed,
 * and optional fields are nullable, as in `read`.
 */
export function describe(schema: Schema, components: Map<string, JsonSchema>): JsonSchema {
  if (schema.name === undefined) return bare(schema, components);
  if (!components.has(schema.name)) {
    components.set(schema.name, {});
    const { name: _, ...anonymous } = schema;
    components.set(schema.name, bare(anonymous as Node, components));
  }
  return { $ref: `#/components/schemas/${schema.name}` };
}

function bare(node: Node, components: Map<string, JsonSchema>): JsonSchema {
  const description = node.about === undefined ? {} : { description: node.about };
  return { ...shape(node, components), ...description };
}

function shape(node: Node, components: Map<string, JsonSchema>): JsonSchema {
  switch (node.kind) {
    case 'text':
      return {
        type: 'string',
        ...(node.min > 0 ? { minLength: node.min } : {}),
        maxLength: node.max,
        ...(node.format ? { format: node.format } : {}),
        ...(node.rule?.pattern ? { pattern: node.rule.pattern } : {}),
      };
    case 'choice':
      return { type: 'string', enum: [...node.values] };
    case 'number':
      return { type: node.whole ? 'integer' : 'number', minimum: node.min, maximum: node.max };
    case 'flag':
      return { type: 'boolean' };
    case 'list':
      return {
        type: 'array',
        items: describe(node.item, components),
        ...(node.min > 0 ? { minItems: node.min } : {}),
        maxItems: node.max,
      };
    case 'object':
      return closed(node, components);
    case 'optional':
      if (node.fallback === undefined) return describe(node.inner, components);
      return { ...orNull(describe(node.inner, components)), ...fallback(node.fallback) };
    case 'nullable':
      return orNull(describe(node.inner, components));
    case 'or_word':
      return { anyOf: [describe(node.inner, components), { const: node.word }] };
  }
}

function closed(node: Node & { kind: 'object' }, components: Map<string, JsonSchema>): JsonSchema {
  const fields = Object.entries(node.fields);
  const required = fields.filter(([, field]) => field.kind !== 'optional').map(([name]) => name);
  return {
    type: 'object',
    additionalProperties: false,
    ...(required.length > 0 ? { required } : {}),
    properties: Object.fromEntries(fields.map(([name, field]) => [name, describe(field, components)])),
  };
}

function orNull(schema: JsonSchema): JsonSchema {
  if (typeof schema.type !== 'string' || schema.enum) return { anyOf: [schema, { type: 'null' }] };
  return { ...schema, type: [schema.type, 'null'] };
}

/** States simple default values only. Default objects would clutter the description. */
function fallback(value: unknown): JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? {} : { default: value };
}
