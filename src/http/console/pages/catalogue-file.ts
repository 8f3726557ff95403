import { html } from 'hono/html';
import type { DiffLine } from '../../../catalog/line-diff.ts';
import type { MergeConflict } from '../../../catalog/line-merge.ts';
import type { CatalogFileState, ProposalFault } from '../../../journeys/catalog-editing.ts';
import type { Html } from '../../pages/frame.ts';
import { type FormResult, resultLine } from './account.ts';
import { cataloguePath } from './catalogue-edit.ts';
import { difference } from './catalogue-review.ts';
import { faultList } from './catalogue-words.ts';

/** Line numbers beyond the end of the file. */
const sparesOfFile = 500;

/** The whole file in a text field. */
export function file(
  state: CatalogFileState,
  text: string,
  faults: readonly ProposalFault[],
  result: FormResult,
  more: Html = html``,
): Html {
  const rows = text.split('\n').length;
  // More numbers than lines: the field grows while lines are added, and the rest is cut off at its end.
  const numbers = Array.from({ length: rows + sparesOfFile }, (_, at) => at + 1).join('\n');
  return html`<h1>Edit the file</h1>
${resultLine(result)}${more}${faultList(faults)}
<form method="post" action="${cataloguePath}/file"><input type="hidden" name="base" value="${state.digest}">
<section><label for="text">${state.name} (YAML)</label>
<div class="editor"><pre aria-hidden="true">${numbers}</pre><textarea class="code" id="text" name="text" rows="${rows}" spellcheck="false" autocapitalize="off" autocomplete="off" wrap="off">
${text}</textarea></div>
<div class="actions"><button>Review changes</button><a class="button plain" href="${cataloguePath}">Cancel</a></div></section></form>`;
}

/** The places where an edit replaces lines that another person changed meanwhile. */
export function conflicts(all: readonly MergeConflict[]): Html {
  const lines = (kind: 'removed' | 'added', some: readonly string[]): DiffLine[] =>
    some.map((text) => ({ kind, text }));
  const place = ({ theirs, ours }: MergeConflict) =>
    difference([...lines('removed', theirs), ...lines('added', ours)]);
  return html`<section aria-labelledby="conflicts"><h2 id="conflicts">What your text would undo</h2>
<p class="soft">Lines with − are those of the other person, lines with + are yours.</p>${all.map(place)}</section>`;
}

/** The differences of an edit to a file that it is not based on. */
export function undone(diff: readonly DiffLine[]): Html {
  return html`<section aria-labelledby="conflicts"><h2 id="conflicts">What your text would change in the new file</h2>
<p class="soft">Lines with − would go, lines with + would come.</p>${difference(diff)}</section>`;
}
