import * as Money from '@sluice/kernel/money';
import { html } from 'hono/html';
import type { Severity } from '../../../catalog/catalog-diff.ts';
import type { Impact } from '../../../catalog/catalog-impact.ts';
import type { Publication } from '../../../catalog/catalogs.ts';
import type { Plan } from '../../../catalog/plan.ts';
import type { Service } from '../../../catalog/service.ts';
import type { ReloadPreview } from '../../../journeys/reload-preview.ts';
import type { Html } from '../../pages/frame.ts';
import { type FormResult, resultLine } from './account.ts';
import { actor } from './audit.ts';
import { swatch } from './colour.ts';
import { fieldNames } from './field-names.ts';
import { amount, count, moment, money, results, sign, table, unitPrice, usd } from './figures.ts';

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
<div class="columns">${planList(plans, trial, canPublish)}${serviceList(services, canPublish)}${canPublish ? otherEdits() : ''}
<section class="row-wide" aria-labelledby="history"><h2 id="history">Published in the console</h2>
${
  history.length === 0
    ? html`<p class="soft">Nothing yet. Every edit is listed here, and can be reverted.</p>`
    : table(
        'Publications',
        ['When', { bare: 'Who' }, { bare: 'Changes' }],
        history.map((one) => historyRow(one, canPublish)),
        'stack',
      )
}</section></div>`;
}

function editLink(to: string, name: string, canPublish: boolean): Html {
  return canPublish ? html`<a class="button plain end" href="${path}/${to}">${name}</a>` : html``;
}

function planList(plans: readonly Plan[], trial: CatalogueFacts['trial'], canPublish: boolean): Html {
  const row = (plan: Plan) =>
    html`<tr><th scope="row">${plan.name}</th><td>${contentsOf(plan)}</td><td class="number">${priceOf(plan)}</td></tr>`;
  return html`<section aria-labelledby="plans"><h2 id="plans">Plans</h2>
${table('Plans', ['Plan', { bare: 'Includes' }, { number: 'Price', onPhone: 'lead' }], plans.map(row), 'stack')}${trial === null ? '' : trialRules(trial)}
${editLink('plans', 'Edit plans', canPublish)}</section>`;
}

function priceOf(plan: Plan): string {
  switch (plan.kind) {
    case 'trial':
      return 'free';
    case 'credit':
      return `from ${money(plan.min)}`;
    case 'subscription':
      return `${money(plan.price)} per ${plan.every}`;
  }
}

/** The contents of a plan: `200,000 results`. */
function contentsOf(plan: Plan): string {
  if (plan.kind === 'credit') return 'pays per call';
  const { asset, amount: included } = plan.included;
  return asset === 'usd' ? `${amount(asset, included)} of usage` : amount(asset, included);
}

const onceNames: Readonly<Record<string, string>> = { email: 'email address' };

function trialRules(trial: Readonly<Record<string, string>>): Html {
  const isUsd = trial.included_usd !== undefined;
  const perHour = trial[isUsd ? 'all_usd_per_hour' : 'all_per_hour'];
  const once = (trial.once_per ?? '')
    .split(', ')
    .map((one) => onceNames[one] ?? one)
    .join(', ');
  const shown = (value: string) => (isUsd ? `${value} USD` : results(Number(value)));
  return html`<p class="soft">The free trial is given once to each ${once || 'new account'}. ${perHour === undefined ? 'There is no limit for all new accounts together.' : `All new accounts together get at most ${shown(perHour)} in an hour.`}</p>`;
}

const namesShownMax = 6;

/** The services by price: most shops have many services and few prices. */
function serviceList(services: readonly Service[], canPublish: boolean): Html {
  const groups = Map.groupBy(services, ({ unit, price, metering }) =>
    metering === undefined ? unitPrice(price, unit) : 'By meter',
  );
  const names = (all: readonly Service[]) => all.map(({ name }) => name).join(', ');
  const row = ([price, all]: readonly [string, readonly Service[]]) =>
    html`<dt>${price}</dt><dd>${names(all.slice(0, namesShownMax))}${all.length <= namesShownMax ? '' : html`<details><summary>${count(all.length - namesShownMax)} more</summary>${names(all.slice(namesShownMax))}</details>`}</dd>`;
  return html`<section aria-labelledby="services"><h2 id="services">Services and prices</h2>
<dl class="list">${[...groups].map(row)}</dl>
${editLink('prices', 'Edit services and prices', canPublish)}</section>`;
}

function otherEdits(): Html {
  const all = [
    [`${path}/brand`, 'Branding', 'Name, colour, logo, receipts, and links in the footer'],
    ['/admin/console/codes', 'Promotion codes', 'Credit for buyers who enter a code'],
    [`${path}/file`, 'The whole file', 'Everything, in YAML'],
  ] as const;
  return html`<section class="row-wide" aria-labelledby="edit"><h2 id="edit">More to edit</h2>
<ul class="heed">${all.map(([to, name, about]) => html`<li><a href="${to}"><b>${name}</b></a><br><span class="soft">${about}</span></li>`)}</ul></section>`;
}

function historyRow({ id, atMs, who, note }: CatalogueFacts['history'][number], canRevert: boolean): Html {
  return html`<tr><th scope="row">${moment(atMs)}${note === '' ? '' : html`<small>${note}</small>`}</th><td>${actor(who).name}</td><td><a href="${path}/history/${id}">${canRevert ? 'Changes and revert' : 'Changes'}</a></td></tr>`;
}

function faulty(faults: readonly string[]): Html {
  return html`<section><h2>The files have errors</h2>
<p>The shop keeps running with its current catalogue. Fix these errors and reload this page:</p><ul>${faults.map((fault) => html`<li class="id">${fault}</li>`)}</ul></section>`;
}

function sound(preview: Sound, canPublish: boolean): Html {
  const { digest, running, settings, refusals } = preview;
  if (digest === running && settings.length === 0)
    return html`<p class="soft">What buyers can buy now. Every edit shows its effect on them before you publish it.</p>`;
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
${changes.length === 0 ? html`<p>Nothing changes for buyers.</p>` : alike(changes).map(change)}
${settings.length === 0 ? '' : html`<p>Changed settings: ${settings.join(', ')}.</p>`}
${lines(warnings)}${isInFiles ? digests(digest, running) : ''}</section>`;
}

/** A list of sentences; empty when there are none. */
export function lines(all: readonly string[]): Html {
  return all.length === 0
    ? html``
    : html`<ul class="heed">${all.map((line) => html`<li>${withSwitch(line)}</li>`)}</ul>`;
}

/** Changes that have the same effect, such as a new price for all services. */
function alike(changes: readonly Impact[]): Impact[][] {
  const groups = Map.groupBy(changes, ({ subject, deed, severity, fields, says }) =>
    JSON.stringify([subject, deed, severity, fields, says]),
  );
  return [...groups.values()];
}

function change(all: readonly Impact[]): Html {
  const [first] = all;
  if (first === undefined) return html``;
  const { subject, deed, severity, fields, says } = first;
  const names = all.map(
    ({ id, name }) => ({ shop: 'Shop', plan: `Plan ${name}`, service: name, operation: id })[subject],
  );
  const what = all.length === 1 ? names[0] : `${count(all.length)} ${subject}s`;
  return html`<h3>${what}${deed === 'changed' ? '' : `: ${deed}`} ${severitySign(severity)}</h3>
${all.length === 1 ? '' : html`<p class="soft">${names.join(', ')}</p>`}<ul>${fields.map(fieldChange)}</ul>${says.map((line) => html`<p>${plainWords(line, subject === 'plan')}.</p>`)}`;
}

/** A changed field in words: `Price: 99.00 → 123.00 USD (+24%)`. */
export function fieldChange({
  name: key,
  from,
  to,
}: Pick<Impact['fields'][number], 'name' | 'from' | 'to'>): Html {
  const words = key.replaceAll('_', ' ');
  const name = fieldNames[key] ?? words.charAt(0).toUpperCase() + words.slice(1);
  const isMoney = key.endsWith('_usd');
  const shown = (text: string) =>
    html`${shownValue(text)}${key === 'brand.colour' ? html` ${swatch(text)}` : ''}`;
  const values = [from, to].filter((it) => it !== null);
  const percent =
    isMoney && from !== null && to !== null && Number(from) > 0 ? percentOf(Number(from), Number(to)) : '';
  return html`<li>${name}: ${values.map((value, at) => html`${at === 0 ? '' : ' → '}${shown(value)}`)}${isMoney ? ' USD' : ''}${percent}${key === 'price_usd' ? perThousand(from, to) : ''}${to === null ? ' (removed)' : ''}</li>`;
}

/** The price of a thousand, where one costs less than a cent: `, per 1,000: 1.00 → 2.00 USD`. */
function perThousand(from: string | null, to: string | null): string {
  const values = [from, to].filter((one) => one !== null).map((one) => Money.parse(one) ?? Money.zero);
  if (values.some((one) => one === 0 || one >= 10_000)) return '';
  return `, per 1,000: ${values.map((one) => usd(Money.times(one, 1_000))).join(' → ')} USD`;
}

function percentOf(from: number, to: number): string {
  const percent = Math.round((100 * (to - from)) / from);
  return percent === 0 ? '' : ` (${percent > 0 ? '+' : '−'}${Math.abs(percent)}%)`;
}

/** Whole numbers and numbers of units with separators; an uploaded image without its bytes. */
function shownValue(text: string): string {
  if (text.startsWith('data:')) return 'uploaded image';
  if (text === '*') return 'every service';
  return withSeparators(text)
    .replace(/^true$/, 'yes')
    .replace(/^false$/, 'no');
}

/** Describes a change for the holders of a plan, without the words of the file: `start: 3 accounts ...: they keep ...`. */
function plainWords(line: string, isOfPlan: boolean): string {
  const text = line
    .replace(/^([\w-]+): /, isOfPlan ? '' : 'plan $1, ')
    .replace('renewals keep their price (there are none); ', '')
    .replace(/(\d+) offer(s?) that may still be paid/, '$1 unpaid offer$2')
    .replace(
      /^(.*?): (.)/,
      (_, holders: string, first: string) => `Affected: ${holders}. ${first.toUpperCase()}`,
    );
  return withSeparators(text)
    .replace(/\bunit(s?)\b/g, 'result$1')
    .replace(/\b([\d,]+\.\d\d)\d{1,4}(?= USD, )/g, '$1');
}

/** A reason against a change, which names the switch of the form in place of the key of the file. */
function withSwitch(line: string): string {
  return withSeparators(line)
    .replace(/(Keep|Load) it with "retired: true"/, 'First tick “Stop selling this plan” for it')
    .replace(/Add it again with "retired: true"/, 'Add it again, and tick “Stop selling this plan”');
}

/** Adds separators to a number, or to the numbers of units and dollars in a sentence. */
function withSeparators(text: string): string {
  return text.replace(/^\d{4,}$|\b\d{4,}(?= units?\b| results?\b|\.\d{2,6} USD\b)/g, (digits) =>
    Number(digits).toLocaleString('en'),
  );
}

function severitySign(severity: Severity): Html {
  switch (severity) {
    case 'harmless':
      return sign('no loss for buyers');
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
