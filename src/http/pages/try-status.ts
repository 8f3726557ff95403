import { STATUS_CODES } from 'node:http';
import { html } from 'hono/html';
import type { Plan } from '../../catalog/plan.ts';
import type { Texts } from '../../text/texts.ts';
import type { Html } from './frame.ts';
import { say } from './say.ts';
import type { TrialOutcome } from './try-it.ts';

/**
 * The reason why a request has no response, with the ways on: a smaller request, and more credit.
 * @param fill a form that shows the smaller request, and the fields that it needs besides
 */
export function tryRefusal(
  texts: Texts,
  plans: readonly Plan[],
  { message, isUnpaid = false, fewer }: Extract<TrialOutcome, { kind: 'refusal' }>,
  fill: { action: string; fields: Readonly<Record<string, string>> },
): Html {
  const note = html`<p class="note" role="alert">${message}</p>`;
  if (!isUnpaid) return note;
  const label = plans.some(({ kind }) => kind === 'credit') ? 'try.add_credit' : 'shop.see_plans';
  const more = html`<a class="button${fewer === undefined ? '' : ' plain'}" href="/#plans">${say(texts, label)}</a>`;
  if (fewer === undefined) return html`${note}<div class="actions">${more}</div>`;
  const { path, body, units } = fewer;
  const hidden = { ...fill.fields, path, body };
  return html`${note}<div class="actions"><form method="post" action="${fill.action}">${Object.entries(hidden).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}<button name="fill" value="1">${say(texts, 'try.ask_fewer', { quantity: texts.number(units) })}</button></form>${more}</div>`;
}

/** The status of a response in words, its time and size, its cost, and the rest of the credit. */
export function tryStatus(
  texts: Texts,
  { status, figures }: Pick<Extract<TrialOutcome, { kind: 'whole' }>, 'status' | 'figures'>,
): Html {
  const words = STATUS_CODES[status];
  const rows = [
    ['try.status', words === undefined ? String(status) : `${status} ${words}`],
    ['try.status_time', figures.time],
    ['try.status_size', figures.size],
    ['try.status_cost', figures.cost],
    ['try.status_left', figures.left],
  ] as const;
  return html`<div class="ok" role="status"><dl class="outcome">${rows.map(([key, value]) => (value === undefined ? '' : html`<div><dt>${say(texts, key)}</dt><dd>${value}</dd></div>`))}</dl></div>`;
}
