import { html } from 'hono/html';
import {
  type Delivery,
  type Endpoint,
  isFailing,
  type SellerEvent,
  type Wait,
} from '../../../payment/event.ts';
import { capitalized } from '../../../text/capitalized.ts';
import type { Html } from '../../pages/frame.ts';
import { type FormResult, resultLine } from './account.ts';
import { accountLink, faultText, path, stateOf } from './event-states.ts';
import { select } from './fields.ts';
import { copied, count, moment, pairs, table } from './figures.ts';

/** The result of an attempt. The status has its own column. */
function resultOf(fault: string | null): string {
  if (fault === null) return 'Accepted';
  return /^status \d+$/.test(fault) ? 'Not accepted' : capitalized(faultText(fault));
}

/** One event with its deliveries and their attempts. */
export function event(
  { event: one, deliveries }: { event: SellerEvent; deliveries: readonly Delivery[] },
  all: readonly Endpoint[],
  canReplay: boolean,
  result: FormResult,
  nowMs: number,
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
${deliveries.map((delivery) => deliverySection(one, delivery, canReplay, nowMs))}
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

/** Explains the wait of a delivery, with the button that ends it. */
function waiting(wait: Wait, nowMs: number, tryNow: Html): Html {
  const { isOn, after, isUnderWay, dueMs } = wait;
  if (!isOn)
    return html`<p>It waits until you enable the endpoint on the page <a href="${path}">Events</a>.</p>`;
  if (after !== null)
    return html`<p>The events of an account are delivered in order. It waits for an <a href="${path}/${after}">earlier event of the account</a>.</p>`;
  if (isUnderWay || dueMs <= nowMs) return html`<p>It is sent now. Reload the page to see the result.</p>`;
  return html`<p>The next attempt is at ${moment(dueMs)}.</p>${tryNow}`;
}

function deliverySection({ id }: SellerEvent, delivery: Delivery, canReplay: boolean, nowMs: number): Html {
  const { endpoint, url, state, attempts, wait } = delivery;
  const rows = attempts
    .toReversed()
    .map(
      ({ at, ms, status, fault }) =>
        html`<tr><th scope="row">${resultOf(fault)}</th><td>${moment(Date.parse(at))}</td><td class="number">${count(ms)} ms</td><td>${status === null || status === undefined ? '' : `HTTP ${status}`}</td></tr>`,
    );
  const send = (act: string, words: string) =>
    canReplay
      ? html`<form method="post" action="${path}/${id}"><input type="hidden" name="act" value="${act}"><input type="hidden" name="id" value="${endpoint}"><button class="plain">${words}</button></form>`
      : html``;
  const next =
    wait === null ? html`<p>It is sent in a moment.</p>` : waiting(wait, nowMs, send('now', 'Try again now'));
  return html`<section aria-labelledby="${endpoint}"><h2 id="${endpoint}"><span class="words">${url}</span> ${stateOf({ state, wait: null, isFailing: isFailing(delivery) }, nowMs)}</h2>
${rows.length === 0 ? html`<p class="soft">No attempts yet.</p>` : table('Attempts', ['Result', { bare: 'When' }, { number: 'Took', onPhone: 'bare' as const }, { bare: 'Response' }], rows, 'stack')}
${state === 'waiting' ? next : send('again', 'Deliver again')}</section>`;
}
