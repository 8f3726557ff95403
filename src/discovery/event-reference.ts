import { z } from 'zod';
import { type EventType, eventData, eventTypes, messageSchema } from '../payment/event-data.ts';

type Json = Readonly<Record<string, unknown>>;

const headers = {
  'webhook-id': 'The id of the event, the same for each attempt.',
  'webhook-timestamp': 'The time of the attempt, in seconds since 1970.',
  'webhook-signature':
    'One or two signatures, separated by a space: `v1,` and the HMAC-SHA256 of id, timestamp and body, joined by ".". Two during a rotation of the secret.',
};

/** Returns the OpenAPI document of the seller's events. Its schemas are made of those that the tests hold delivered messages against. */
export function eventDocument(): Json {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Events of the shop',
      version: '1.0.0',
      description:
        'Messages to the endpoints that the seller has added, signed by Standard Webhooks (https://www.standardwebhooks.com), in order per account, at least once. Amounts are integer micro-dollars.',
    },
    webhooks: Object.fromEntries(eventTypes.map((type) => [type, { post: operation(type) }])),
    components: {
      schemas: Object.fromEntries(eventTypes.map((type) => [type, schemaOf(type)])),
      parameters: Object.fromEntries(
        Object.entries(headers).map(([name, description]) => [
          name,
          { name, in: 'header', required: true, description, schema: { type: 'string' } },
        ]),
      ),
    },
  };
}

function operation(type: EventType): Json {
  return {
    operationId: type,
    summary: eventData[type].description,
    parameters: Object.keys(headers).map((name) => ({ $ref: `#/components/parameters/${name}` })),
    requestBody: {
      required: true,
      content: { 'application/json': { schema: { $ref: `#/components/schemas/${type}` } } },
    },
    responses: {
      '2XX': { description: 'Received. Answer within 15 seconds, and work later.' },
      '410': { description: 'The endpoint is gone: it is disabled, and its events wait.' },
      default: { description: 'Not received: the message is sent again later.' },
    },
  };
}

/** Returns the JSON Schema of a type's message. */
export function schemaOf(type: EventType): Json {
  const { $schema: _, ...schema } = z.toJSONSchema(messageSchema(type), { io: 'input' });
  return schema;
}
