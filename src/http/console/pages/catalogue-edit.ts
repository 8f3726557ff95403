import { html } from 'hono/html';
import type { CatalogFileState, ProposalFault } from '../../../journeys/catalog-editing.ts';
import type { Html } from '../../pages/frame.ts';
import type { CatalogueField, FieldGroup } from '../catalogue-field.ts';
import type { CatalogueForm } from '../catalogue-fields.ts';
import * as Meters from '../meter-fields.ts';
import { type FormResult, resultLine } from './account.ts';
import { field } from './fields.ts';

export const cataloguePath = '/admin/console/catalogue';
const titles: Readonly<Record<CatalogueForm, string>> = {
  plans: 'Edit plans',
  prices: 'Edit services and prices',
  brand: 'Edit branding',
};
const rowsOfText = 3;
const rowsOfFile = 30;

export type EditFacts = {
  form: CatalogueForm;
  file: CatalogFileState;
  groups: readonly FieldGroup[];
  /** The input of a form that was refused, by the names of the fields. */
  typed: ReadonlyMap<string, string>;
  faults: readonly ProposalFault[];
  result: FormResult;
  /** Why an uploaded logo was refused. */
  logoFault?: string;
};

/** A form for plans, prices or branding. Faults are shown beside their fields. */
export function edit(facts: EditFacts): Html {
  const { form, file, groups, faults, result } = facts;
  const names = new Set(
    groups.flatMap(({ fields, parts = [] }) =>
      [fields, ...parts.map((part) => part.fields)].flat().map(({ name }) => name),
    ),
  );
  const newAt = `plans[${groups.length}]`;
  const isBeside = (path: string) => names.has(path) || (form === 'plans' && path.startsWith(`${newAt}.`));
  const others = faults.filter(({ path }) => !isBeside(path));
  return html`<h1>${titles[form]}</h1>
${resultLine(result)}${faultList(others)}
<form method="post" action="${cataloguePath}/${form}"><input type="hidden" name="base" value="${file.digest}">
${groups.map((group, at) => groupFields(group, at, facts))}
${form === 'plans' ? newPlan(facts, newAt) : ''}
<div class="actions save"><button>Review changes</button><a class="button plain" href="${cataloguePath}">Cancel</a><span class="soft">Nothing changes before you publish on the next page.</span></div></form>
${form === 'brand' ? logoForm(facts) : ''}`;
}

/** The form that uploads a logo. Its review is the one of all edits. */
function logoForm({ file: { digest }, logoFault }: EditFacts): Html {
  const fault = logoFault === undefined ? '' : html` aria-invalid="true" aria-describedby="upload-fault"`;
  return html`<section class="narrow"><h2>Upload a logo</h2><p class="soft">A PNG image of at most 64 KiB. It is stored in the catalogue file, so every process and every revert has it.</p>
<form method="post" action="${cataloguePath}/logo" enctype="multipart/form-data"><input type="hidden" name="base" value="${digest}">
<label for="upload">Image</label><input id="upload" name="upload" type="file" accept="image/png" required${fault}>${logoFault === undefined ? '' : html`<p class="fault" id="upload-fault">${logoFault}</p>`}
<button class="plain">Review the logo</button></form></section>`;
}

function groupFields({ title, about, fields, parts = [] }: FieldGroup, at: number, facts: EditFacts): Html {
  const grid = (all: readonly CatalogueField[]) =>
    html`<div class="grid-fields">${all.map((one) => html`<div>${input(one, facts)}</div>`)}</div>`;
  const part = (one: (typeof parts)[number]) =>
    html`<details ${isTouched(one.fields, facts) ? 'open' : ''}><summary>Prices of ${one.title}</summary>${grid(one.fields)}</details>`;
  const more = html`${parts.map(part)}${parts.length === 0 ? '' : newPrices(at, facts)}`;
  if (facts.form === 'brand') return html`<section><h2>${title}</h2>${grid(fields)}</section>`;
  // The price of a service is what is edited most: it stays visible.
  const shown = facts.form === 'prices' ? fields.filter(({ kind }) => kind === 'usd') : [];
  const rest = fields.filter((one) => !shown.includes(one));
  const isOpen = isTouched(rest, facts) || parts.some((one) => isTouched(one.fields, facts));
  return html`<section class="group"><details ${isOpen ? 'open' : ''}><summary><b>${title}</b> <span class="soft">${about}</span></summary>${grid(rest)}${more}</details>${shown.map((one) => html`<div class="price-field">${input(one, facts)}</div>`)}</section>`;
}

/** Returns true when a field was changed or is at fault: its part of the form is shown open. */
function isTouched(fields: readonly CatalogueField[], { typed, faults }: EditFacts): boolean {
  return fields.some(
    ({ name, value }) => (typed.get(name) ?? value) !== value || faults.some(({ path }) => path === name),
  );
}

/** Fields for the prices of another model. */
function newPrices(at: number, { typed, file }: EditFacts): Html {
  const fields = Meters.newPriceFields(file.text, at);
  if (fields.length === 0) return html``;
  const isOpen = fields.some(({ name }) => typed.get(name));
  return html`<details ${isOpen ? 'open' : ''}><summary>Add prices</summary><div class="grid-fields">${fields.map(({ name, label }) => html`<div>${field({ name, label, value: typed.get(name) ?? '' })}</div>`)}</div></details>`;
}

function input({ name, label, value, kind, choices }: CatalogueField, { typed, faults }: EditFacts): Html {
  const shown = typed.get(name) ?? value;
  const fault = faults.find(({ path }) => path === name)?.reason;
  const common = { name, label, value: shown, fault };
  switch (kind) {
    case 'switch':
      // A box that is not checked sends nothing, so the hidden field before it has the other value.
      return html`<input type="hidden" name="${name}" value="false"><label class="check"><input type="checkbox" name="${name}" value="true" ${shown === 'true' || shown.endsWith(', true') ? 'checked' : ''}> ${label}</label>`;
    case 'services':
      return services(name, label, choices ?? [], shown, fault);
    case 'remove':
      return html`<label class="check"><input type="checkbox" name="${name}" value="true" ${shown === 'true' ? 'checked' : ''}> ${label}</label>`;
    case 'choice':
      return choice(name, label, ['', ...(choices ?? [])], shown);
    case 'lines':
      return field({ ...common, rows: rowsOfText });
    case 'usd':
      return field({ ...common, inputMode: 'decimal' });
    case 'count':
      return field({ ...common, inputMode: 'numeric' });
    default:
      return field(common);
  }
}

/** The services of a plan as boxes; the first one means all, also future ones. */
function services(
  name: string,
  label: string,
  slugs: readonly string[],
  shown: string,
  fault: string | undefined,
): Html {
  const chosen = new Set(shown.split(', '));
  const box = (value: string, text: string) =>
    html`<label class="check"><input type="checkbox" name="${name}" value="${value}" ${chosen.has(value) ? 'checked' : ''}> ${text}</label>`;
  // Without a checked box, the form still has the field.
  return html`<fieldset${fault === undefined ? '' : html` aria-describedby="${name}-fault"`}><legend>${label}</legend><input type="hidden" name="${name}" value="">${box('*', 'Every service, also future ones')}
<details ${chosen.has('*') ? '' : 'open'}><summary>Only these</summary>${slugs.map((slug) => box(slug, slug))}</details>${fault === undefined ? '' : html`<p class="fault" id="${name}-fault">${fault}</p>`}</fieldset>`;
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

function newPlan({ typed, faults }: EditFacts, at: string): Html {
  const said = (name: string) => typed.get(`new.${name}`) ?? '';
  const faultOf = (name: string) => faults.find(({ path }) => path === `${at}.${name}`)?.reason;
  const one = (name: string, label: string, inputMode?: 'decimal' | 'numeric') =>
    html`<div>${field({ name: `new.${name}`, label, value: said(name), fault: faultOf(name), ...(inputMode && { inputMode }) })}</div>`;
  const isOpen = said('id') !== '';
  const fields = html`<div class="grid-fields">${[
    one('id', 'Id: lower-case letters, digits, hyphens'),
    one('name', 'Name'),
    one('price_usd', 'Price, USD', 'decimal'),
    html`<div>${choice('new.every', 'Every', ['month', 'year'], said('every') || 'month')}</div>`,
    one('included', 'Included units', 'numeric'),
  ]}</div><p class="soft">Covers every service. Other kinds and terms: edit the file.</p>`;
  return html`<section><h2>New subscription</h2>${isOpen ? fields : html`<details><summary>Add a plan</summary>${fields}</details>`}</section>`;
}

/** The faults that have no field. */
export function faultList(faults: readonly ProposalFault[]): Html {
  if (faults.length === 0) return html``;
  const line = ({ line: at, reason }: ProposalFault) =>
    html`<li>${at === null ? '' : `Line ${at}: `}${reason}</li>`;
  return html`<section><h2>Problems</h2><ul>${faults.map(line)}</ul></section>`;
}

/** The whole file in a text field. */
export function file(
  state: CatalogFileState,
  text: string,
  faults: readonly ProposalFault[],
  result: FormResult,
): Html {
  return html`<h1>Edit the file</h1>
${resultLine(result)}${faultList(faults)}
<form method="post" action="${cataloguePath}/file"><input type="hidden" name="base" value="${state.digest}">
<section><label for="text">${state.name} (YAML; docs/catalog.md lists all keys)</label>
<textarea class="code" id="text" name="text" rows="${rowsOfFile}" spellcheck="false" autocapitalize="off" wrap="off">
${text}</textarea>
<div class="actions"><button>Review changes</button><a class="button plain" href="${cataloguePath}">Cancel</a></div></section></form>`;
}
