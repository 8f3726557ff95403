import { jsonFault } from '@sluice/kernel/json-fault';
import { html } from 'hono/html';
import type { Operation } from '../../catalog/operation.ts';
import type { HighestPrice } from '../../journeys/highest-price.ts';
import type { Texts } from '../../text/texts.ts';
import { saysMissing } from './answer-faults.ts';
import type { Html } from './frame.ts';
import { type Allowance, highestText } from './request-price.ts';
import { say } from './say.ts';
import * as TryFields from './try-fields.ts';

export type TryFormFacts = {
  operation: Operation;
  path: string;
  body: string;
  /** The idempotency key of the call that the form makes. */
  key: string;
  /** The fields of its schema; empty when its description has none. */
  fields: readonly TryFields.RequestField[];
  /** The typed values of the fields; null shows the values of `path` and `body`. */
  typed: URLSearchParams | null;
  /** The faults of the fields. */
  faults: ReturnType<typeof TryFields.requestOf>['faults'];
  /** The faults that the API has found in fields. */
  answered: readonly { field: string; message: string }[];
  /** The most that the request as shown can cost; null when it is unknown. */
  highest: HighestPrice | null;
  /** True when the request was written as JSON. */
  isRaw: boolean;
  /** True when the price was asked for. */
  isChecked: boolean;
};

/** The price of the operation in words, and what plans pay before the balance does. */
type PriceFacts = { price: Html; included: Allowance | null };

/** The id of the line with the price that was asked for, or of the faults that it was refused with. */
export const checkedId = 'checked';

const linesOfJson = 4;
/** A list is as high as its values, up to this. */
const linesOfList = 8;
/** A longer description of a field is folded after its first sentence. */
const helpCharsMax = 110;
/** More folded fields than this are folded by the object that they belong to. */
const foldedMax = 12;

/** The styles of the form. */
export const style = `
.default{position:absolute;clip-path:inset(50%);margin:0}button.load{margin-top:.5rem}
.try-fields{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(17rem,100%),1fr));gap:0 1.25rem;align-items:start}
.try-fields label{overflow-wrap:anywhere}.try-fields label{color:var(--ink)}.try-fields label small{display:block;color:var(--soft)}.try-fields label code{font-size:.75rem}#try pre{white-space:pre-wrap;overflow-wrap:anywhere}.try-fields label span{color:var(--bad)}.try-fields textarea:not(.code){field-sizing:content;max-height:12lh}.try-fields .help{color:var(--soft);font-size:.8125rem;line-height:1.4;margin:.25rem 0 0}.try-fields .help p{white-space:pre-line;margin:.25rem 0 0;overflow-wrap:anywhere}
#checked{scroll-margin-top:45vh;margin:.75rem 0}.try-fields:has(>:only-child){grid-template-columns:minmax(0,40rem)}#try .actions{margin:.5rem 0}@media(max-width:40rem){#try .request .actions{flex-wrap:nowrap;gap:.5rem}#try .request .actions button{flex:1;margin:0;padding:.6rem .4rem;font-size:.9375rem}}`;

/**
 * The form of a request: the choice of the operation, and the request as fields, where its description has a schema, or as path and JSON. A
 * button shows the same request in the other form. The first button of a form is the one that Enter presses, so a hidden one comes before the choice.
 */
export function requestForm(texts: Texts, facts: TryFormFacts, choice: Html, price: PriceFacts): Html {
  const { operation, key, fields, isRaw } = facts;
  const as = fields.length === 0 || isRaw ? 'raw' : 'fields';
  const other = as === 'raw' ? 'fields' : 'raw';
  return html`<form class="request" method="post" action="/shop/try#try"><button class="default" name="as" value="${as}" ${as === 'raw' ? 'formnovalidate' : ''} tabindex="-1" aria-hidden="true">${say(texts, 'try.send')}</button>
<input type="hidden" name="shown" value="${operation.id}"><input type="hidden" name="key" value="${key}">
${choice}<button class="quiet load" name="load" value="1" formnovalidate>${say(texts, 'try.load_example')}</button>
${as === 'raw' ? rawRequest(texts, facts, price) : requestFields(texts, facts, price)}
${fields.length === 0 ? '' : html`<button class="quiet" name="view" value="${other}" formnovalidate>${say(texts, other === 'raw' ? 'try.as_json' : 'try.as_fields')}</button>`}</form>`;
}

function requestFields(texts: Texts, facts: TryFormFacts, price: PriceFacts): Html {
  const { operation, fields, faults, answered } = facts;
  const values = facts.typed ?? TryFields.valuesOf(fields, operation, facts);
  const isFaulty = (name: string) => [...faults, ...answered].some(({ field }) => field === name);
  const isShown = (field: TryFields.RequestField) =>
    field.isRequired || Boolean(values.get(TryFields.nameOf(field))) || isFaulty(TryFields.nameOf(field));
  const render = (field: TryFields.RequestField) => fieldOf(texts, field, values, facts);
  const more = fields.filter((field) => !isShown(field));
  return html`<div class="try-fields">${fields.filter(isShown).map(render)}</div>
${foldsOf(more).map(([group, own]) => html`<details><summary>${group === '' ? say(texts, 'try.more_fields', { count: own.length }) : say(texts, 'try.more_fields_of', { group, count: own.length })}</summary><div class="try-fields">${own.map(render)}</div></details>`)}
${buttons(texts, facts, price, 'fields')}`;
}

/** Returns the fields of each fold: all of them, or those of each object when there are many. '' is the fold without a name. */
function foldsOf(fields: readonly TryFields.RequestField[]): [string, TryFields.RequestField[]][] {
  const folds = new Map<string, TryFields.RequestField[]>();
  for (const field of fields) {
    const isNested = fields.length > foldedMax && field.keys.length > 1;
    const group = isNested ? TryFields.labelOf(field.keys.slice(0, 1)) : '';
    folds.set(group, [...(folds.get(group) ?? []), field]);
  }
  return [...folds].toSorted(([a], [b]) => Number(a === '') - Number(b === ''));
}

function rawRequest(texts: Texts, facts: TryFormFacts, price: PriceFacts): Html {
  const { operation, path, body, faults } = facts;
  const hasBody = operation.method !== 'GET' && operation.method !== 'DELETE';
  const bodyFault = bodyFaultOf(texts, faults.some(({ field }) => field === TryFields.rawBody) ? body : '');
  return html`<label for="path">${say(texts, 'try.path')}</label><input class="code" id="path" name="path" value="${path}" spellcheck="false" autocomplete="off">
${hasBody ? html`<label for="body">${say(texts, 'try.body')}</label><textarea class="code" id="body" name="body" rows="9" spellcheck="false" wrap="off"${bodyFault.marks}>${body}</textarea>${bodyFault.text}` : ''}
${buttons(texts, facts, price, 'raw')}`;
}

/** The fault of a body that is not JSON: the attributes of its field and the text below it. */
export function bodyFaultOf(texts: Texts, body: string): { marks: Html | string; text: Html | string } {
  const place = body === '' ? null : jsonFault(body);
  if (place === null) return { marks: '', text: '' };
  const text = say(texts, 'try.json_place', { line: String(place.line), column: String(place.column) });
  return {
    marks: html` aria-invalid="true" aria-describedby="body-fault" autofocus=""`,
    text: html`<p class="fault" id="body-fault" role="alert">${text}</p>`,
  };
}

/** The price, and the buttons that send the request or read its highest price again. The script replaces a price that is no longer that of the form. */
function buttons(
  texts: Texts,
  { highest, operation, fields, faults, isChecked }: TryFormFacts,
  { price, included }: PriceFacts,
  as: 'fields' | 'raw',
): Html {
  const isSecond = as === 'raw' && fields.length > 0;
  const most =
    highest === null
      ? ''
      : html`<span class="most" data-changed="${texts.text('try.changed')}">${highestText(texts, operation, highest, included)}</span>`;
  const isAsked = isChecked && faults.length === 0;
  const line = isAsked
    ? html`<p class="ok" id="${checkedId}" role="status" aria-live="polite" tabindex="-1" autofocus="">${highest === null ? say(texts, 'try.highest_unknown') : html`<strong>${most}</strong>`} ${say(texts, 'try.nothing_sent')}</p>`
    : html`<p class="soft">${price} ${most}</p>`;
  return html`${line}
<div class="actions"><button name="as" value="${as}" ${as === 'raw' ? 'formnovalidate' : ''}>${say(texts, isSecond ? 'try.send_json' : 'try.send')}</button><button class="plain" name="check" value="${as}" formaction="/shop/try#${checkedId}" ${as === 'raw' ? 'formnovalidate' : ''}>${say(texts, 'try.check_price')}</button></div>`;
}

function fieldOf(
  texts: Texts,
  field: TryFields.RequestField,
  values: URLSearchParams,
  { faults, answered }: Pick<TryFormFacts, 'faults' | 'answered'>,
): Html {
  const name = TryFields.nameOf(field);
  const id = `try-${name}`;
  const own = faults.find((one) => one.field === name);
  const said = answered.find((one) => one.field === name)?.message;
  const fault =
    own !== undefined
      ? faultOf(texts, field.input, own.fault)
      : said !== undefined && saysMissing(said)
        ? faultOf(texts, field.input, 'required')
        : said;
  const { start, rest } = shortened(field.description.replaceAll('`', '').trim());
  const help = [start, hintOf(texts, field.input)].filter((text) => text !== '');
  const notes = [help.length === 0 ? '' : `${id}-help`, fault === undefined ? '' : `${id}-fault`];
  const attributes = html`id="${id}" name="${name}" ${field.isRequired ? 'required' : ''} ${fault === undefined ? '' : html`aria-invalid="true"`} aria-describedby="${notes.join(' ').trim()}"`;
  return html`<div><label for="${id}">${say(texts, 'try.field', { name: TryFields.labelOf(field.keys) })}${field.isRequired ? html` <span>${say(texts, 'try.required')}</span>` : ''} <small><code>${breakable(field.keys.join('.'))}</code></small></label>${inputOf(texts, field.input, attributes, values.get(name) ?? '')}
${fault === undefined ? '' : html`<p class="fault" id="${id}-fault">${fault}</p>`}${help.length === 0 ? '' : html`<p class="help" id="${id}-help">${help.join(' ')}</p>`}${rest === '' ? '' : html`<details class="help"><summary>${say(texts, 'try.more_help')}</summary><p>${rest}</p></details>`}</div>`;
}

/** The first sentence or line of a long description, and the rest of it. A sentence that is too long is cut, and is whole in the rest. */
function shortened(text: string): { start: string; rest: string } {
  if (text.length <= helpCharsMax) return { start: text, rest: '' };
  const sentence = /^.{20,}?(?:[.!?:](?=\s)|(?=\n))/.exec(text)?.[0] ?? text;
  if (sentence.length <= helpCharsMax) return { start: sentence, rest: text.slice(sentence.length).trim() };
  return {
    start: `${text
      .slice(0, helpCharsMax)
      .replace(/\s+\S*$/, '')
      .replace(/[\s.,;:…]+$/, '')} …`,
    rest: text,
  };
}

/** The form of a value that takes more than a word. */
function hintOf(texts: Texts, { kind }: TryFields.FieldKind): string {
  return kind === 'list' || kind === 'json' ? texts.text(`try.${kind}`) : '';
}

/** A long name that can wrap after `_` and `.`. */
function breakable(name: string): Html {
  return html`${name.split(/(?<=[_.])/).map((part, at) => (at === 0 ? html`${part}` : html`<wbr>${part}`))}`;
}

function inputOf(texts: Texts, input: TryFields.FieldKind, attributes: Html, value: string): Html {
  const choice = (values: readonly string[]) =>
    html`<select ${attributes}><option value="">${say(texts, 'try.not_sent')}</option>${values.map((one) => html`<option value="${one}" ${one === value ? 'selected' : ''}>${one}</option>`)}</select>`;
  switch (input.kind) {
    case 'choice':
      return choice(input.values);
    case 'boolean':
      return choice(['true', 'false']);
    case 'number': {
      const { isInteger, min, max } = input;
      return html`<input type="number" ${attributes} value="${value}" step="${isInteger ? '1' : 'any'}" ${min === null ? '' : html`min="${min}"`} ${max === null ? '' : html`max="${max}"`}>`;
    }
    case 'text':
      return html`<input ${attributes} value="${value}" autocomplete="off" ${input.charsMax === null ? '' : html`maxlength="${input.charsMax}"`}>`;
    case 'list':
      return html`<textarea ${attributes} rows="${Math.min(Math.max(value.split('\n').length, 1), linesOfList)}">${value}</textarea>`;
    case 'json':
      return html`<textarea ${attributes} class="code" rows="${linesOfJson}" spellcheck="false">${value}</textarea>`;
  }
}

function faultOf(
  texts: Texts,
  input: TryFields.FieldKind,
  fault: TryFormFacts['faults'][number]['fault'],
): string {
  const { min, max } = input.kind === 'number' ? input : { min: null, max: null };
  switch (fault) {
    case 'too_small':
      return texts.text('try.too_small', { limit: String(min) });
    case 'too_large':
      return texts.text('try.too_large', { limit: String(max) });
    default:
      return texts.text(`try.fault_${fault}`);
  }
}
