import { html } from 'hono/html';
import type { Severity } from '../../../catalog/catalog-diff.ts';
import type { Impact } from '../../../catalog/catalog-impact.ts';
import type { Publication } from '../../../catalog/catalogs.ts';
import type { Plan } from '../../../catalog/plan.ts';
import type { Service } from '../../../catalog/service.ts';
import type { ReloadPreview } from '../../../journeys/reload-preview.ts';
import type { Html } from '../../pages/frame.ts';
import { type FormResult, resultLine } from './account.ts';
import { swatch } from './colour.ts';
import { moment, sign, table, usd } from './figures.ts';

type Sound = Extract<ReloadPreview, { kind: 'sound' }>;

type CatalogueFacts = {
  preview: ReloadPreview;
  history: readonly Omit<Publication, 'text' | 'textBefore'>[];
  /** The running terms of the trial, by their keys in the catalogue; null without one. */
  trial: Readonly<Record<string, string>> | null;
  /** The plans and the services in force. */
  plans: readonly Plan[];
  services: readonly Service[];
  canPublish: boolean;
  result: FormResult;
};

const path = '/admin/console/catalogue';

/**
 * The catalogue: forms that edit it, changes of the files that are not in force yet, and the history. The form that applies the files carries
 * their digest, so it publishes exactly what is shown here.
 */
export function catalogue(facts: CatalogueFacts): Html {
  const { preview, history, trial, plans, services, canPublish, result } = facts;
  return html`<h1>Catalogue</h1>
${resultLine(result)}
${preview.kind === 'faulty' ? faulty(preview.faults) : sound(preview, canPublish)}
<div class="columns">${planList(plans, trial, canPublish)}${serviceList(services, canPublish)}</div>
${canPublish ? otherEdits() : ''}
<section aria-labelledby="history"><h2 id="history">Published in the console</h2>
${history.length === 0 ? html`<p class="soft">Nothing yet.</p>` : table('Publications', ['When', { bare: 'Who' }, { bare: 'Note' }, { bare: 'Changes' }], history.map(historyRow), 'stack')}</section>`;
}

function editLink(to: string, name: string, canPublish: boolean): Html {
  return canPublish ? html`<a class="button plain" href="${path}/${to}">${name}</a>` : html``;
}

function planList(plans: readonly Plan[], trial: CatalogueFacts['trial'], canPublish: boolean): Html {
  const row = (plan: Plan) =>
    html`<tr><th scope="row">${plan.name}</th><td class="number">${priceOf(plan)}</td></tr>`;
  return html`<section aria-labelledby="plans"><h2 id="plans">Plans in force</h2>
${table('Plans', ['Plan', { number: 'Price' }], plans.map(row), 'slim')}${trial === null ? '' : trialRules(trial)}
${editLink('plans', 'Edit plans', canPublish)}</section>`;
}

function priceOf(plan: Plan): string {
  switch (plan.kind) {
    case 'trial':
      return 'free';
    case 'credit':
      return `from ${usd(plan.min)} USD`;
    case 'subscription':
      return `${usd(plan.price)} USD / ${plan.every}`;
  }
}

function trialRules(trial: Readonly<Record<string, string>>): Html {
  const isUsd = trial.included_usd !== undefined;
  const included = Number(trial[isUsd ? 'included_usd' : 'included'] ?? '0').toLocaleString('en');
  const perHour = trial[isUsd ? 'all_usd_per_hour' : 'all_per_hour'];
  const unit = isUsd ? 'USD' : 'units';
  return html`<p class="soft">Free trial: ${included} ${unit}, given once for each ${trial.once_per ?? 'new account'}; all trials in an hour: ${perHour === undefined ? 'no limit' : `${perHour} ${unit}`}.</p>`;
}

const servicesShownMax = 8;

function serviceList(services: readonly Service[], canPublish: boolean): Html {
  const row = ({ name, unit, price, metering }: Service) =>
    html`<tr><th scope="row">${name}</th><td class="number">${metering === undefined ? html`${usd(price)} USD <span class="soft">/ ${unit}</span>` : 'by meter'}</td></tr>`;
  const list = (label: string, some: readonly Service[]) =>
    table(label, ['Service', { number: 'Price' }], some.map(row), 'slim');
  const rest = services.slice(servicesShownMax);
  return html`<section aria-labelledby="services"><h2 id="services">Prices in force</h2>${list('Services', services.slice(0, servicesShownMax))}
${rest.length === 0 ? '' : html`<details><summary>${rest.length} more services</summary>${list('More services', rest)}</details>`}
${editLink('prices', 'Edit services and prices', canPublish)}</section>`;
}

function otherEdits(): Html {
  return html`<section aria-labelledby="edit"><h2 id="edit">More to edit</h2>
<div class="actions"><a class="button plain" href="${path}/brand">Branding</a><a class="button plain" href="/admin/console/codes">Promotion codes</a><a class="button plain" href="${path}/file">The whole file</a></div>
<p class="soft">Every edit shows its effects on buyers before it is published.</p></section>`;
}

function historyRow({ id, atMs, who, note }: CatalogueFacts['history'][number]): Html {
  return html`<tr><th scope="row">${moment(atMs)}</th><td>${who}</td><td>${note}</td><td><a href="${path}/history/${id}">Changes and revert</a></td></tr>`;
}

function faulty(faults: readonly string[]): Html {
  return html`<section><h2>The files have errors</h2>
<p>The shop keeps running with its current catalogue. Fix these errors and reload this page:</p><ul>${faults.map((fault) => html`<li class="id">${fault}</li>`)}</ul></section>`;
}

function sound(preview: Sound, canPublish: boolean): Html {
  const { digest, running, settings, refusals } = preview;
  if (digest === running && settings.length === 0)
    return html`<p class="soft">Everything in the catalogue’s files is in force. Changes that you make in the files outside the console are shown here before they take effect.</p>`;
  return html`${changesForBuyers(preview, true)}
${refusals.length > 0 ? html`<section><h2>These changes cannot be published</h2>${lines(refusals)}</section>` : canPublish ? publishForm(digest) : ''}`;
}

/** The changes of a catalogue and settings, and their effects. `isInFiles`: the files contain them already. */
export function changesForBuyers(
  { digest, running, settings, consequences }: Sound,
  isInFiles: boolean,
): Html {
  const { changes, warnings } = consequences;
  return html`<section aria-labelledby="changes"><h2 id="changes">Changes for buyers</h2>
${changes.length === 0 ? html`<p>Nothing changes for buyers.</p>` : changes.map(change)}
${settings.length === 0 ? '' : html`<p>Changed settings: ${settings.join(', ')}.</p>`}
${lines(warnings)}${isInFiles ? digests(digest, running) : ''}</section>`;
}

/** A list of sentences; empty when there are none. */
export function lines(all: readonly string[]): Html {
  return all.length === 0 ? html`` : html`<ul class="heed">${all.map((line) => html`<li>${line}</li>`)}</ul>`;
}

function change({ subject, id, name, deed, severity, fields, says }: Impact): Html {
  const what = { shop: 'Shop', plan: `Plan ${name}`, service: name, operation: id }[subject];
  return html`<h3>${what}${deed === 'changed' ? '' : `: ${deed}`} ${severitySign(severity)}</h3>
<ul>${fields.map(fieldChange)}</ul>${says.map((line) => html`<p>${line}.</p>`)}`;
}

const fieldNames: Readonly<Record<string, string>> = {
  price_usd: 'Price',
  included_usd: 'Included usage',
  requests_per_second: 'Calls per second',
  grace_days: 'Days of grace',
  rollover: 'What is unused stays for one more period',
  'brand.colour': 'Colour',
  'brand.font': 'Font',
  'brand.logo': 'Logo',
  'links.terms': 'Terms of service',
  'links.privacy': 'Privacy',
  'links.imprint': 'Imprint',
  'links.status': 'Status page',
};

/** A changed field in words: `Price: 99.00 → 123.00 USD (+24%)`. */
function fieldChange({ name: key, from, to }: Impact['fields'][number]): Html {
  const words = key.replaceAll('_', ' ');
  const name = fieldNames[key] ?? words.charAt(0).toUpperCase() + words.slice(1);
  const isMoney = key.endsWith('_usd');
  const shown = (text: string) =>
    html`${shownValue(text)}${key === 'brand.colour' ? html` ${swatch(text)}` : ''}`;
  const values = [from, to].filter((it) => it !== null);
  const percent =
    isMoney && from !== null && to !== null && Number(from) > 0 ? percentOf(Number(from), Number(to)) : '';
  return html`<li>${name}: ${values.map((value, at) => html`${at === 0 ? '' : ' → '}${shown(value)}`)}${isMoney ? ' USD' : ''}${percent}${to === null ? ' (removed)' : ''}</li>`;
}

function percentOf(from: number, to: number): string {
  const percent = Math.round((100 * (to - from)) / from);
  return percent === 0 ? '' : ` (${percent > 0 ? '+' : '−'}${Math.abs(percent)}%)`;
}

/** Whole numbers with separators; an uploaded image without its bytes. */
function shownValue(text: string): string {
  if (text.startsWith('data:')) return 'uploaded image';
  return /^\d{4,}$/.test(text) ? Number(text).toLocaleString('en') : text;
}

function severitySign(severity: Severity): Html {
  switch (severity) {
    case 'harmless':
      return sign('harmless');
    case 'raises_price':
      return sign('raises a price', true);
    case 'takes_away':
      return sign('removes something', true);
  }
}

function digests(digest: string, running: string): Html {
  return html`<p class="soft">Running: <span class="id">${running.slice(0, 12)}</span>, in the files: <span class="id">${digest.slice(0, 12)}</span></p>`;
}

function publishForm(digest: string): Html {
  return html`<section><h2>Publish</h2><p class="soft">Applies to all new requests in every process. Running requests finish with the current catalogue.</p>
<form method="post" action="${path}"><input type="hidden" name="digest" value="${digest}"><button>Publish changes</button></form></section>`;
}
