import * as Schema from '@sluice/kernel/json-schema';
import { html } from 'hono/html';
import { schemaOf } from '../../../discovery/event-reference.ts';
import { type EventType, eventData, eventTypes } from '../../../payment/event-data.ts';
import { english } from '../../../text/texts.ts';
import { codeBlock } from '../../pages/code-block.ts';
import type { Html } from '../../pages/frame.ts';
import { fieldTable } from '../../pages/reference/schema-table.ts';
import { path } from './event-states.ts';
import { count } from './figures.ts';

/** The members that all messages have, once, and below them the member `data` of each type, as the OpenAPI document has them. */
export function eventTypesPage(documentPath: string): Html {
  return html`<p class="up"><a href="${path}">← Events</a></p><h1>Types of events</h1>
<p class="lead">Each message has the same fields around its <code>data</code>. Amounts are whole millionths of a dollar; fields may be added.</p>
<section aria-labelledby="common"><h2 id="common">In every message</h2>${fields(commonOf('account.registered'))}</section>
<section aria-labelledby="types"><h2 id="types">Types and their data</h2>
<ul class="heed types">${eventTypes.map((type) => html`<li>${typeOf(type)}</li>`)}</ul></section>
<p class="soft">For programs: <a href="${documentPath}">OpenAPI document</a></p>`;
}

const exampleTime = '2026-01-31T12:00:00Z';
/** Sample values of the members of all types; the others follow from their schemas. */
const samples: Readonly<Record<string, unknown>> = {
  ...{ id: `evt_${'0123456789abcdef'.repeat(2)}`, timestamp: exampleTime },
  ...{ account: 'acc_2x8Y', joined: 'acc_7kQ4', accounts: ['acc_2x8Y'], origin: 'purchase' },
  ...{ order: 'pur_5mT1', plan: 'start', payment: 'pi_3Pq', refund: 're_3Pq', dispute: 'dp_1Pq' },
  ...{ subscription: 'sub_1Pq', endpoint: 'ep_9dR3', amount: 25_000_000, tax: 0, units: 10_000 },
  ...{ status: 'succeeded', reason: 'fraudulent', remaining: 400_000, basis: 5_000_000 },
  ...{ period_start: exampleTime, period_end: '2026-02-28T12:00:00Z', ended_at: exampleTime },
};
const statuses: Readonly<Partial<Record<EventType, string>>> = {
  'order.refund_failed': 'failed',
  'dispute.opened': 'needs_response',
  'dispute.closed': 'won',
  'subscription.ended': 'canceled',
};

/** An example message of a type. */
export function exampleOf(type: EventType): Readonly<Record<string, unknown>> {
  const { email: _, ...members } = Schema.node(Schema.node(schemaOf(type)).properties);
  const data = Schema.node(Schema.node(members.data).properties);
  const status = statuses[type];
  const sample = ([name, of]: [string, unknown]) => {
    const { const: only, enum: choices, type: kind } = Schema.node(of);
    const first = Array.isArray(choices) ? choices[0] : undefined;
    return [name, only ?? first ?? samples[name] ?? (kind === 'boolean' ? true : '')] as const;
  };
  return {
    ...Object.fromEntries(Object.entries(members).map(sample)),
    data: {
      ...Object.fromEntries(Object.entries(data).map(sample)),
      ...(status !== undefined && { status }),
    },
  };
}

function typeOf(type: EventType): Html {
  const data = Schema.node(Schema.node(Schema.node(schemaOf(type)).properties).data);
  const number = Object.keys(Schema.node(data.properties)).length;
  const summary = html`<summary><b>${type}</b> <span class="soft">${eventData[type].description}</span></summary>`;
  return html`<details>${summary}<div id="${type}"><p class="soft">${count(number)} ${number === 1 ? 'field' : 'fields'} of <code>data</code></p>${fields(data)}<h3>Example</h3>${codeBlock(`Example of ${type}`, JSON.stringify(exampleOf(type), null, 2))}</div></details>`;
}

/** The schema of a message without the members that differ between the types. */
function commonOf(type: EventType): Schema.Node {
  const schema = Schema.node(schemaOf(type));
  const { type: _, data: __, ...common } = Schema.node(schema.properties);
  const described = {
    type: { type: 'string', description: 'One of the types below' },
    data: { type: 'object', description: 'What happened: the fields of the type, below' },
    account: { type: 'string', description: 'The account; an `event.test` has none' },
  };
  const { id, timestamp, account: ___, ...others } = common;
  const properties = { id, timestamp, ...described, ...others };
  return { ...schema, properties };
}

function fields(schema: Schema.Node): Html {
  return fieldTable({ texts: english, root: schema, read: Schema.reader(schema) }, schema, false);
}
