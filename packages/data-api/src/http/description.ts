import type { Operation } from '../operation.ts';
import * as FairUsage from '../records/fair-usage.ts';
import { describe as describeSchema, type JsonSchema } from '../schema/json-schema.ts';
import * as Wording from '../schema/wording.ts';
import { offered } from './operations.ts';
import * as Reply from './reply.ts';

const version = '1.0.0';
const about = `Professional profiles, companies and job postings as data.

Every call carries its key in the header \`x-api-key\`. Usage is counted in records: each operation states its cost, and a call that finds nothing is free. \`fair_usage\` in every response reports the records used and remaining. Each endpoint has its own rate limit per key, over a rolling second.

Bodies are validated in full: a \`422\` lists every unknown field and invalid value, with the nearest valid one, and uses no records. Leaving out a field and setting it to null mean the same.`;

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
      description: 'On 422 only: the errors of the body, in the order of its schema.',
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['field', 'message'],
        properties: {
          field: {
            type: 'string',
            description: 'Path of the value; for an unknown field, the path of its object.',
          },
          message: { type: 'string' },
        },
      },
    },
    fair_usage: { $ref: '#/components/schemas/FairUsage' },
  },
};

const refusals: Readonly<Record<string, [name: string, description: string]>> = {
  400: ['NotJson', 'The body is not valid JSON.'],
  401: ['NoKey', 'The API key is missing, malformed, expired or revoked.'],
  402: [
    'LimitReached',
    'The records of the plan are used up, the plan does not include this operation, or it is not active (past due, canceled, expired). The message says which, and where to see the plan.',
  ],
  404: ['NotFound', 'Unknown API key or path. Missing data is never a 404.'],
  413: ['TooLarge', 'The body is larger than 1 MiB.'],
  415: ['WrongType', 'The operation does not accept the `Content-Type` of the body.'],
  422: ['Invalid', 'The body has unknown fields or invalid values. No records were used.'],
  429: ['TooFast', 'More requests to this endpoint within a second than the plan allows.'],
  500: ['Fault', 'Internal error. No records were used.'],
  503: ['Unavailable', 'The service is temporarily unavailable. Retry after the time in `Retry-After`.'],
};

/** Refusals to show as examples, by their status. */
const exampled: Readonly<Record<string, Reply.Refusal>> = {
  400: { kind: 'unreadable' },
  404: { kind: 'not_found' },
  413: { kind: 'too_large' },
  415: { kind: 'unsupported', acceptsForms: false },
  422: { kind: 'invalid', faults: [{ field: 'max_results', message: Wording.between(1, 50) }] },
  429: { kind: 'rate_limited' },
  500: { kind: 'fault' },
  503: { kind: 'unavailable' },
};

/**
 * OpenAPI 3.1 description of the data API at `serverUrl`. `packages/data-api/openapi/data-api.yaml` is a copy of it.
 * Without a live profile source the operations that need one are left out.
 */
export function describe(serverUrl: string, hasLiveSource = true): object {
  const schemas = new Map<string, JsonSchema>();
  const paths: Record<string, object> = {};
  for (const operation of offered(hasLiveSource)) {
    paths[operation.path] = { [operation.method.toLowerCase()]: entry(operation, schemas) };
  }
  describeSchema(FairUsage.fairUsage, schemas);
  schemas.set('Error', errorSchema);
  return {
    openapi: '3.1.0',
    info: { title: 'Professional B2B data API', version, description: about },
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
        description: 'The response.',
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

/** Adds `fair_usage` to the response schema itself, because JSON Schema cannot extend a closed object. */
function withUsage(operation: Operation, schemas: Map<string, JsonSchema>): JsonSchema {
  const reference = describeSchema(operation.answer, schemas);
  if (operation.usageOnlyInHeaders) return reference;
  const name = String(reference.$ref).split('/').at(-1) ?? '';
  const bare = schemas.get(name) as { required: string[]; properties: Record<string, JsonSchema> };
  const usage = operation.limited ? FairUsage.fairUsage : FairUsage.fairUsageUnlimited;
  schemas.set(name, {
    ...bare,
    // Operations can share a schema, which then has the property already.
    required: [...new Set([...bare.required, 'fair_usage'])],
    properties: { ...bare.properties, fair_usage: describeSchema(usage, schemas) },
  });
  return reference;
}

function usageExample(operation: Operation): object {
  return {
    records_used: operation.cost === 'Free.' ? 0 : 1,
    records_remaining: 199_500,
    next_reset_at: '2026-12-12T17:48:25.199Z',
    request_id: 'req_6f0c2a4b8d1e4f7390a5c6b7d8e9f012',
    ...(operation.limited && { rate_limit: { requests_per_second: 10, remaining_this_second: 9 } }),
  };
}

function statuses(operation: Operation): string[] {
  return Object.keys(refusals).filter((status) => {
    if (['402', '429'].includes(status)) return operation.limited;
    return ['400', '413', '415', '422'].includes(status) ? operation.request !== null : true;
  });
}

function responses(): object {
  const entries = Object.entries(refusals).map(([status, [name, description]]) => [
    name,
    {
      description,
      headers: headers('x-request-id', ...(['429', '503'].includes(status) ? ['retry-after'] : [])),
      content: {
        'application/json': {
          schema: { $ref: '#/components/schemas/Error' },
          ...(exampled[status] && { example: Reply.refusal(exampled[status]).body }),
        },
      },
    },
  ]);
  return Object.fromEntries(entries);
}

const headerMeanings: Readonly<Record<string, string>> = {
  'x-request-id': 'Id of this request. Include it when you contact support.',
  'x-records-used': 'Same as `fair_usage.records_used`.',
  'x-records-remaining': 'Same as `fair_usage.records_remaining`.',
  'retry-after': 'Seconds to wait before a retry.',
};

function headers(...names: string[]): object {
  return Object.fromEntries(
    names.map((name) => [
      name,
      { description: headerMeanings[name], schema: { type: name === 'x-request-id' ? 'string' : 'integer' } },
    ]),
  );
}
