import { html } from 'hono/html';
import type { Severity } from '../../../catalog/catalog-diff.ts';
import type { Impact } from '../../../catalog/catalog-impact.ts';
import type { ReloadPreview } from '../../../journeys/reload.ts';
import type { Html } from '../../pages/frame.ts';
import { type FormResult, resultLine } from './account.ts';
import { sign } from './figures.ts';

type Sound = Extract<ReloadPreview, { kind: 'sound' }>;

/** Previews the effect of the changed files on buyers. The form carries the digest, so it publishes exactly what is shown here. */
export function catalogue(
  preview: ReloadPreview,
  trial: Readonly<Record<string, string>> | null,
  result: FormResult,
  path: string,
): Html {
  return html`<h1>Catalogue and settings</h1>
${resultLine(result)}
${preview.kind === 'faulty' ? faulty(preview.faults) : sound(preview, path)}
${trial === null ? '' : trialRules(trial)}`;
}

/** The running terms of the trial, by their keys in the catalogue. */
function trialRules(trial: Readonly<Record<string, string>>): Html {
  const fact = (key: string, none: string) => html`<div><dt>${key}</dt><dd>${trial[key] ?? none}</dd></div>`;
  const perHour = trial.included_usd === undefined ? 'all_per_hour' : 'all_usd_per_hour';
  const included = trial.included_usd === undefined ? 'included' : 'included_usd';
  return html`<section aria-labelledby="trial"><h2 id="trial">Free trial</h2>
<dl class="facts">${fact(included, '0')}${fact('once_per', 'each new account')}${fact(perHour, 'no limit')}</dl></section>`;
}

function faulty(faults: readonly string[]): Html {
  return html`<section><h2>The files have errors</h2>
<p>The shop keeps running with its current catalogue. Fix these errors and reload this page:</p><ul>${faults.map((fault) => html`<li class="id">${fault}</li>`)}</ul></section>`;
}

function sound({ digest, running, settings, refusals, consequences }: Sound, path: string): Html {
  if (digest === running && settings.length === 0)
    return html`<section><p>The files match the running shop.</p><p class="soft">Edit the catalogue file and reload this page to preview the changes before they take effect.</p>${digests(digest, running)}</section>`;
  const { changes, warnings } = consequences;
  const list = (lines: readonly string[]) =>
    lines.length === 0 ? '' : html`<ul class="heed">${lines.map((line) => html`<li>${line}</li>`)}</ul>`;
  return html`<section aria-labelledby="changes"><h2 id="changes">Changes for buyers</h2>
${changes.length === 0 ? html`<p>None.</p>` : changes.map(change)}
${settings.length === 0 ? '' : html`<p>Changed settings: ${settings.join(', ')}.</p>`}
${list(warnings)}${digests(digest, running)}</section>
${refusals.length > 0 ? html`<section><h2>These changes cannot be published</h2>${list(refusals)}</section>` : publishForm(digest, path)}`;
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

function publishForm(digest: string, path: string): Html {
  return html`<section><h2>Publish</h2><p class="soft">Applies to all new requests in every process. Running requests finish with the current catalogue.</p>
<form method="post" action="${path}"><input type="hidden" name="digest" value="${digest}"><button>Publish changes</button></form></section>`;
}
