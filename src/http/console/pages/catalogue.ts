import { html } from 'hono/html';
import type { Severity } from '../../../catalog/catalog-diff.ts';
import type { Impact } from '../../../catalog/catalog-impact.ts';
import type { Publication } from '../../../catalog/catalogs.ts';
import type { ReloadPreview } from '../../../journeys/reload-preview.ts';
import type { Html } from '../../pages/frame.ts';
import { type FormResult, resultLine } from './account.ts';
import { moment, sign, table } from './figures.ts';

type Sound = Extract<ReloadPreview, { kind: 'sound' }>;

type CatalogueFacts = {
  preview: ReloadPreview;
  history: readonly Omit<Publication, 'text' | 'textBefore'>[];
  /** The running terms of the trial, by their keys in the catalogue; null without one. */
  trial: Readonly<Record<string, string>> | null;
  canPublish: boolean;
  result: FormResult;
};

const path = '/admin/console/catalogue';

/**
 * The catalogue: forms that edit it, changes of the files that are not in force yet, and the history. The form that applies the files carries
 * their digest, so it publishes exactly what is shown here.
 */
export function catalogue({ preview, history, trial, canPublish, result }: CatalogueFacts): Html {
  return html`<h1>Catalogue</h1>
${resultLine(result)}
${canPublish ? editLinks() : ''}
${preview.kind === 'faulty' ? faulty(preview.faults) : sound(preview, canPublish)}
${trial === null ? '' : trialRules(trial)}
<section aria-labelledby="history"><h2 id="history">Published in the console</h2>
${history.length === 0 ? html`<p class="soft">Nothing yet.</p>` : table('Publications', ['When', 'Who', 'Note', ''], history.map(historyRow), 'stack')}</section>`;
}

function trialRules(trial: Readonly<Record<string, string>>): Html {
  const isUsd = trial.included_usd !== undefined;
  const facts = [
    [isUsd ? 'Included (USD)' : 'Included', trial[isUsd ? 'included_usd' : 'included'] ?? '0'],
    ['Given once for each', trial.once_per ?? 'new account'],
    [
      isUsd ? 'All trials in an hour (USD)' : 'All trials in an hour',
      trial[isUsd ? 'all_usd_per_hour' : 'all_per_hour'] ?? 'no limit',
    ],
  ];
  return html`<section aria-labelledby="trial"><h2 id="trial">Free trial</h2>
<dl class="facts">${facts.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl></section>`;
}

function editLinks(): Html {
  const links = [
    ['plans', 'Plans'],
    ['prices', 'Services and prices'],
    ['brand', 'Branding'],
    ['file', 'The whole file'],
  ] as const;
  return html`<section aria-labelledby="edit"><h2 id="edit">Edit</h2><p class="soft">Every edit shows its effects on buyers before it is published. Promotion codes have a page of their own: <a href="/admin/console/codes">Codes</a>.</p>
<div class="actions">${links.map(([to, name]) => html`<a class="button plain" href="${path}/${to}">${name}</a>`)}</div></section>`;
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
    return html`<section><h2>In force</h2><p>The files match the running shop.</p><p class="soft">When you edit the catalogue file outside the console, its changes are shown here before they take effect.</p>${digests(digest, running)}</section>`;
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
${changes.length === 0 ? html`<p>None.</p>` : changes.map(change)}
${settings.length === 0 ? '' : html`<p>Changed settings: ${settings.join(', ')}.</p>`}
${lines(warnings)}${isInFiles ? digests(digest, running) : ''}</section>`;
}

/** A list of sentences; empty when there are none. */
export function lines(all: readonly string[]): Html {
  return all.length === 0 ? html`` : html`<ul class="heed">${all.map((line) => html`<li>${line}</li>`)}</ul>`;
}

function change({ subject, id, name, deed, severity, fields, says }: Impact): Html {
  const what = subject === 'shop' ? name : `${subject} ${id}`;
  const field = ({ name: key, from, to }: Impact['fields'][number]) =>
    html`<li>${key}: ${[from, to].filter((it) => it !== null).join(' → ')}</li>`;
  return html`<h3>${what}: ${deed} ${severitySign(severity)}</h3>
<ul>${fields.map(field)}</ul>${says.map((line) => html`<p>${line}.</p>`)}`;
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
