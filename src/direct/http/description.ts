import type { Operation } from '../operation.ts';
import * as FairUsage from '../records/fair-usage.ts';
import { describe as describeSchema, type JsonSchema } from '../schema/json-schema.ts';
import { operations } from './operations.ts';

const version = '1.0.0';
const about = `Professional profiles, companies and job postings as data.

Every call carries its key in the header \`x-api-key\`. What it returns is counted in records; each operation states its cost, a call that finds nothing costs nothing, and \`fair_usage\` in every answer says what was used and what is left. Each endpoint has its own rate limit per key, over a rolling second.

Bodies are checked in full: a \`422\` names every unknown field and every wrong value, with the nearest right one, and has used no records. Fields that are left out and fields that are null mean the same.`;

const errorSchema: JsonSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['success', 'message'],
  properties: {
    success: { const: false },
    message: { type: 'string' },
    errors: {
      type: 'array',
      maxItems: 20,
      description: 'On 422 only: what is wrong with the body, in the order of its schema.',
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['field', 'message'],
        properties: {
          field: { type: 'string', description: 'Path of the value; for an unknown field, of its object.' },
          message: { type: 'string' },
        },
      },
    },
    fair_usage: { $ref: '#/components/schemas/FairUsage' },
  },
};

const refusals: Readonly<Record<string, [name: string, description: string]>> = {
  400: ['NotJson', 'The body is not valid JSON.'],
  401: ['NoKey', 'The key is missing, malformed or revoked.'],
  402: ['LimitReached', 'The records of the plan are used up, or the plan does not open this operation.'],
  404: ['NotFound', 'No such key, or no such path. Data that is not there is never a 404.'],
  413: ['TooLarge', 'The body is larger than 1 MiB.'],
  422: ['Invalid', 'Unknown fields or wrong values. Nothing ran and no records were used.'],
  429: ['TooFast', 'More requests on this endpoint within a second than the plan allows.'],
  500: ['Fault', 'A fault on this side. No records were used.'],
  503: ['Unavailable', 'Part of the service is out of reach; the same request may work in a moment.'],
};

/** The whole interface in OpenAPI 3.1, as callers at `serverUrl` see it. `openapi/direct.yaml` is a copy of it. */
export function describe(serverUrl: string): object {
  const schemas = new Map<string, JsonSchema>();
  const paths: Record<string, object> = {};
  for (const operation of operations) {
    paths[operation.path] = { [operation.method.toLowerCase()]: entry(operation, schemas) };
  }
  describeSchema(FairUsage.fairUsage, schemas);
  schemas.set('Error', errorSchema);
  return {
    openapi: '3.1.0',
    info: { title: 'Professional B2B data: direct interface', version, description: about },
    servers: [{ url: serverUrl }],
    security: [{ apiKey: [] }],
    paths,
    components: {
      securitySchemes: { apiKey: { type: 'apiKey', in: 'header', name: 'x-api-key' } },
      schemas: Object.fromEntries([...schemas].sort(([a], [b]) => a.localeCompare(b))),
      responses: responses(),
    },
  };
}

function entry(operation: Operation, schemas: Map<string, JsonSchema>): object {
  return {
    operationId: operation.id,
    summary: operation.summary,
    description: `${operation.about}\n\nCost: ${operation.cost}`,
    ...(operation.request && {
      requestBody: requestBody(operation, describeSchema(operation.request, schemas)),
    }),
    responses: {
      200: {
        description: 'The answer.',
        headers: headers('x-request-id', 'x-records-used', 'x-records-remaining'),
        content: {
          'application/json': {
            schema: withUsage(operation, schemas),
            example: operation.usageOnlyInHeaders
              ? operation.example.answer
              : { ...operation.example.answer, fair_usage: usageExample(operation) },
          },
        },
      },
      ...Object.fromEntries(
        statuses(operation).map((status) => [
          status,
          { $ref: `#/components/responses/${refusals[status]?.[0]}` },
        ]),
      ),
    },
  };
}

function requestBody(operation: Operation, schema: JsonSchema): object {
  const types = operation.acceptsForms
    ? ['application/json', 'application/x-www-form-urlencoded', 'multipart/form-data']
    : ['application/json'];
  const content = types.map((type) => [
    type,
    type === 'application/json' ? { schema, example: operation.example.request } : { schema },
  ]);
  return { required: !operation.bodyIsOptional, content: Object.fromEntries(content) };
}

/** The answer's schema with `fair_usage` as its last property: JSON Schema cannot add to a closed object from outside. */
function withUsage(operation: Operation, schemas: Map<string, JsonSchema>): JsonSchema {
  const reference = describeSchema(operation.answer, schemas);
  if (operation.usageOnlyInHeaders) return reference;
  const name = String(reference.$ref).split('/').at(-1) ?? '';
  const bare = schemas.get(name) as { required: string[]; properties: Record<string, JsonSchema> };
  const usage = operation.limited ? FairUsage.fairUsage : FairUsage.fairUsageUnlimited;
  schemas.set(name, {
    ...bare,
    // A schema of several operations is told once for each, and has it once.
    required: [...new Set([...bare.required, 'fair_usage'])],
    properties: { ...bare.properties, fair_usage: describeSchema(usage, schemas) },
  });
  return reference;
}

function usageExample(operation: Operation): object {
  return {
    records_used: operation.limited ? 1 : 0,
    records_remaining: 199_500,
    next_reset_at: '2026-12-12T17:48:25.199Z',
    request_id: 'req_6f0c2a4b8d1e4f7390a5c6b7d8e9f012',
    ...(operation.limited && { rate_limit: { requests_per_second: 10, remaining_this_second: 9 } }),
  };
}

function statuses(operation: Operation): string[] {
  return Object.keys(refusals).filter((status) => {
    if (['402', '429'].includes(status)) return operation.limited;
    return ['400', '413', '422'].includes(status) ? operation.request !== null : true;
  });
}

function responses(): object {
  const entries = Object.entries(refusals).map(([status, [name, description]]) => [
    name,
    {
      description,
      headers: headers('x-request-id', ...(['429', '503'].includes(status) ? ['retry-after'] : [])),
      content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
    },
  ]);
  return Object.fromEntries(entries);
}

const headerMeanings: Readonly<Record<string, string>> = {
  'x-request-id': 'The id of this request; quote it to support.',
  'x-records-used': 'As `fair_usage.records_used`.',
  'x-records-remaining': 'As `fair_usage.records_remaining`.',
  'retry-after': 'Seconds to wait.',
};

function headers(...names: string[]): object {
  return Object.fromEntries(
    names.map((name) => [
      name,
      { description: headerMeanings[name], schema: { type: name === 'x-request-id' ? 'string' : 'integer' } },
    ]),
  );
}
