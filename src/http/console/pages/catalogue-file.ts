import { html, raw } from 'hono/html';
import type { DiffLine } from '../../../catalog/line-diff.ts';
import type { MergeConflict } from '../../../catalog/line-merge.ts';
import type { CatalogFileState, ProposalFault } from '../../../journeys/catalog-editing.ts';
import type { Html } from '../../pages/frame.ts';
import { type FormResult, resultLine } from './account.ts';
import { cataloguePath } from './catalogue-edit.ts';
import { difference } from './catalogue-review.ts';
import { faultList } from './catalogue-words.ts';
import * as EditScript from './edit-script.ts';
import { field } from './fields.ts';
import { count, many } from './figures.ts';

/** Line numbers beyond the end of the file. */
const sparesOfFile = 500;

/** More lines with the text are counted. */
const foundMax = 50;
const lineCharsShown = 100;

/** The numbers of the lines that contain a text; capital letters count as small ones. */
function linesWith(lines: readonly string[], sought: string): number[] {
  const text = sought.toLowerCase();
  return lines.flatMap((line, at) => (text !== '' && line.toLowerCase().includes(text) ? [at + 1] : []));
}

/** The lines that were found, each with a link to it. */
function foundList(lines: readonly string[], found: readonly number[], sought: string): Html {
  const row = (line: number) =>
    html`<li><a href="#line-${line}">Line ${line}</a> <code>${(lines[line - 1] ?? '').trim().slice(0, lineCharsShown)}</code></li>`;
  const rest = found.length - foundMax;
  return html`<div role="status"><p class="soft">${found.length === 0 ? 'No line' : many(found.length, 'line')} with “${sought}”${rest > 0 ? `, the first ${count(foundMax)}:` : found.length === 0 ? '.' : ':'}</p><ul class="found">${found.slice(0, foundMax).map(row)}</ul></div>`;
}

/**
 * The line numbers. Those of faults and of found lines can be linked to, and mark their line. There are more numbers than lines: the field
 * grows while lines are added, and the rest is cut off at its end.
 */
function numbers(rows: number, faults: readonly ProposalFault[], found: readonly number[]): Html {
  const bad = new Set(faults.map(({ line }) => line));
  const marked = new Set([...bad, ...found.slice(0, foundMax)]);
  const number = (line: number) =>
    marked.has(line) ? `<span id="line-${line}"${bad.has(line) ? ' class="bad"' : ''}>${line}</span>` : line;
  return html`${raw(Array.from({ length: rows + sparesOfFile }, (_, at) => number(at + 1)).join('\n'))}`;
}

/** The whole file in a text field. `sought`: a text to find in it. */
export function file(
  state: CatalogFileState,
  text: string,
  faults: readonly ProposalFault[],
  result: FormResult,
  more: Html = html``,
  sought: string | null = null,
): Html {
  const lines = text.split('\n');
  const rows = lines.length;
  const found = sought === null ? [] : linesWith(lines, sought);
  return html`<h1>Edit the file</h1>
${resultLine(result)}${more}${faultList(faults, true)}
<form method="post" action="${cataloguePath}/file" data-edits="${text === state.text ? '' : 'unsent'}"><input type="hidden" name="base" value="${state.digest}">
<section><div class="find" role="search"><div>${field({ name: 'sought', label: 'Find in the file', value: sought ?? '', type: 'search' })}</div><button class="plain" name="act" value="find">Find</button></div>
${sought === null ? '' : foundList(lines, found, sought)}
<label for="text">${state.name} (YAML)</label>
<div class="editor"><pre aria-hidden="true">${numbers(rows, faults, found)}</pre><textarea class="code" id="text" name="text" rows="${rows}" spellcheck="false" autocapitalize="off" wrap="off">
${text}</textarea></div>
<div class="actions"><button>Review changes</button><a class="button plain" href="${cataloguePath}">Cancel</a></div></section></form>${EditScript.script()}`;
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
