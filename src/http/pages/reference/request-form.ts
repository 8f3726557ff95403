import * as Money from '@sluice/kernel/money';
import { html } from 'hono/html';
import { withFewUnits } from '../../../catalog/example-request.ts';
import type { Operation } from '../../../catalog/operation.ts';
import { isTrialImmediate } from '../../../catalog/plan.ts';
import { highestPrice } from '../../../journeys/highest-price.ts';
import { codeBlock, codeTabs } from '../code-block.ts';
import { sampleKey, samplesOf } from '../code-samples.ts';
import type { Html } from '../frame.ts';
import { type Allowance, highestText, trialAllowance } from '../request-price.ts';
import { say } from '../say.ts';
import { bodyFaultOf, checkedId } from '../try-form.ts';
import type { TrialOutcome } from '../try-it.ts';
import { tryRefusal, tryStatus } from '../try-status.ts';
import * as Examples from './examples.ts';
import { facts } from './facts.ts';
import { heading, tryPath } from './operation.ts';
import type { OperationPage } from './outline.ts';
import type { ReferenceWriter } from './writer.ts';

/** Lines of the body's field. */
const rowsMin = 6;
const rowsMax = 28;

/** A request as it was typed. `once`: the idempotency key of its form. `fault`: of the API key. */
export type RequestForm = {
  path: string;
  body: string;
  apiKey: string;
  once: string;
  outcome: TrialOutcome | null;
  fault: string | null;
  /** True when the body was not sent because it is not JSON. */
  isBodyFaulty: boolean;
  /** True when the price was asked for. */
  isChecked: boolean;
  isSignedIn: boolean;
} & Held;
/** The units, and the dollars, that plans of the browser's account include for this operation. */
export type Held = Pick<Allowance, 'left' | 'usd'>;
/** Without an account, or with one that has no plan. */
export const nothingHeld: Held = { left: 0, usd: Money.zero };

/** The form with an example that asks for few units. `held`: by the visitor's account; null without one. */
export function emptyForm(
  write: ReferenceWriter,
  page: OperationPage,
  once: string,
  held: Held | null = null,
): RequestForm {
  const { path, body } = Examples.requestOf(write, page);
  const own = { isSignedIn: held !== null, ...(held ?? nothingHeld) };
  const value = body?.kind === 'json' ? smallOf(write, page, body.value, own) : undefined;
  const text = value === undefined ? '' : JSON.stringify(value, null, 2);
  const nothing = { outcome: null, fault: null, isBodyFaulty: false, isChecked: false };
  return { path, body: text, apiKey: '', once, ...nothing, ...own };
}

function smallOf(
  { catalog }: ReferenceWriter,
  { sold }: OperationPage,
  value: unknown,
  visitor: Visitor,
): unknown {
  return sold === null ? value : withFewUnits(sold, value, payerOf(catalog, sold, visitor).left);
}

type Visitor = Pick<RequestForm, 'isSignedIn' | 'left' | 'usd'>;

/** The payer of a request: the plans of the visitor's account, or the trial of a new one. */
function payerOf(
  catalog: ReferenceWriter['catalog'],
  sold: Operation,
  { isSignedIn, left, usd }: Visitor,
): Allowance {
  return isSignedIn ? { left, usd, isFree: false } : trialAllowance(catalog, sold);
}

/** The highest price of the request, which a pasted key pays in full. A script replaces it when the request is changed. */
function price({ texts, catalog }: ReferenceWriter, { sold }: OperationPage, form: RequestForm): Html {
  if (sold === null || form.isBodyFaulty) return html``;
  const included = form.apiKey === '' ? payerOf(catalog, sold, form) : null;
  const highest = highestPrice(sold, form);
  const most =
    highest === null ? texts.text('try.highest_unknown') : highestText(texts, sold, highest, included);
  const changed = html`aria-live="polite" data-changed="${texts.text('try.changed')}"`;
  return form.isChecked
    ? html`<p class="ok most" id="${checkedId}" role="status" tabindex="-1" autofocus="" ${changed}><strong>${most}</strong> ${say(texts, 'try.nothing_sent')}</p>`
    : html`<p class="most" ${changed}>${most}</p>`;
}

/** The page that sends a request to an operation, with the visitor's session or a key that is pasted, and shows the response. */
export function requestPage(write: ReferenceWriter, page: OperationPage, form: RequestForm): Html {
  const { texts, catalog } = write;
  const { entry } = page;
  const hasBody = !['GET', 'HEAD', 'DELETE'].includes(entry.method);
  const bodyFault = bodyFaultOf(texts, form.isBodyFaulty ? form.body : '');
  const bad = form.fault === null ? '' : html` aria-invalid="true"`;
  const who = form.isSignedIn
    ? say(texts, 'reference.key_signed_in')
    : say(texts, isTrialImmediate(catalog.plans) ? 'reference.key_trial' : 'reference.key_none');
  return html`<div class="editor">${heading(write, page)}
<p><a href="${page.path}">${say(texts, 'reference.back')}</a></p>
${facts(texts, catalog, page)}</div>
<div class="columns"><form method="post" action="${tryPath(page)}#response"><input type="hidden" name="once" value="${form.once}">
<label for="path">${say(texts, 'try.path')}</label><input class="code" id="path" name="path" value="${form.path}" spellcheck="false" autocomplete="off">
${hasBody ? html`<label for="body">${say(texts, 'try.body')}</label><textarea class="code" id="body" name="body" rows="${rowsOf(form.body)}" spellcheck="false" wrap="off"${bodyFault.marks}>${form.body}</textarea>${bodyFault.text}` : ''}
<label for="docs-key">${say(texts, 'reference.key')}</label><input id="docs-key" class="code" type="password" name="api_key" value="${form.apiKey}" autocomplete="off" spellcheck="false" aria-describedby="key-help"${bad}>
${form.fault === null ? '' : html`<p class="fault" role="alert">${form.fault}</p>`}<p class="soft" id="key-help">${who}</p>
<div class="send">${price(write, page, form)}<button>${say(texts, 'try.send')}</button> <button class="plain" name="fill" value="1" formaction="${tryPath(page)}#${checkedId}">${say(texts, 'try.check_price')}</button></div></form>
<div class="samples sent"><h2 id="response">${say(texts, 'reference.response')}</h2>${outcome(write, page, form)}
<h2>${say(texts, 'reference.request')}</h2>${form.isBodyFaulty ? html`<p class="soft">${say(texts, 'reference.sample_example')}</p>` : ''}${codeTabs(texts, 'request', samplesOf({ ...sent(write, page, form, hasBody), method: entry.method, baseUrl: write.publicUrl, token: sampleKey }))}</div></div>`;
}

/** Enough lines for the whole body, up to a limit. */
function rowsOf(body: string): number {
  return Math.min(Math.max(body.split('\n').length + 1, rowsMin), rowsMax);
}

function outcome({ texts, catalog }: ReferenceWriter, page: OperationPage, form: RequestForm): Html {
  const { outcome: shown, fault, isBodyFaulty } = form;
  if (fault !== null || isBodyFaulty)
    return html`<p class="note">${say(texts, 'reference.not_sent', { field: html`<a href="#${isBodyFaulty ? 'body' : 'docs-key'}">${say(texts, isBodyFaulty ? 'try.body' : 'reference.auth_key')}</a>` })}</p>`;
  if (shown === null) return html`<p class="soft">${say(texts, 'reference.no_response')}</p>`;
  if (shown.kind === 'refusal')
    return tryRefusal(texts, catalog.plans, shown, {
      action: `${tryPath(page)}#${checkedId}`,
      fields: { api_key: form.apiKey, once: form.once },
    });
  return html`${tryStatus(texts, shown)}${codeBlock(texts.text('try.response_body'), shown.body)}`;
}

/** The request for the samples: as it was typed, or the example where the body is not JSON. */
function sent(
  write: ReferenceWriter,
  page: OperationPage,
  { path, body, isBodyFaulty }: RequestForm,
  hasBody: boolean,
): Examples.ExampleRequest {
  if (isBodyFaulty) return Examples.requestOf(write, page);
  if (!hasBody || body === '') return { path, body: null };
  return { path, body: { kind: 'json', value: JSON.parse(body) } };
}
