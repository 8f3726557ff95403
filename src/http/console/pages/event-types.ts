import * as Schema from '@sluice/kernel/json-schema';
import { html } from 'hono/html';
import { schemaOf } from '../../../discovery/event-reference.ts';
import { type EventType, eventData, eventTypes } from '../../../payment/event-data.ts';
import { english } from '../../../text/texts.ts';
import type { Html } from '../../pages/frame.ts';
import { fieldTable } from '../../pages/reference/schema-table.ts';
import { count } from './figures.ts';

/** The members that all messages have, once, and below them the member `data` of each type, as the OpenAPI document has them. */
export function eventTypesPage(documentPath: string): Html {
  return html`<h1>Types of events</h1>
<p class="lead">Each message has the same members around its <code>data</code>. Amounts are integer micro-dollars; members may be added.</p>
<section aria-labelledby="common"><h2 id="common">In every message</h2>${fields(commonOf('account.registered'))}</section>
<section aria-labelledby="types"><h2 id="types">Types and their data</h2>
<ul class="heed types">${eventTypes.map((type) => html`<li>${typeOf(type)}</li>`)}</ul></section>
<p class="soft">For programs: <a href="${documentPath}">OpenAPI document</a></p>`;
}

function typeOf(type: EventType): Html {
  const data = Schema.node(Schema.node(Schema.node(schemaOf(type)).properties).data);
  const number = Object.keys(Schema.node(data.properties)).length;
  const summary = html`<summary><b>${type}</b> <span class="soft">${eventData[type].description}</span></summary>`;
  return html`<details>${summary}<div id="${type}"><p class="soft">${count(number)} ${number === 1 ? 'field' : 'fields'} of <code>data</code></p>${fields(data)}</div></details>`;
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
