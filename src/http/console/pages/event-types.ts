import * as Schema from '@sluice/kernel/json-schema';
import { html } from 'hono/html';
import { schemaOf } from '../../../discovery/event-reference.ts';
import { eventData, eventTypes } from '../../../payment/event-data.ts';
import { english } from '../../../text/texts.ts';
import type { Html } from '../../pages/frame.ts';
import { fieldTable } from '../../pages/reference/schema-table.ts';

/** The members of each type of event, as the OpenAPI document has them. */
export function eventTypesPage(documentPath: string): Html {
  return html`<h1>Types of events</h1>
<p class="soft">For programs: <a href="${documentPath}">OpenAPI document</a>. Amounts are integer micro-dollars. Members may be added.</p>
${eventTypes.map((type) => {
  const root = Schema.node(schemaOf(type));
  const table = fieldTable({ texts: english, root, read: Schema.reader(root) }, root, false);
  return html`<section aria-labelledby="${type}"><h2 id="${type}">${type}</h2><p>${eventData[type].description}</p>${table}</section>`;
})}`;
}
