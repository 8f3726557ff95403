import { html, raw } from 'hono/html';
import { type Endpoint, eventTypes } from '../../../payment/event.ts';
import type { Html } from '../../pages/frame.ts';
import { type FormResult, resultLine } from './account.ts';
import { type Confirmation, confirmation } from './confirmation.ts';
import { faultText, path } from './event-states.ts';
import { field } from './fields.ts';
import { count, moment, sign } from './figures.ts';

/** A refused form of an endpoint: its fields, and their faults. */
export type EndpointDraft = {
  url: string;
  types: string;
  isSome: boolean;
  faults: Readonly<Record<string, string>>;
};

const reasons: Readonly<Record<NonNullable<Endpoint['reason']>, string>> = {
  gone: 'it answered 410 Gone',
  failing: 'it failed for three days',
  seller: 'by your team',
};

/** One endpoint of the list, with what can be done with it. */
export function endpointRow(
  one: Endpoint,
  { canChange, canReplay }: { canChange: boolean; canReplay: boolean },
): Html {
  const { id, url, types, state, reason, failingSinceMs, lastFault, waiting, failed } = one;
  const status =
    state === 'disabled'
      ? html`${sign('disabled', true)} <span class="soft small">${reason === null ? '' : reasons[reason]}</span>`
      : failingSinceMs === null
        ? sign('enabled')
        : html`${sign('failing', true)} <span class="soft small words">since ${moment(failingSinceMs)}${lastFault === null ? '' : `: ${faultText(lastFault)}`}</span>`;
  const button = (act: string, words: string) =>
    html`<form method="post" action="${path}"><input type="hidden" name="act" value="${act}"><input type="hidden" name="id" value="${id}"><button class="quiet">${words}</button></form>`;
  const change = canChange
    ? html`<details><summary>Change</summary><div class="choices"><a href="${path}/endpoints/${id}/edit">Edit address and types</a>${state === 'on' ? button('disable', 'Disable') : button('enable', 'Enable')}${button('rotate', 'New secret')}<a class="danger" href="${path}/endpoints/${id}/secret">Replace the secret now</a><a class="danger" href="${path}/endpoints/${id}/remove">Remove endpoint</a></div></details>`
    : '';
  return html`<tr><th scope="row">${url.split(/(?=[/?&])/).map((part) => html`${part}<wbr>`)}</th><td>${status}</td><td>${types?.join(', ') ?? 'all types'}</td>
<td class="number">${count(waiting)}</td><td class="number">${count(failed)}</td>${canReplay ? html`<td class="acts">${state === 'on' ? button('test', 'Send a test event') : ''}</td><td>${change}</td>` : ''}</tr>`;
}

/** Shows the effects of removing an endpoint before it is done. */
export function confirmRemoval(endpoint: Endpoint): Html {
  return askFirst(endpoint, 'remove', {
    question: 'Remove this endpoint?',
    facts: [['Given up', count(endpoint.failed)]],
    effects: [
      'It receives no more events, not even those that wait.',
      'The record of its deliveries is deleted, and its secret ends.',
      'The events themselves are kept.',
    ],
    button: 'Remove endpoint',
  });
}

/** Shows the effects of a new secret that ends the present one at once. */
export function confirmSecret(endpoint: Endpoint): Html {
  return askFirst(endpoint, 'replace', {
    question: 'Replace the secret now?',
    facts: [],
    effects: [
      'A new secret is made and shown once, on the next page.',
      'From the next delivery on, the present secret signs no events. Your program refuses all events until it has the new one.',
      'Refused events are tried again for about two days, so none is lost if you change the secret in your program soon.',
      html`If no one else knows the present secret, choose <b>New secret</b> instead: both sign for a day, and nothing is refused.`,
    ],
    button: 'Replace the secret now',
  });
}

function askFirst(
  { id, url, waiting }: Endpoint,
  act: string,
  { facts, ...of }: Pick<Confirmation, 'question' | 'facts' | 'effects' | 'button'>,
): Html {
  return confirmation({
    ...{ ...of, subject: 'Endpoint', action: path, back: path },
    facts: [['Address', url], ['Waiting', count(waiting)], ...facts],
    fields: html`<input type="hidden" name="act" value="${act}"><input type="hidden" name="id" value="${id}">`,
  });
}

/** The form for an endpoint, open while there is none. */
export function addForm(draft: EndpointDraft | null, isFirst: boolean): Html {
  return html`<details class="add" ${isFirst || draft !== null ? 'open' : ''}><summary>Add an endpoint</summary>
<form class="half" method="post" action="${path}"><input type="hidden" name="act" value="add">
${addressField(draft)}${typeBoxes(draft)}
<button>Add endpoint</button></form></details>`;
}

/** The form that changes an endpoint. `draft`: its input after a fault. */
export function editEndpoint(endpoint: Endpoint, draft: EndpointDraft | null, result: FormResult): Html {
  const { id, url, types, state, waiting } = endpoint;
  const shown = draft ?? { url, types: types?.join(',') ?? '', isSome: types !== null, faults: {} };
  const waits =
    waiting === 0
      ? ''
      : html`<li>${waiting === 1 ? '1 event waits and is' : `${count(waiting)} events wait and are`} delivered to the address that you save${state === 'on' ? '' : ', once the endpoint is enabled'}.</li>`;
  return html`<h1>Edit endpoint</h1>
${resultLine(result)}
<section><form class="half" method="post" action="${path}"><input type="hidden" name="act" value="change"><input type="hidden" name="id" value="${id}">
${addressField(shown)}${typeBoxes(shown)}
<ul class="soft">${waits}<li>The types apply to events from now on. For earlier ones, use “Deliver again”.</li><li>The secret stays the same. If another program receives the events from now on, make a new secret.</li></ul>
<div class="actions"><button>Save changes</button><a class="button plain" href="${path}">Cancel</a></div></form></section>`;
}

function addressField(draft: EndpointDraft | null): Html {
  return field({
    ...{ name: 'url', label: 'Address', placeholder: 'https://example.com/events' },
    ...{ value: draft?.url ?? '', fault: draft?.faults.url, isRequired: true },
  });
}

/** All types of events, or some as boxes. A test event is sent to any endpoint. */
function typeBoxes(draft: EndpointDraft | null): Html {
  const chosen = new Set(draft?.types.split(','));
  const fault = draft?.faults.types;
  const way = (value: string, name: string, isChosen: boolean) =>
    html`<label class="check"><input type="radio" name="which" value="${value}" ${isChosen ? 'checked' : ''}> ${name}</label>`;
  const box = (type: string) =>
    html`<label class="check"><input type="checkbox" name="types" value="${type}" ${chosen.has(type) ? 'checked' : ''}> ${type}</label>`;
  return html`<fieldset class="services"${fault === undefined ? '' : raw(' aria-describedby="types-fault"')}><legend>Types of events</legend>
<div class="ways">${way('all', 'All types, also those of later versions', !draft?.isSome)}${way('some', 'Only these:', draft?.isSome === true)}</div><div class="boxes">${eventTypes.filter((type) => type !== 'event.test').map(box)}</div>${fault === undefined ? '' : html`<p class="fault" id="types-fault">${fault}</p>`}</fieldset>`;
}
