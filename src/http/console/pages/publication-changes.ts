import { html } from 'hono/html';
import type { SourceChange } from '../../../catalog/source-diff.ts';
import { capitalized } from '../../../text/capitalized.ts';
import type { Html } from '../../pages/frame.ts';
import { fieldChange } from './catalogue-changes.ts';
import { fieldNames } from './field-names.ts';
import { count, words } from './figures.ts';

/** More changed keys of an item, such as those of a new operation, are counted. */
const keysShownMax = 12;

/** The changes of a publication in the seller's words: `Plan Start` with `Price: 103.00 → 125.00 USD`. */
export function summary(changes: readonly SourceChange[]): Html {
  if (changes.length === 0) return html`<p>Only comments, order or spacing.</p>`;
  const groups = [
    ...Map.groupBy(changes, ({ subject, deed, fields }) => JSON.stringify([subject, deed, fields])).values(),
  ];
  const item = (all: readonly SourceChange[]) => {
    const [first] = all;
    if (first === undefined) return html``;
    const { subject, deed, fields } = first;
    const rest = fields.length - keysShownMax;
    const each = all.map(titleOf);
    const what = all.length === 1 ? each[0] : `${count(all.length)} ${subject}s`;
    return html`<h3>${what}${deed === 'changed' ? '' : `: ${deed}`}</h3>${all.length === 1 ? '' : html`<p class="soft">${each.join(', ')}</p>`}
${fields.length === 0 ? '' : html`<ul>${fields.slice(0, keysShownMax).map(fieldChange)}${rest > 0 ? html`<li>${count(rest)} more values</li>` : ''}</ul>`}`;
  };
  return html`${groups.map(item)}`;
}

function titleOf({ subject, name }: SourceChange): string {
  return { shop: 'Shop', plan: `Plan ${name}`, service: name }[subject];
}

/** More changes of a publication, and more fields of a change, are counted in its line of the history. */
const changesInBrief = 2;

/** The changes of a publication in a line: `Plan Start: price; Lists: price, and 3 more`. */
export function inBrief(changes: readonly SourceChange[]): string {
  if (changes.length === 0) return 'Only comments, order or spacing';
  const fieldName = (key: string) => fieldNames[key] ?? capitalized(words(key));
  const item = (one: SourceChange) => {
    const names = one.fields.slice(0, changesInBrief).map(({ name }) => fieldName(name));
    const rest = one.fields.length - names.length;
    const what =
      one.deed === 'changed' ? names.join(', ') + (rest > 0 ? ` and ${count(rest)} more` : '') : one.deed;
    return `${titleOf(one)}: ${what}`;
  };
  const rest = changes.length - changesInBrief;
  return (
    changes.slice(0, changesInBrief).map(item).join('; ') + (rest > 0 ? `; ${count(rest)} more changes` : '')
  );
}
