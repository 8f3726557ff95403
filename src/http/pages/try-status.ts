import { STATUS_CODES } from 'node:http';
import { html } from 'hono/html';
import type { Plan } from '../../catalog/plan.ts';
import type { Texts } from '../../text/texts.ts';
import { type AnswerFault, saysMissing } from './answer-faults.ts';
import { ofField } from './form-faults.ts';
import type { Html } from './frame.ts';
import { say } from './say.ts';
import { labelOf } from './try-fields.ts';
import type { TrialOutcome } from './try-it.ts';

/**
 * The reason why a request has no response, with the ways on: a smaller request, and more credit.
 * @param free a button that leads to a free trial
 * @param fill a form that shows the smaller request, and the fields that it needs besides
 */
export function tryRefusal(
  texts: Texts,
  plans: readonly Plan[],
  { message, isUnpaid = false, fewer }: Extract<TrialOutcome, { kind: 'refusal' }>,
  fill: { action: string; fields: Readonly<Record<string, string>> },
  free: Html | null = null,
): Html {
  const note = html`<p class="note" role="alert">${message}</p>`;
  if (!isUnpaid) return note;
  const label = plans.some(({ kind }) => kind === 'credit') ? 'try.add_credit' : 'shop.see_plans';
  const more = html`<a class="button${fewer === undefined && free === null ? '' : ' plain'}" href="/#plans">${say(texts, label)}</a>`;
  if (fewer === undefined) return html`${note}<div class="actions">${free ?? ''}${more}</div>`;
  const { path, body, quantity } = fewer;
  const hidden = { ...fill.fields, path, body };
  return html`${note}<div class="actions"><form method="post" action="${fill.action}">${Object.entries(hidden).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}<button name="fill" value="1">${say(texts, 'try.ask_fewer', { quantity })}</button></form>${more}</div>`;
}

/**
 * The status of a response in words, its time and size, its cost, and the rest of the credit. An error begins with what the API said about the
 * request.
 */
export function tryStatus(
  texts: Texts,
  { status, figures, faults }: Extract<TrialOutcome, { kind: 'whole' }>,
): Html {
  const words = STATUS_CODES[status];
  const rows = [
    ['try.status', words === undefined ? String(status) : `${status} ${words}`],
    ['try.status_time', figures.time],
    ['try.status_size', figures.size],
    ['try.status_cost', figures.cost],
    ['try.status_left', figures.left],
  ] as const;
  const list = html`<dl class="outcome">${rows.map(([key, value]) => (value === undefined ? '' : html`<div><dt>${say(texts, key)}</dt><dd>${value}</dd></div>`))}</dl>`;
  if (status < 400) return html`<div class="ok" role="status">${list}</div>`;
  const said = faults.map((fault) => html`<p>${sentenceOf(texts, fault)}</p>`);
  const unsaid = html`<p>${say(texts, status < 500 ? 'try.refused' : 'try.failed')}</p>`;
  return html`<div class="note" role="alert">${said.length === 0 ? unsaid : said}${list}</div>`;
}

/** A fault with the name of its field. The place of the whole request, such as `body`, is no field. */
function sentenceOf(texts: Texts, { keys, message }: AnswerFault): string {
  const [place = ''] = keys;
  const named = /^(?:body|query|path|request)$/.test(place) ? keys.slice(1) : keys;
  if (named.length === 0) return message;
  const field = labelOf(named);
  return saysMissing(message) ? texts.text('try.enter_value', { field }) : ofField(texts, field, message);
}
