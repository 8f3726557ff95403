import { html } from 'hono/html';
import {
  type Endpoint,
  type EventFilter,
  eventTypes,
  type ListedDelivery,
  type SellerEvent,
} from '../../../payment/event.ts';
import { capitalized } from '../../../text/capitalized.ts';
import type { Html } from '../../pages/frame.ts';
import { type FormResult, resultLine } from './account.ts';
import { confirmation } from './confirmation.ts';
import { addForm, type EndpointDraft, endpointRow } from './event-endpoints.ts';
import { accountLink, path, stateNames, stateOf } from './event-states.ts';
import { field, filterForm, pages, queryOf, select } from './fields.ts';
import { count, moment, sign, table } from './figures.ts';

type ListedEvent = SellerEvent & { deliveries: readonly ListedDelivery[] };

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
  /** A refused form for an endpoint. */
  draft: EndpointDraft | null;
  nowMs: number;
  /** A refused form that delivers events again: its fields, its fault and the field that has it. */
  replay: Readonly<Record<string, string>> | null;
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

function withoutPage({
  type,
  account,
  state,
  isFailing,
}: EventFilter): Readonly<Record<string, string | undefined>> {
  return { type, account, state: isFailing ? 'failing' : state };
}

function filterFields(filter: EventFilter): Html[] {
  const { type, account, state } = withoutPage(filter);
  const states = Object.entries(stateNames);
  return [
    select('type', 'Type', [['', 'All'], ...eventTypes.map((one) => [one, one] as const)], type ?? ''),
    select(
      'state',
      'Delivery',
      [['', 'All'], ...states.map(([one, name]) => [one, capitalized(name)] as const)],
      state ?? '',
    ),
    field({ name: 'account', label: 'Account', value: account ?? '' }),
  ];
}

function eventTable({ events: found, filter, next, nowMs }: EventsFacts): Html {
  if (found.length === 0)
    return Object.values(filter).some((value) => value != null)
      ? html`<p>No events match.</p>`
      : html`<p>No events yet. The first account or sale causes one; an endpoint added before then receives it.</p>`;
  const query = queryOf(withoutPage(filter));
  const rows = found.map(
    ({ id, type, atMs, account, deliveries, position }) =>
      html`<tr><th scope="row"><a href="${path}/${id}">${type}</a></th><td>${moment(atMs)}</td><td>${accountLink(account)}</td><td>${deliveryOf(type, position, deliveries, nowMs)}</td></tr>`,
  );
  return html`${table('Events', ['Type', { bare: 'When' }, { bare: 'Account' }, { lead: 'Delivery' }], rows, 'stack')}
${pages(path, query, filter.before == null, next === null ? null : `before=${next}`)}`;
}

/** The states of an event's deliveries. A test event has an endpoint, also before it is published to it. */
function deliveryOf(
  type: string,
  position: number | null,
  deliveries: readonly ListedDelivery[],
  nowMs: number,
): Html | Html[] {
  if (deliveries.length > 0) return deliveries.map((one) => html`<div>${stateOf(one, nowMs)}</div>`);
  return type === 'event.test' && position === null
    ? sign('waiting', 'warn')
    : html`<span class="soft">–</span>`;
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
<form method="post" action="${path}"><input type="hidden" name="act" value="review">
<div class="grid-fields"><div>${select('id', 'Endpoint', list, draft?.id ?? '')}</div>
<div>${select('types', 'Type', types, draft?.types ?? '')}</div>
<div>${field({ ...of('since', 'From the day (UTC)', 'Included'), type: 'date' })}</div>
<div>${field({ ...of('until', 'To the day (UTC)', 'Included; empty: today'), type: 'date' })}</div></div>
<details ${isById ? 'open' : ''}><summary>From and to an event, by id</summary><div class="grid-fields"><div>${field({ ...of('from', 'From event', 'In place of the first day'), placeholder: 'evt_...' })}</div>
<div>${field({ ...of('to', 'To event', 'Empty: the latest'), placeholder: 'evt_...' })}</div></div></details>
<button class="plain">Continue</button> <span class="soft">The next page shows the number of events.</span></form></details></section>`;
}

/** Shows how many events are delivered again before they are. `fields`: the form that was sent. */
export function confirmReplay(
  { url, state }: Endpoint,
  { count: number, isMore }: { count: number; isMore: boolean },
  fields: ReadonlyMap<string, string>,
): Html {
  const what = `${isMore ? 'more than ' : ''}${count(number)} ${number === 1 ? 'event' : 'events'}`;
  const names = {
    since: 'From the day',
    until: 'To the day',
    from: 'From event',
    to: 'To event',
    types: 'Type',
  };
  const limits = Object.entries(names).flatMap(([name, label]) => {
    const value = fields.get(name)?.trim();
    return value ? [[label, value] as const] : [];
  });
  return confirmation({
    question: `Deliver ${what} again?`,
    subject: 'Endpoint',
    facts: [['Address', url], ...limits],
    effects: [
      'Your program receives them with the ids that they had, in order per account, also those that it has received before.',
      'New events of these accounts come after them.',
      ...(isMore ? ['They are queued in several runs. The next page names the event to continue from.'] : []),
      ...(state === 'on' ? [] : ['The endpoint is off: they wait until you enable it.']),
    ],
    action: path,
    fields: html`${[...fields].map(([name, value]) => html`<input type="hidden" name="${name}" value="${name === 'act' ? 'replay' : value}">`)}`,
    button: `Deliver ${what}`,
    isDangerous: false,
    back: path,
  });
}
