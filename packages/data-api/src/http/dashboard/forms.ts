import { html } from 'hono/html';
import { planStatuses } from '../../keys/key.ts';
import * as Plan from '../../keys/plan.ts';
import type { Html } from './frame.ts';

/** Overlaps that a rotation offers, in seconds. */
const overlaps: readonly [seconds: number, name: string][] = [
  [86_400, '24 hours'],
  [3_600, '1 hour'],
  [604_800, '7 days'],
  [0, 'not at all: it ends now'],
];
const custom = 'custom';

/** Fields that choose a plan: a known one, or a custom one with its limits. `keep` offers to leave it as it is. */
export function planFields(keep: boolean): Html {
  const option = ({ name, requestsPerSecond, recordsPerMonth }: Plan.Plan) =>
    html`<option value="${name}">${name}: ${(recordsPerMonth ?? 0).toLocaleString('en')} records a month, ${requestsPerSecond.toLocaleString('en')} requests per second</option>`;
  return html`<label for="plan">Plan</label><select id="plan" name="plan">${keep ? html`<option value="">No change</option>` : ''}${Plan.known.map(option)}<option value="${custom}">Custom, with the limits below</option></select>
<details><summary>Limits of a custom plan</summary>
<label for="plan_name">Name</label><input id="plan_name" name="plan_name" maxlength="60" autocomplete="off">
<label for="rate">Requests per second, on each endpoint</label><input id="rate" name="rate" inputmode="numeric" autocomplete="off">
<label for="records">Records per month, or “unlimited”</label><input id="records" name="records" autocomplete="off"></details>`;
}

/** Fields that choose the operations a key may call. */
export function operationFields(apis: readonly string[], allowed: readonly string[] | null): Html {
  const radio = (value: string, name: string, isChosen: boolean) =>
    html`<label class="choice"><input type="radio" name="scope" value="${value}" ${isChosen ? 'checked' : ''}> ${name}</label>`;
  const box = (api: string) =>
    html`<label><input type="checkbox" name="api" value="${api}" ${allowed?.includes(api) ? 'checked' : ''}> <span class="id">${api}</span></label>`;
  return html`<fieldset><legend>Operations</legend>${radio('all', 'All operations', allowed === null)}${radio('only', 'Only these:', allowed !== null)}
<div class="choices">${apis.map(box)}</div></fieldset>`;
}

export function statusField(current: string): Html {
  const option = (status: string) =>
    html`<option value="${status}" ${status === current ? 'selected' : ''}>${status.replace('_', ' ')}</option>`;
  return html`<label for="status">Status</label><select id="status" name="status">${planStatuses.map(option)}</select>`;
}

/** The form that creates a new secret. `latestMs` lets it work once only: a repeated form names a secret that is no longer the latest. */
export function rotateForm(action: string, latestMs: number): Html {
  return html`<section class="fold" aria-labelledby="rotate"><details><summary><h2 id="rotate">Rotate the key</h2></summary>
<p class="soft">Creates a new key with the same plan, balance and limits. The key in use stays valid for a while, so that programs can change over.</p>
<form method="post" action="${action}"><input type="hidden" name="latest" value="${latestMs}">
<label for="overlap">The key in use stays valid for</label><select id="overlap" name="overlap">${overlaps.map(([seconds, name]) => html`<option value="${seconds}">${name}</option>`)}</select>
<button>Create a new key</button></form></details></section>`;
}

/** The body of the admin API for the plan in a form; undefined for no change. */
export function planOf(form: URLSearchParams): object | undefined {
  const name = form.get('plan') ?? '';
  if (name === '') return undefined;
  if (name !== custom) return { name };
  return {
    name: form.get('plan_name') ?? '',
    requests_per_second: numeric(form.get('rate')),
    records_per_month: numeric(form.get('records')),
  };
}

/** `allowed_apis` of the admin API for the operations in a form. A form without a choice is left for the validation to refuse. */
export function operationsOf(form: URLSearchParams): string | string[] {
  return form.get('scope') === 'only' ? form.getAll('api') : (form.get('scope') ?? '');
}

/** Converts digits, with or without separators, to a number. Leaves anything else for the validation to refuse. */
function numeric(given: string | null): unknown {
  const text = (given ?? '').trim();
  if (text === '') return undefined;
  const digits = text.replaceAll(/[,\s]/g, '');
  return /^\d+$/.test(digits) ? Number(digits) : text;
}
