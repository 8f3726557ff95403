import { html } from 'hono/html';
import type { Plan } from '../../../catalog/plan.ts';
import type { Service } from '../../../catalog/service.ts';
import type { ListedPublication } from '../../../journeys/catalog-editing.ts';
import type { ReloadPreview } from '../../../journeys/reload-preview.ts';
import type { Html } from '../../pages/frame.ts';
import { type FormResult, resultLine } from './account.ts';
import { actor } from './audit.ts';
import { changesForBuyers, refused } from './catalogue-changes.ts';
import { amount, count, many, moment, money, results, table, unitPrice } from './figures.ts';
import { keyWord, meteredPrice } from './metered-price.ts';
import { inBrief } from './publication-changes.ts';

type Sound = Extract<ReloadPreview, { kind: 'sound' }>;

type CatalogueFacts = {
  preview: ReloadPreview;
  history: readonly ListedPublication[];
  /** The running terms of the trial, by their keys in the catalogue; null without one. */
  trial: Readonly<Record<string, string>> | null;
  /** The plans and the services in force. */
  plans: readonly Plan[];
  services: readonly Service[];
  /** The digest of the file's text. */
  base: string;
  canPublish: boolean;
  result: FormResult;
};

const path = '/admin/console/catalogue';

/**
 * The catalogue: forms that edit it, changes of the files that are not in force yet, and the history. The form that applies the files carries
 * their digest, so it publishes exactly what is shown here.
 */
export function catalogue(facts: CatalogueFacts): Html {
  const { preview, history, trial, plans, services, base, canPublish, result } = facts;
  return html`<h1>Catalogue</h1>
${resultLine(result)}
${preview.kind === 'faulty' ? faulty(preview.faults, canPublish) : sound(preview, canPublish ? base : null)}
<div class="columns">${planList(plans, trial, canPublish)}${serviceList(services, canPublish)}${canPublish ? otherEdits() : ''}
<section class="row-wide" aria-labelledby="history"><h2 id="history">Published in the console</h2>
${
  history.length === 0
    ? html`<p class="soft">Nothing yet. Every edit is listed here, with a way back to the catalogue before it.</p>`
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
    metering === undefined ? unitPrice(price, unit) : meteredPrice(metering),
  );
  const names = (all: readonly Service[]) => all.map(nameWithKeys).join(', ');
  const row = ([price, all]: readonly [string, readonly Service[]]) =>
    html`<dt>${price}</dt><dd>${names(all.slice(0, namesShownMax))}${all.length <= namesShownMax ? '' : html`<details><summary>${count(all.length - namesShownMax)} more</summary>${names(all.slice(namesShownMax))}</details>`}</dd>`;
  return html`<section aria-labelledby="services"><h2 id="services">Services and prices</h2>
<dl class="list">${[...groups].map(row)}</dl>
${editLink('prices', 'Edit services and prices', canPublish)}</section>`;
}

/** A service with the number of its prices: `Chat (2 models)`. */
function nameWithKeys({ name, metering }: Service): string {
  const word = metering === undefined ? null : keyWord(metering);
  return word === null ? name : `${name} (${many(metering?.tables.size ?? 0, word)})`;
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

function historyRow({ id, atMs, who, note, changes }: ListedPublication, canRevert: boolean): Html {
  const more = [changes === null ? '' : inBrief(changes), note].filter((line) => line !== '');
  return html`<tr><th scope="row">${moment(atMs)}${more.map((line) => html`<small>${line}</small>`)}</th><td>${actor(who).name}</td><td><a href="${path}/history/${id}">${canRevert ? 'Changes and revert' : 'Changes'}</a></td></tr>`;
}

/** A fault of a file: `…/catalog.yaml:12:5 reason`. */
const placed = /^(?:\S*\/)?([^/\s:]+):(\d+):\d+ (.+)$/s;

function faulty(faults: readonly string[], canEdit: boolean): Html {
  const row = (fault: string) => {
    const [, file, line, reason] = placed.exec(fault) ?? [];
    if (line === undefined) return html`<li>${fault}</li>`;
    const place = `${file}, line ${line}`;
    return html`<li>${canEdit ? html`<a href="${path}/file#line-${line}">${place}</a>` : place}: ${reason}</li>`;
  };
  return html`<section class="banner" role="alert"><h2>The files have errors</h2>
<p>The shop keeps running with its current catalogue. Correct these errors, then reload this page.</p><ul>${faults.map(row)}</ul>${canEdit ? html`<div class="actions"><a class="button plain" href="${path}/file">Edit the file</a></div>` : ''}</section>`;
}

function sound(preview: Sound, base: string | null): Html {
  const canPublish = base !== null;
  const { digest, running, settings, refusals } = preview;
  if (digest === running && settings.length === 0)
    return html`<p class="soft">What buyers can buy now. Every edit shows its effect on them before you publish it.</p>`;
  const file = canPublish ? html`<a class="button plain" href="${path}/file">Edit the file</a>` : html``;
  const what = digest === running ? 'Settings' : 'The catalogue’s files';
  return html`<p class="note">${what} were changed on the server. Buyers still get the old catalogue until you publish.</p>
${refusals.length > 0 ? refused(preview, base, file) : ''}${changesForBuyers(preview, true)}
${refusals.length === 0 && canPublish ? publishForm(digest, file) : ''}`;
}

export const takesEffect = 'Takes effect at once. Calls already under way finish at the old prices.';

function publishForm(digest: string, other: Html): Html {
  return html`<section><h2>Publish</h2><p class="soft">${takesEffect}</p>
<form method="post" action="${path}"><input type="hidden" name="digest" value="${digest}"><div class="actions"><button>Publish changes</button>${other}</div></form></section>`;
}
