import { html } from 'hono/html';
import type { ProposalFault } from '../../../journeys/catalog-editing.ts';
import { capitalized } from '../../../text/capitalized.ts';
import type { Html } from '../../pages/frame.ts';
import { type FieldGroup, namedIn } from '../catalogue-field.ts';
import { pricedTogether } from '../catalogue-fields.ts';
import { type FormResult, resultLine } from './account.ts';
import { fieldNames } from './field-names.ts';
import { count } from './figures.ts';

/** More problems are counted: the list comes before the text that it is about. */
const faultsShownMax = 25;

/** Keys that no sentence contains as a word. */
const plainKeys = Object.keys(fieldNames).filter((key) => key.includes('_'));
const keyPattern = new RegExp(`\\b(${plainKeys.join('|')})\\b`, 'g');

/** A place in a form: the id of its input, and its name in words, such as `Start: Price`. */
type Place = { id: string; name: string };

/** The faults of a form in words. `placeOf`: the place of a fault, null when the form has no field for it. */
export type FaultWords = {
  faults: readonly ProposalFault[];
  placeOf(path: string): Place | null;
};

/** The fields of a new item at the end of a list: `plans[4].name` has the input `new.name`. */
const newFields: Readonly<Record<string, string>> = {
  name: 'Name',
  price_usd: 'Price',
  every: 'Per',
  included: 'Included results',
  included_usd: 'Included usage',
  description: 'Description',
  covers: 'Services',
};

/** The places of the fields of a form, by their names. */
export function placesOf(groups: readonly FieldGroup[]): Map<string, Place> {
  const places = new Map<string, Place>();
  for (const { title, id, fields, parts = [] } of groups) {
    const of = (some: typeof fields, within: string) => {
      for (const { name, label, kind } of some)
        places.set(name, { id: kind === 'logo' ? 'upload' : name, name: `${within}${bare(label)}` });
    };
    of(fields, id === undefined ? '' : `${title}: `);
    for (const part of parts) of(part.fields, `${title}, ${part.title}: `);
  }
  return places;
}

/** Puts the faults of a form into the words of its labels. `newAt`: the place of an item that the form adds, such as `plans[4]`; `hasUsage`: it has a field for usage in USD. */
export function faultWords(
  groups: readonly FieldGroup[],
  faults: readonly ProposalFault[],
  newAt: string | null,
  hasUsage = false,
): FaultWords {
  const places = placesOf(groups);
  for (const { name, unit, services } of pricedTogether(groups))
    places.set(name, { id: name, name: `All ${services.length} services, per ${unit}` });
  if (newAt !== null)
    for (const [key, name] of Object.entries(newFields))
      places.set(`${newAt}.${key}`, { id: `new.${key}`, name: `New plan: ${name}` });
  return {
    faults: faults.map((fault) => ({ ...fault, reason: reasonInWords(fault, groups, hasUsage) })),
    placeOf: (path) => places.get(path) ?? null,
  };
}

/** A label without its unit. */
function bare(label: string): string {
  return label.replace(/ \(USD\)$/, '').replace(/^Price of one \S+ of .*$/, 'Price');
}

/** The name of a service as the boxes of a plan have it. */
function serviceName(slug: string, groups: readonly FieldGroup[]): string {
  const boxes = groups.flatMap(({ fields }) => fields).find(({ kind }) => kind === 'services');
  const at = boxes?.choices?.indexOf(slug) ?? -1;
  return boxes?.choiceNames?.[at] ?? slug;
}

/** `price_usd "0.10" is below what a card can be charged: write at least "0.50"` without the key of the file. */
function reasonInWords(
  { path, reason }: ProposalFault,
  groups: readonly FieldGroup[],
  hasUsage: boolean,
): string {
  if (/^price_usd is (?:missing|"":)/.test(reason) && path.startsWith('plans'))
    return 'Enter a price, such as 5.00.';
  if (reason.startsWith('included is missing'))
    return `Enter how many results the plan includes${hasUsage ? ', or its usage in USD' : ''}.`;
  const metered = /counts units, and the plan covers (\S+), whose meters/.exec(reason)?.[1];
  if (metered !== undefined) {
    const name = serviceName(metered, groups);
    return `${name} is paid by meter, not in results. Leave this empty and enter the included usage in USD, or choose “Only these” services without ${name}.`;
  }
  const key = /(\w+)$/.exec(path)?.[1] ?? '';
  const label = bare(namedIn(groups, path)?.label ?? fieldNames[key] ?? newFields[key] ?? '');
  const named = label !== '' && reason.startsWith(`${key} `) ? `${label}${reason.slice(key.length)}` : reason;
  const text = named
    .replace(keyPattern, (found) => `“${fieldNames[found] ?? found}”`)
    .replace(/\bwrite (a decimal amount|an amount of whole cents) in quotes\b/g, 'enter $1')
    .replace(/\bwrite at (least|most) "([\d.]+)"/g, 'enter at $1 $2')
    .replace(/"([\d.]+)"/g, '$1');
  return `${capitalized(text)}${/[.?!]$/.test(text) ? '' : '.'}`;
}

/** The outcome of a refused form, with links to the fields that are at fault. */
export function refusal(result: FormResult, { faults, placeOf }: FaultWords): Html {
  const places = new Map(
    faults.flatMap(({ path }) => {
      const place = placeOf(path);
      return place === null ? [] : [[place.id, place.name] as const];
    }),
  );
  if (result === null || places.size === 0) return resultLine(result);
  return html`<div class="note" role="alert">${result.text}<ul class="faults">${[...places].map(([id, name]) => html`<li><a href="#${id}">${name}</a></li>`)}</ul></div>`;
}

/** The faults that have no field; those of a line link to it where the whole file is shown. */
export function faultList(faults: readonly ProposalFault[], hasLines = false): Html {
  if (faults.length === 0) return html``;
  const place = (at: number) =>
    hasLines ? html`<a href="#line-${at}">Line ${at}</a>: ` : html`Line ${at}: `;
  const line = ({ line: at, reason }: ProposalFault) =>
    html`<li>${at === null ? '' : place(at)}${reason}</li>`;
  const rest = faults.length - faultsShownMax;
  return html`<section><h2>Problems</h2><ul>${faults.slice(0, faultsShownMax).map(line)}${rest > 0 ? html`<li>${count(rest)} more</li>` : ''}</ul></section>`;
}
