import { html } from 'hono/html';
import type { Consequence } from '../../../catalog/consequence.ts';
import type { Severity } from '../../../catalog/difference.ts';
import type { Preview } from '../../../journeys/reload.ts';
import type { Html } from '../frame.ts';
import type { Notice } from './account.ts';
import { sign } from './figures.ts';

type Sound = Extract<Preview, { kind: 'sound' }>;

/** What the files would change for whom. The button takes what is shown here or nothing: its form has the digest. */
export function catalogue(preview: Preview, notice: Notice, path: string): Html {
  return html`<h1>Catalogue and settings</h1>
${notice === null ? '' : html`<p class="note" role="${notice.isBad ? 'alert' : 'status'}">${notice.text}</p>`}
${preview.kind === 'faulty' ? faulty(preview.faults) : sound(preview, path)}`;
}

function faulty(faults: readonly string[]): Html {
  return html`<section><h2>There is something wrong with the files</h2>
<p>The shop goes on by what it has.</p><ul>${faults.map((fault) => html`<li class="id">${fault}</li>`)}</ul></section>`;
}

function sound({ digest, running, settings, refusals, consequences }: Sound, path: string): Html {
  if (digest === running && settings.length === 0)
    return html`<section><p>The files say what runs.</p><p class="soft">Change the catalogue, and look here before it takes effect.</p>${digests(digest, running)}</section>`;
  const { changes, warnings } = consequences;
  const list = (lines: readonly string[]) =>
    lines.length === 0 ? '' : html`<ul class="heed">${lines.map((line) => html`<li>${line}</li>`)}</ul>`;
  return html`<section aria-labelledby="changes"><h2 id="changes">What changes for whom</h2>
${changes.length === 0 ? html`<p>Nothing for those who buy.</p>` : changes.map(change)}
${settings.length === 0 ? '' : html`<p>Settings that are others now: ${settings.join(', ')}.</p>`}
${list(warnings)}${digests(digest, running)}</section>
${refusals.length > 0 ? html`<section><h2>It cannot be taken as it is</h2>${list(refusals)}</section>` : take(digest, path)}`;
}

function change({ subject, id, name, deed, severity, fields, says }: Consequence): Html {
  const what = subject === 'shop' ? name : `${subject} ${id}`;
  const field = ({ name: key, from, to }: Consequence['fields'][number]) =>
    html`<li>${key}: ${[from, to].filter((it) => it !== null).join(' → ')}</li>`;
  return html`<h3>${what}: ${deed} ${words(severity)}</h3>
<ul>${fields.map(field)}</ul>${says.map((line) => html`<p>${line}.</p>`)}`;
}

function words(severity: Severity): Html {
  switch (severity) {
    case 'harmless':
      return sign('harmless');
    case 'raises_price':
      return sign('raises a price', true);
    case 'takes_away':
      return sign('takes something away', true);
  }
}

function digests(digest: string, running: string): Html {
  return html`<p class="soft">Runs: <span class="id">${running.slice(0, 12)}</span>, in the files: <span class="id">${digest.slice(0, 12)}</span></p>`;
}

function take(digest: string, path: string): Html {
  return html`<section><h2>Take it</h2><p class="soft">In every process, for every request from then on. Requests under way end as they began.</p>
<form method="post" action="${path}"><input type="hidden" name="digest" value="${digest}"><button>Take it</button></form></section>`;
}
