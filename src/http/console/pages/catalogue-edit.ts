import { html, raw } from 'hono/html';
import type { CatalogFileState, ProposalFault } from '../../../journeys/catalog-editing.ts';
import { capitalized } from '../../../text/capitalized.ts';
import type { Html } from '../../pages/frame.ts';
import type { CatalogueField, FieldGroup } from '../catalogue-field.ts';
import { type CatalogueForm, planDescriptionHint, pricedTogether } from '../catalogue-fields.ts';
import * as Meters from '../meter-fields.ts';
import { newPlanTexts } from '../new-plan.ts';
import { shownDigests } from '../stale-form.ts';
import type { FormResult } from './account.ts';
import { brandGroups, logo } from './catalogue-brand.ts';
import { faultList, faultWords, placesOf, refusal } from './catalogue-words.ts';
import { swatch } from './colour.ts';
import * as EditScript from './edit-script.ts';
import { field as anyField } from './fields.ts';

export const cataloguePath = '/admin/console/catalogue';
export const titles: Readonly<Record<CatalogueForm, string>> = {
  plans: 'Edit plans',
  prices: 'Edit services and prices',
  brand: 'Edit branding',
};
/** The accent colour of pages without a brand. */
const usualColour = '#0b5f52';
const rowsOfText = 3;

/** A field that Back returns to as it was filled in. */
const field = (of: Parameters<typeof anyField>[0]) => anyField({ ...of, isKept: true });

export type EditFacts = {
  form: CatalogueForm;
  file: CatalogFileState;
  groups: readonly FieldGroup[];
  /** The input of a form that was refused, by the names of the fields. */
  typed: ReadonlyMap<string, string>;
  /** The fields that another person changed since the form was shown, with their texts now. */
  others: ReadonlyMap<string, string>;
  faults: readonly ProposalFault[];
  result: FormResult;
  /** The logo that was chosen in the form, as a data URL, or why it was refused. */
  upload: { image: string } | { fault: string } | null;
};

/** A form for plans, prices or branding. Faults are shown beside their fields. */
export function edit(facts: EditFacts): Html {
  const { form, file, groups, result } = facts;
  const newAt = `plans[${groups.length}]`;
  const hasUsage = Meters.meteredServices(file.text).length > 0;
  const words = faultWords(groups, facts.faults, form === 'plans' ? newAt : null, hasUsage);
  return html`<h1>${titles[form]}</h1>
${refusal(result, words)}${changedByOthers(facts)}${faultList(words.faults.filter(({ path }) => words.placeOf(path) === null))}
<form method="post" action="${cataloguePath}/${form}" data-edits="${facts.typed.size > 0 ? 'unsent' : ''}"${form === 'brand' ? raw(' enctype="multipart/form-data"') : ''}><input type="hidden" name="base" value="${file.digest}"><input type="hidden" name="was" value="${shownDigests(groups)}">${form === 'brand' ? html`<button hidden></button>` : ''}
${body({ ...facts, faults: words.faults }, newAt)}
<div class="actions save"><button>Review changes</button><a class="button plain" href="${cataloguePath}">Cancel</a><span class="soft">Nothing changes before you publish on the next page.</span></div></form>${EditScript.script()}`;
}

/** The fields that another person changed meanwhile, each with its text now and a link to it. */
function changedByOthers({ groups, others }: EditFacts): Html {
  if (others.size === 0) return html``;
  const places = placesOf(groups);
  const row = ([name, now]: readonly [string, string]) =>
    html`<li><a href="#${name}">${places.get(name)?.name ?? name}</a>: now ${now === '' ? 'empty' : now}</li>`;
  return html`<div class="note"><b>Another person changed meanwhile</b><ul class="faults">${[...others].map(row)}</ul></div>`;
}

function body(facts: EditFacts, newAt: string): Html {
  const { form, groups } = facts;
  switch (form) {
    case 'prices':
      return html`${onePrice(facts)}<section><ul class="lines"><li class="head" aria-hidden="true"><span>Service</span><span>Unit</span><span>Price</span><span></span></li>${groups.map((group, at) => service(group, at, facts))}</ul></section>`;
    case 'plans':
      return html`<p class="soft">Open a plan to change its name, its price, what it includes and the services that it covers.</p>${groups.map((group) => plan(group, facts))}${newPlan(facts, newAt)}`;
    case 'brand':
      return brandGroups(groups, facts.typed, (one) => input(one, facts), chosenOf(facts));
  }
}

/** One price for all services of a unit: a shop with twenty services seldom has twenty prices. */
function onePrice({ groups, typed, faults }: EditFacts): Html {
  const units = pricedTogether(groups);
  if (units.length === 0) return html``;
  const cell = ({ unit, name, services }: (typeof units)[number]) =>
    html`<div>${field({ name, label: `${services.length === 2 ? 'Both' : `All ${services.length}`} services priced per ${unit}`, value: typed.get(name) ?? '', unit: 'USD', inputMode: 'decimal', fault: faults.find(({ path }) => path === name)?.reason, hint: 'Replaces the prices below. Empty: each keeps its own' })}${EditScript.perThousand(name, typed.get(name) ?? '')}</div>`;
  return html`<section><h2>One price for all</h2><div class="grid-fields">${units.map(cell)}</div></section>`;
}

function grid(fields: readonly CatalogueField[], facts: EditFacts): Html {
  const widths: Partial<Record<CatalogueField['kind'], string>> = { services: 'row-wide', lines: 'row-two' };
  const cell = (one: CatalogueField) =>
    html`<div class="${widths[one.kind] ?? ''}">${input(one, facts)}</div>`;
  return html`<div class="grid-fields">${fields.map(cell)}</div>`;
}

/** One service: its price is what is edited most, so everything else is folded. */
function service({ title, about, id, fields, parts = [] }: FieldGroup, at: number, facts: EditFacts): Html {
  const price = fields.find(({ kind }) => kind === 'usd');
  const rest = fields.filter((one) => one !== price);
  const part = (one: (typeof parts)[number]) =>
    html`<details ${isTouched(one.fields, facts) ? 'open' : ''}><summary>Prices of ${one.title === 'default' ? 'all others' : one.title}</summary>${grid(one.fields, facts)}</details>`;
  const isOpen = isTouched(rest, facts) || parts.some((one) => isTouched(one.fields, facts));
  return html`<li><b>${title}</b><span class="soft">${about}</span>${price === undefined ? html`<span></span>` : html`<span class="amount">${input(price, facts)}${EditScript.perThousand(price.name, facts.typed.get(price.name) ?? price.value)}</span>`}
<details ${isOpen ? 'open' : ''}><summary>${parts.length === 0 ? 'Name and text' : 'All prices'}<span class="hidden"> of ${title}</span></summary><p class="soft">In the file: <code>${id ?? ''}</code></p>${grid(rest, facts)}${parts.map(part)}${parts.length === 0 ? '' : newPrices(at, facts)}</details></li>`;
}

function plan({ title, about, id, fields }: FieldGroup, facts: EditFacts): Html {
  return html`<section><details ${isTouched(fields, facts) ? 'open' : ''}><summary><b>${title}</b> <span class="soft">${about}</span></summary><p class="soft">In the file: <code>${id ?? ''}</code></p>${grid(fields, facts)}</details></section>`;
}

/** Returns true when a field was changed or is at fault: its part of the form is shown open. */
function isTouched(fields: readonly CatalogueField[], { typed, others, faults }: EditFacts): boolean {
  return fields.some(
    ({ name, value }) =>
      others.has(name) ||
      ![undefined, value].includes(typed.get(name)) ||
      faults.some(({ path }) => path === name),
  );
}

/** Fields for the prices of another model. */
function newPrices(at: number, { typed, file }: EditFacts): Html {
  const fields = Meters.newPriceFields(file.text, at);
  if (fields.length === 0) return html``;
  const isOpen = fields.some(({ name }) => typed.get(name));
  const key = fields[0]?.label ?? '';
  const added = key === Meters.anyKey ? 'Add other prices' : `Add another ${key.toLowerCase()}`;
  return html`<details ${isOpen ? 'open' : ''}><summary>${added}</summary><div class="grid-fields">${fields.map(({ name, label, choices, choiceNames = [] }) => html`<div>${choices === undefined ? field({ name, label, value: typed.get(name) ?? '' }) : choice(name, label, choices, typed.get(name) ?? choices.at(-1) ?? '', namesOf(choices, choiceNames))}</div>`)}</div></details>`;
}

/** The logo that was chosen in the form; null without one. */
function chosenOf({ upload }: EditFacts): string | null {
  return upload !== null && 'image' in upload ? upload.image : null;
}

/** The hint of a field; `now` is its text after an edit of another person. */
function hintOf({ hint }: CatalogueField, now: string | undefined): string | undefined {
  if (now === undefined) return hint;
  const changed = `Another person changed this. Now ${now === '' ? 'empty' : now.replace(/\.$/, '')}.`;
  return hint === undefined ? changed : `${changed} ${hint}`;
}

function input(one: CatalogueField, facts: EditFacts): Html {
  const { typed, others, faults, upload } = facts;
  const { name, label, value, usual = '', kind } = one;
  const hint = hintOf(one, others.get(name));
  const shown = typed.get(name) ?? value;
  const fault = faults.find(({ path }) => path === name)?.reason;
  const common = { name, label, value: shown, fault, placeholder: usual, ...(hint && { hint }) };
  switch (kind) {
    case 'switch':
      // A box that is not ticked sends nothing: the form still has the field.
      return html`<input type="hidden" name="${name}" value=""><label class="check"><input type="checkbox" id="${name}" name="${name}" value="true" ${shown === 'true' ? 'checked' : ''}> ${label}</label>${hint === undefined ? '' : html`<p class="hint">${hint}</p>`}`;
    case 'services':
      return services(one, shown, fault);
    case 'logo':
      return logo(
        one,
        typed.get(name) === 'true',
        upload !== null && 'fault' in upload ? upload.fault : fault,
        chosenOf(facts),
      );
    case 'remove':
      return html`<label class="check"><input type="checkbox" name="${name}" value="true" ${shown === 'true' ? 'checked' : ''}> ${label}</label>`;
    case 'choice':
      return choiceField(one, shown);
    case 'colour':
      return html`<div class="beside"><div>${field({ ...common, placeholder: usualColour, fault: fault && `Enter a colour such as ${usualColour}.` })}</div>${swatch(shown || usualColour)}</div>`;
    case 'lines':
      return field({ ...common, rows: rowsOfText });
    case 'usd':
      return field({ ...common, inputMode: 'decimal', unit: 'USD' });
    case 'count':
      return field({ ...common, inputMode: 'numeric' });
    default:
      return field(common);
  }
}

/** A choice of words, of which none means the first one, or of the numbers of units that a price is for. */
function choiceField({ name, label, choices = [], choiceNames = [] }: CatalogueField, shown: string): Html {
  const units = choices.includes(shown) ? choices : [shown, ...choices.slice(shown === '' ? 1 : 0)];
  return choices[0] === '1'
    ? choice(name, label, units, shown, { ...namesOf(choices, choiceNames), '': choiceNames[0] ?? '' })
    : choice(name, label, ['', ...choices], shown, choiceWords(choices));
}

function namesOf(choices: readonly string[], names: readonly string[]): Record<string, string> {
  return Object.fromEntries(choices.map((value, at) => [value, names[at] ?? value]));
}

/** The names of choices: `Sans`; the first is also what an empty field means. */
function choiceWords(choices: readonly string[]): Record<string, string> {
  return {
    ...Object.fromEntries(choices.map((value) => [value, capitalized(value)])),
    '': `Default (${capitalized(choices[0] ?? '')})`,
  };
}

/** The services of a plan: every service, also future ones, or those that are ticked. The boxes are shown for the second choice only. */
function services(
  { name, label, choices = [], choiceNames = choices }: CatalogueField,
  shown: string,
  fault: string | undefined,
): Html {
  const chosen = new Set(shown.split(', '));
  const isAll = chosen.has('*');
  const way = (value: string, text: string, isChosen: boolean) =>
    html`<label class="check"><input type="radio" name="${name}" value="${value}"${isChosen ? raw(' checked') : ''}> ${text}</label>`;
  const box = (slug: string, at: number) =>
    html`<label class="check"><input type="checkbox" name="${name}" value="${slug}"${chosen.has(slug) ? raw(' checked') : ''}> ${choiceNames[at] ?? slug}</label>`;
  return html`<fieldset id="${name}" class="services"${fault === undefined ? '' : raw(` aria-describedby="${name}-fault"`)}><legend>${label}</legend><div class="ways">${way('*', 'Every service, also future ones', isAll)}${way('', 'Only these', !isAll)}</div>
<div class="boxes">${choices.map(box)}<p class="soft chosen">of ${choices.length} services are chosen</p></div>${fault === undefined ? '' : html`<p class="fault" id="${name}-fault">${fault}</p>`}</fieldset>`;
}

function choice(
  name: string,
  label: string,
  values: readonly string[],
  selected: string,
  words: Readonly<Record<string, string>> = {},
): Html {
  const option = (value: string) =>
    value === selected
      ? html`<option value="${value}" selected>${words[value] ?? value}</option>`
      : html`<option value="${value}">${words[value] ?? value}</option>`;
  return html`<label for="${name}">${label}</label><select id="${name}" name="${name}">${values.map(option)}</select>`;
}

/** The fields of a new subscription. Its id follows from its name. */
function newPlan({ groups, typed, faults, file }: EditFacts, at: string): Html {
  const said = (name: string) => typed.get(`new.${name}`) ?? '';
  const faultOf = (name: string) => faults.find(({ path }) => path === `${at}.${name}`)?.reason;
  const of = (name: string, label: string) => ({
    ...{ name: `new.${name}`, label, value: said(name) },
    fault: faultOf(name) ?? (name === 'name' ? faultOf('id') : undefined),
  });
  const covered = groups.flatMap(({ fields }) => fields).find(({ kind }) => kind === 'services');
  const isOpen = newPlanTexts.some((name) => said(name) !== '');
  const cells = [
    html`<div>${field({ ...of('name', 'Name'), hint: 'As buyers see it' })}</div>`,
    html`<div>${field({ ...of('price_usd', 'Price (USD)'), inputMode: 'decimal', unit: 'USD' })}</div>`,
    html`<div>${choice('new.every', 'Per', ['month', 'year'], said('every') || 'month', choiceWords(['month', 'year']))}</div>`,
    html`<div>${field({ ...of('included', 'Included results'), inputMode: 'numeric' })}</div>`,
    ...(Meters.meteredServices(file.text).length === 0
      ? []
      : [
          html`<div>${field({ ...of('included_usd', 'Included usage'), inputMode: 'decimal', unit: 'USD', hint: 'In place of results, for services paid by meter' })}</div>`,
        ]),
    html`<div class="row-two">${field({ ...of('description', 'Description'), rows: rowsOfText, hint: planDescriptionHint })}</div>`,
    covered === undefined
      ? ''
      : html`<div class="row-wide">${services({ ...covered, name: 'new.covers' }, said('covers') || '*', faultOf('covers'))}</div>`,
  ];
  return html`<section><details ${isOpen ? 'open' : ''}><summary><b>Add a plan</b> <span class="soft">a new subscription</span></summary><div class="grid-fields">${cells}</div><p class="soft">For credit, a trial or other terms, <a href="${cataloguePath}/file">edit the file</a>.</p></details></section>`;
}
