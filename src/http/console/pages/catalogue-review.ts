import { html } from 'hono/html';
import type { Publication } from '../../../catalog/catalogs.ts';
import { type DiffLine, lineDiff } from '../../../catalog/line-diff.ts';
import { retireInstead } from '../../../catalog/retire-instead.ts';
import { sourceChanges } from '../../../catalog/source-diff.ts';
import type { CatalogFileState, Proposal } from '../../../journeys/catalog-editing.ts';
import type { Html } from '../../pages/frame.ts';
import { actor } from './audit.ts';
import { takesEffect } from './catalogue.ts';
import { changesForBuyers, refused } from './catalogue-changes.ts';
import { cataloguePath } from './catalogue-edit.ts';
import { field } from './fields.ts';
import { count, moment } from './figures.ts';
import { summary } from './publication-changes.ts';

type Sound = Extract<Proposal, { kind: 'sound' }>;
/** The form that was reviewed: its path, and its fields as they were sent. */
export type Back = { path: string; fields: readonly (readonly [name: string, value: string])[] };

/** The effects of an edit and its difference to the file, with the form that publishes it. */
export function review(
  state: CatalogFileState,
  text: string,
  proposal: Sound,
  last: Publication | null,
  back: Back,
): Html {
  const { refusals } = proposal;
  const canDownloadAbove = refusals.length === 0 && !state.isWritable;
  const hidden = html`<input type="hidden" name="base" value="${state.digest}"><textarea name="text" hidden>
${text}</textarea>`;
  const toForm = html`<button class="plain" form="back">Back to the form</button>`;
  return html`<h1>Review changes</h1>
${last === null ? '' : takenBack(last, text)}${changesForBuyers(proposal, false)}
${
  refusals.length > 0
    ? refused(proposal, state.digest, toForm)
    : state.isWritable
      ? html`<section><h2>Publish</h2><p class="soft">${takesEffect}</p>
<form method="post" action="${cataloguePath}/publish">${hidden}<input type="hidden" name="act" value="publish">
<div class="half">${field({ name: 'note', label: 'Note for the history (optional)', value: '' })}</div><div class="actions"><button>Publish changes</button>${toForm}</div></form>${discard}</section>`
      : html`<section class="narrow"><h2>Download</h2><p>The shop cannot write ${state.name} here. Download the edited file, put it in the place of the old one, then <a href="${cataloguePath}">publish it here</a>.</p><div class="actions"><button form="download">Download the edited file</button>${toForm}</div></section>`
}
<section aria-labelledby="diff"><h2 id="diff">Changes in ${state.name}</h2>${alikeFirst(lineDiff(state.text, text))}</section>
<form id="download" method="post" action="${cataloguePath}/publish">${hidden}<input type="hidden" name="act" value="download">${canDownloadAbove ? '' : html`<button class="quiet">Download the edited file</button>`}</form>
<form id="back" method="post" action="${back.path}"><input type="hidden" name="act" value="back">${back.fields.map(hiddenField)}</form>`;
}

/** Leaves the review without its changes, which exist on this page only, so it asks first. */
const discard = html`<details class="add"><summary class="soft">Discard changes</summary><p>The changes on this page are not saved anywhere else. The catalogue stays as it is.</p><p class="choices"><a class="danger" href="${cataloguePath}">Discard them and go to the catalogue</a></p></details>`;

/** Line breaks are kept in a text field only. */
function hiddenField([name, value]: Back['fields'][number]): Html {
  return value.includes('\n')
    ? html`<textarea name="${name}" hidden>
${value}</textarea>`
    : html`<input type="hidden" name="${name}" value="${value}">`;
}

/** The lines of the last publication that an edit takes back. */
function takenBack({ text: published, textBefore, who, atMs }: Publication, text: string): Html {
  const own = (kind: DiffLine['kind'], one: string, other: string) =>
    lineDiff(one, other).flatMap((it) => (it.kind !== 'gap' && it.kind === kind ? [it.text] : []));
  const came = new Set(own('added', textBefore, published));
  const went = new Set(own('removed', textBefore, published));
  const isBack =
    own('removed', published, text).some((one) => came.has(one)) &&
    own('added', published, text).some((one) => went.has(one));
  if (!isBack) return html``;
  return html`<p class="note" role="alert">This takes back what ${actor(who).name} published on ${moment(atMs)}. Publish it only if you mean that.</p>`;
}

/** A difference whose changes repeat, such as one price of many services: each change once with its number, and all lines folded. */
function alikeFirst(diff: readonly DiffLine[]): Html {
  const changes = changesOf(diff);
  const groups = [...Map.groupBy(changes, (change) => JSON.stringify(change)).values()];
  if (groups.length === changes.length) return difference(diff);
  const group = (all: DiffLine[][]) =>
    html`<span class="gap">${count(all.length)} ${all.length === 1 ? 'place' : 'places'}</span>${(all[0] ?? []).map(changedLine)}`;
  return html`<pre class="diff" tabindex="0" aria-label="Changes">${groups.map(group)}</pre>
<details><summary>Show all lines, with those around them</summary>${difference(diff)}</details>`;
}

/** The changes of a difference: lines that were removed or added without others between them, and without their indent. */
function changesOf(diff: readonly DiffLine[]): DiffLine[][] {
  const changes: DiffLine[][] = [];
  let isWithin = false;
  for (const one of diff) {
    const isChange = one.kind === 'removed' || one.kind === 'added';
    if (isChange && !isWithin) changes.push([]);
    if (isChange) changes.at(-1)?.push({ ...one, text: one.text.trim() });
    isWithin = isChange;
  }
  return changes;
}

function changedLine(one: DiffLine): Html {
  switch (one.kind) {
    case 'gap':
      return html`<span class="gap">… ${one.lines} unchanged ${one.lines === 1 ? 'line' : 'lines'}</span>`;
    case 'same':
      return html`<span>  ${cut(one.text)}</span>`;
    case 'removed':
      return html`<del>- ${cut(one.text)}</del>`;
    case 'added':
      return html`<ins>+ ${cut(one.text)}</ins>`;
  }
}

/** Lines that were removed or added, with the lines around them. */
export function difference(diff: readonly DiffLine[]): Html {
  if (diff.every(({ kind }) => kind === 'same' || kind === 'gap')) return html`<p class="soft">None.</p>`;
  return html`<pre class="diff" tabindex="0" aria-label="Difference">${diff.map(changedLine)}</pre>`;
}

/** A line without the middle of an embedded image. */
function cut(line: string): string {
  return line.replace(
    /(data:image\/png;base64,[\w+/]{20})[\w+/=]{100,}/g,
    (all, start) => `${start}… (${all.length} characters)`,
  );
}

/** One publication of the history, and the form that goes back to the text before it. A plan that it put on sale is retired, not removed. */
export function publication(one: Publication, state: CatalogFileState, canPublish: boolean): Html {
  const isUndone = state.text === one.textBefore;
  const retiring = retireInstead(state.text, one.textBefore, ({ isSold }) => isSold);
  const sold =
    retiring === null
      ? ''
      : ' Plans that are sold now and were not there before stay in the catalogue, but are no longer sold.';
  return html`<h1>Publication of ${moment(one.atMs)}</h1>
<section aria-labelledby="changes"><h2 id="changes">Changes</h2><p class="soft">By ${actor(one.who).name}</p>${one.note === '' ? '' : html`<p>Note: ${one.note}</p>`}${summary(sourceChanges(one.textBefore, one.text))}
<details><summary>Lines of the file</summary>${difference(lineDiff(one.textBefore, one.text))}</details></section>
${
  !canPublish
    ? ''
    : isUndone
      ? html`<p class="soft">The file has the text from before this publication.</p>`
      : html`<section><h2>Revert</h2><p>Goes back to the whole file as it was before this publication; later changes are undone, too.${sold} The next page shows the effects.</p>
<form method="post" action="${cataloguePath}/file"><input type="hidden" name="base" value="${state.digest}"><textarea name="text" hidden>
${retiring ?? one.textBefore}</textarea><div class="actions"><button class="plain">Review the revert</button><a class="button plain" href="${cataloguePath}">Back to the catalogue</a></div></form></section>`
}`;
}
