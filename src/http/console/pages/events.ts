import { html, raw } from 'hono/html';
import {
  type Delivery,
  type Endpoint,
  type EventFilter,
  eventTypes,
  type SellerEvent,
} from '../../../payment/event.ts';
import { capitalized } from '../../../text/capitalized.ts';
import type { Html } from '../../pages/frame.ts';
import { type FormResult, resultLine } from './account.ts';
import { confirmation } from './confirmation.ts';
import { field, filterForm, pages, queryOf, select } from './fields.ts';
import { copied, count, moment, pairs, sign, table } from './figures.ts';
import { shortId } from './orders.ts';

export const path = '/admin/console/events';

type ListedEvent = SellerEvent & { states: readonly Delivery['state'][] };

export type EventsFacts = {
  filter: EventFilter;
  events: readonly ListedEvent[];
  /** The last event of this page when there are more. */
  next: string | null;
  endpoints: readonly Endpoint[];
  canChange: boolean;
  canReplay: boolean;
  result: FormResult;
  /** A new secret. It is shown once. */
  secret: string | null;
  /** A refused endpoint: its fields, and their faults. */
  draft: { url: string; types: string; isSome: boolean; faults: Readonly<Record<string, string>> } | null;
  /** A refused form that delivers events again: its fields, its fault and the field that has it. */
  replay: Readonly<Record<string, string>> | null;
};

const reasons: Readonly<Record<NonNullable<Endpoint['reason']>, string>> = {
  gone: 'the endpoint answered 410 Gone',
  failing: 'it failed for three days',
  seller: 'switched off by your team',
};

/** The events of the outbox, and the endpoints that they are delivered to. */
export function events(facts: EventsFacts): Html {
  const { filter, endpoints, canChange, canReplay, result, secret, replay } = facts;
  return html`<h1>Events</h1>
${resultLine(result)}
${secret === null ? '' : html`<section><h2>Secret of the endpoint</h2><p>Copy it now: it is shown once. Your program verifies the signatures of events with it.</p><pre class="secret" tabindex="0" aria-label="Secret">${secret}</pre></section>`}
<section aria-labelledby="endpoints"><h2 id="endpoints">Endpoints</h2>
<p class="soft">Addresses of your programs that receive orders, refunds, disputes, new accounts and low credit. Events are signed (Standard Webhooks) and arrive in order for each account. <a href="${path}/types">Types of events</a></p>
${
  endpoints.length === 0
    ? html`<p>No endpoints. You only need one if a program of yours has to know about sales, refunds or new accounts.</p>`
    : table(
        'Endpoints',
        [
          'Address',
          { bare: 'Status' },
          { bare: 'Types' },
          { number: 'Waiting' },
          { number: 'Given up' },
          ...(canReplay ? ['', ''] : []),
        ],
        endpoints.map((one) => endpointRow(one, facts)),
      )
}${canChange ? addForm(facts.draft, endpoints.length === 0) : ''}</section>
<section aria-labelledby="events"><h2 id="events">Events</h2>
${filterForm(path, filterFields(filter), queryOf(withoutPage(filter)), filter.account !== undefined)}
${eventTable(facts)}</section>
${canReplay && endpoints.length > 0 ? replayForm(endpoints, replay) : ''}`;
}

function withoutPage({ type, account, state }: EventFilter): Readonly<Record<string, string | undefined>> {
  return { type, account, state };
}

function filterFields({ type, account, state }: EventFilter): Html[] {
  const states = ['waiting', 'delivered', 'failed'] as const;
  return [
    select('type', 'Type', [['', 'All'], ...eventTypes.map((one) => [one, one] as const)], type ?? ''),
    select(
      'state',
      'Delivery',
      [['', 'All'], ...states.map((one) => [one, capitalized(one)] as const)],
      state ?? '',
    ),
    field({ name: 'account', label: 'Account', value: account ?? '' }),
  ];
}

function eventTable({ events: found, filter, next }: EventsFacts): Html {
  if (found.length === 0)
    return Object.values(filter).some((value) => value != null)
      ? html`<p>No events match.</p>`
      : html`<p>No events yet. The first account or sale causes one; an endpoint added before then receives it.</p>`;
  const query = queryOf(withoutPage(filter));
  const rows = found.map(
    ({ id, type, atMs, account, states, position }) =>
      html`<tr><th scope="row"><a href="${path}/${id}">${type}</a></th><td>${moment(atMs)}</td><td>${accountLink(account)}</td><td>${deliveryOf(type, position, states)}</td></tr>`,
  );
  return html`${table('Events', ['Type', { bare: 'When' }, { bare: 'Account' }, { lead: 'Delivery' }], rows, 'stack')}
${pages(path, query, filter.before == null, next === null ? null : `before=${next}`)}`;
}

/** The states of an event's deliveries. A test event has an endpoint, also before it is published to it. */
function deliveryOf(
  type: string,
  position: number | null,
  states: readonly Delivery['state'][],
): Html | Html[] {
  if (states.length > 0) return states.map(stateSign);
  return type === 'event.test' && position === null
    ? stateSign('waiting')
    : html`<span class="soft">–</span>`;
}

function accountLink(account: string): Html {
  return account === ''
    ? html``
    : html`<a class="id" href="/admin/console/accounts/${account}">${shortId(account)}</a>`;
}

function stateSign(state: Delivery['state']): Html {
  return sign(state, state === 'failed' || (state === 'waiting' && 'warn'));
}

function endpointRow(one: Endpoint, { canChange, canReplay }: EventsFacts): Html {
  const { id, url, types, state, reason, failingSinceMs, waiting, failed } = one;
  const status =
    state === 'disabled'
      ? html`${sign('off', true)} <span class="soft small">${reason === null ? '' : reasons[reason]}</span>`
      : failingSinceMs === null
        ? sign('on')
        : html`${sign('fails', true)} <span class="soft small">since ${moment(failingSinceMs)}</span>`;
  const button = (act: string, words: string) =>
    html`<form method="post" action="${path}"><input type="hidden" name="act" value="${act}"><input type="hidden" name="id" value="${id}"><button class="quiet">${words}</button></form>`;
  const change = canChange
    ? html`<details><summary>Change</summary><div class="choices">${state === 'on' ? button('disable', 'Disable') : button('enable', 'Enable')}${button('rotate', 'New secret')}<a class="danger" href="${path}/endpoints/${id}/secret">Replace the secret at once</a><a class="danger" href="${path}/endpoints/${id}/remove">Remove endpoint</a></div></details>`
    : '';
  return html`<tr><th scope="row">${url.split(/(?=[/?&])/).map((part) => html`${part}<wbr>`)}</th><td>${status}</td><td>${types?.join(', ') ?? 'all types'}</td>
<td class="number">${count(waiting)}</td><td class="number">${count(failed)}</td>${canReplay ? html`<td class="acts">${state === 'on' ? button('test', 'Send a test event') : ''}</td><td>${change}</td>` : ''}</tr>`;
}

/** Shows the effects of removing an endpoint before it is done. */
export function confirmRemoval({ id, url, waiting, failed }: Endpoint): Html {
  return confirmation({
    question: 'Remove this endpoint?',
    subject: 'Endpoint',
    facts: [
      ['Address', url],
      ['Waiting', count(waiting)],
      ['Failed', count(failed)],
    ],
    effects: [
      'It receives no more events, also not those that wait.',
      'The record of its deliveries is deleted, and its secret ends.',
      'The events themselves are kept.',
    ],
    action: path,
    fields: html`<input type="hidden" name="act" value="remove"><input type="hidden" name="id" value="${id}">`,
    button: 'Remove endpoint',
    back: path,
  });
}

/** Shows the effects of a new secret that ends the former one at once. */
export function confirmSecret({ id, url, waiting }: Endpoint): Html {
  return confirmation({
    question: 'End the secret of this endpoint now?',
    subject: 'Endpoint',
    facts: [
      ['Address', url],
      ['Waiting', count(waiting)],
    ],
    effects: [
      'A new secret is made and shown once, on the next page.',
      'The former secret signs no more events, from the next delivery on. Your program refuses all events until it has the new one.',
      'Refused events are tried again for about two days, so none is lost if you change the secret in your program soon.',
      html`If the former secret is known to you alone, choose <b>New secret</b> in place of this: both sign for a day, and nothing is refused.`,
    ],
    action: path,
    fields: html`<input type="hidden" name="act" value="replace"><input type="hidden" name="id" value="${id}">`,
    button: 'End the former secret now',
    back: path,
  });
}

/** The form for an endpoint, open while there is none. */
function addForm(draft: EventsFacts['draft'], isFirst: boolean): Html {
  return html`<details class="add" ${isFirst || draft !== null ? 'open' : ''}><summary>Add an endpoint</summary>
<form class="half" method="post" action="${path}"><input type="hidden" name="act" value="add">
${field({ name: 'url', label: 'Address', placeholder: 'https://example.com/events', value: draft?.url ?? '', fault: draft?.faults.url, isRequired: true })}
${typeBoxes(draft)}
<button>Add endpoint</button></form></details>`;
}

/** All types of events, or some as boxes. A test event is sent to any endpoint. */
function typeBoxes(draft: EventsFacts['draft']): Html {
  const chosen = new Set(draft?.types.split(','));
  const fault = draft?.faults.types;
  const way = (value: string, name: string, isChosen: boolean) =>
    html`<label class="check"><input type="radio" name="which" value="${value}" ${isChosen ? 'checked' : ''}> ${name}</label>`;
  const box = (type: string) =>
    html`<label class="check"><input type="checkbox" name="types" value="${type}" ${chosen.has(type) ? 'checked' : ''}> ${type}</label>`;
  return html`<fieldset class="services"${fault === undefined ? '' : raw(' aria-describedby="types-fault"')}><legend>Types of events</legend>
<div class="ways">${way('all', 'All types, also those of later versions', !draft?.isSome)}${way('some', 'Only these:', draft?.isSome === true)}</div><div class="boxes">${eventTypes.filter((type) => type !== 'event.test').map(box)}</div>${fault === undefined ? '' : html`<p class="fault" id="types-fault">${fault}</p>`}</fieldset>`;
}

/** The form that delivers events again. `draft`: its input after a fault, with the field that has it. */
function replayForm(endpoints: readonly Endpoint[], draft: EventsFacts['replay']): Html {
  const of = (name: string, label: string, hint: string) => ({
    ...{ name, label, hint, value: draft?.[name] ?? '' },
    fault: draft?.at === name ? draft.fault : undefined,
  });
  const list = endpoints.map(({ id, url }) => [id, url] as const);
  const types = [['', 'All'], ...eventTypes.map((one) => [one, one] as const)] as const;
  const isById = Boolean(draft?.from || draft?.to);
  return html`<section aria-labelledby="replay"><details ${draft === null ? '' : 'open'}><summary><h2 id="replay">Deliver again</h2></summary>
<p class="soft">Also events from before the endpoint was added. They keep their ids and their order per account.</p>
<form method="post" action="${path}"><input type="hidden" name="act" value="replay">
<div class="grid-fields"><div>${select('id', 'Endpoint', list, draft?.id ?? '')}</div>
<div>${select('types', 'Type', types, draft?.types ?? '')}</div>
<div>${field({ ...of('since', 'From the day (UTC)', 'Included'), type: 'date' })}</div>
<div>${field({ ...of('until', 'To the day (UTC)', 'Included; empty: today'), type: 'date' })}</div></div>
<details ${isById ? 'open' : ''}><summary>From and to an event, by id</summary><div class="grid-fields"><div>${field({ ...of('from', 'From event', 'In place of the first day'), placeholder: 'evt_...' })}</div>
<div>${field({ ...of('to', 'To event', 'Empty: the latest'), placeholder: 'evt_...' })}</div></div></details>
<button class="plain">Deliver again</button></form></details></section>`;
}

const faultNames: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'Connection refused',
  ECONNRESET: 'Connection closed',
  ENOTFOUND: 'Host not found',
  ETIMEDOUT: 'No connection in time',
};

function faultText(fault: string): string {
  // The status has its own column.
  if (/^status \d+$/.test(fault)) return 'Not accepted';
  return faultNames[fault] ?? capitalized(fault);
}

/** One event with its deliveries and their attempts. */
export function event(
  { event: one, deliveries }: { event: SellerEvent; deliveries: readonly Delivery[] },
  all: readonly Endpoint[],
  canReplay: boolean,
  result: FormResult,
): Html {
  // A test event is meant for one endpoint.
  const endpoints = all.filter(
    ({ id, types }) =>
      one.type !== 'event.test' &&
      types?.includes(one.type) !== false &&
      !deliveries.some(({ endpoint }) => endpoint === id),
  );
  return html`<p class="up"><a href="${path}">← Events</a></p><h1>${one.type}</h1>
${resultLine(result)}
<section aria-labelledby="event"><h2 id="event">Event</h2>
${pairs([['Time', moment(one.atMs)], ...(one.account === '' ? [] : [['Account', accountLink(one.account)] as const]), ['Id', copied(one.id)]])}
<h3>Data</h3><pre tabindex="0" aria-label="Data">${JSON.stringify(one.data, null, 2)}</pre></section>
${deliveries.map((delivery) => deliverySection(one, delivery, canReplay))}
${endpoints.length > 0 && canReplay ? deliverTo(one.id, endpoints) : deliveries.length > 0 ? '' : html`<p class="soft">No endpoint receives this event.</p>`}`;
}

/** Delivers an event to an endpoint that it was not sent to. */
function deliverTo(id: string, endpoints: readonly Endpoint[]): Html {
  return html`<section aria-labelledby="deliver"><h2 id="deliver">Deliver to another endpoint</h2><p class="soft">The endpoints below have not received this event, for example because they were added later.</p>
<form class="half" method="post" action="${path}/${id}"><input type="hidden" name="act" value="again">${select(
    'id',
    'Endpoint',
    endpoints.map(({ id: one, url }) => [one, url] as const),
    '',
  )}<button class="plain">Deliver</button></form></section>`;
}

/** When a waiting event is tried. Events of an account follow each other, so an earlier one may be tried first. */
function nextAttempt(dueMs: number | null, isOfAccount: boolean): Html {
  if (dueMs === null) return html`It waits until the endpoint is enabled.`;
  return html`The next attempt is due ${moment(dueMs)}.${isOfAccount ? ' Earlier events of the account come first.' : ''}`;
}

function deliverySection(
  { id, account }: SellerEvent,
  { endpoint, url, state, attempts, dueMs }: Delivery,
  canReplay: boolean,
): Html {
  const rows = attempts
    .toReversed()
    .map(
      ({ at, ms, status, fault }) =>
        html`<tr><th scope="row">${fault === null ? 'Accepted' : faultText(fault)}</th><td>${moment(Date.parse(at))}</td><td class="number">${count(ms)} ms</td><td>${status === null || status === undefined ? '' : `HTTP ${status}`}</td></tr>`,
    );
  const again = html`<form method="post" action="${path}/${id}"><input type="hidden" name="act" value="again"><input type="hidden" name="id" value="${endpoint}"><button class="plain">Deliver again</button></form>`;
  return html`<section aria-labelledby="${endpoint}"><h2 id="${endpoint}"><span class="words">${url}</span> ${state === 'waiting' && attempts.length > 0 ? sign('failing', true) : stateSign(state)}</h2>
${rows.length === 0 ? html`<p class="soft">No attempts yet.</p>` : table('Attempts', ['Result', { bare: 'When' }, { number: 'Took', onPhone: 'bare' as const }, { bare: 'Response' }], rows, 'stack')}
${state === 'waiting' ? html`<p class="soft">${nextAttempt(dueMs, account !== '')}</p>` : canReplay ? again : ''}</section>`;
}
