import * as Money from '@sluice/kernel/money';
import { html } from 'hono/html';
import type { Severity } from '../../../catalog/catalog-diff.ts';
import type { Impact } from '../../../catalog/catalog-impact.ts';
import type { ReloadPreview } from '../../../journeys/reload-preview.ts';
import { capitalized } from '../../../text/capitalized.ts';
import type { Html } from '../../pages/frame.ts';
import { swatch } from './colour.ts';
import { fieldNames } from './field-names.ts';
import { count, sign, usd } from './figures.ts';

type Sound = Extract<ReloadPreview, { kind: 'sound' }>;

/** A refusal that a retired plan in place of its removal avoids. */
const removal = /^Plan ([\w-]+) cannot be left out(?: while it is sold| \([\w-]+: (.*?)\))\./;

/** Why changes cannot be published, with the way on. `base`: the digest of the present file; null for a person who may not publish. `next`: another way. */
export function refused({ refusals, consequences, retiring }: Sound, base: string | null, next: Html): Html {
  const names = new Map(
    consequences.changes.flatMap(({ subject, id, name }) =>
      subject === 'plan' ? [[id, name] as const] : [],
    ),
  );
  const canRetire = base !== null && retiring !== null && refusals.every((line) => removal.test(line));
  const retire = canRetire
    ? html`<form method="post" action="/admin/console/catalogue/file"><input type="hidden" name="base" value="${base}"><textarea name="text" hidden>
${retiring}</textarea><button>${refusals.length === 1 ? 'Keep it, but stop selling it' : 'Keep them, but stop selling them'}</button></form>`
    : '';
  return html`<section class="banner"><h2>These changes cannot be published</h2><ul>${refusals.map((line) => html`<li>${refusalInWords(line, names)}</li>`)}</ul><div class="actions">${retire}${next}</div></section>`;
}

/** A reason against a change, with the name of its plan and the way on. */
function refusalInWords(line: string, names: ReadonlyMap<string, string>): string {
  const [, id = '', held] = removal.exec(line) ?? [];
  if (id === '') return `${withSwitch(line)}.`;
  const name = names.get(id) ?? id;
  return held === undefined
    ? `${name} is on sale, and a buyer could pay for it while it is removed. Stop selling it first. It can be removed later, once no one holds it.`
    : `${name} cannot be removed while it has ${resultsOf(withSeparators(held))}. If it is no longer sold, they keep it.`;
}

/** The changes of a catalogue and settings, and their effects. `isInFiles`: the files contain them already. */
export function changesForBuyers(
  { digest, running, settings, consequences, refusals }: Sound,
  isInFiles: boolean,
): Html {
  const { warnings } = consequences;
  // A plan whose removal is refused keeps its holders: the effects of the removal are left out.
  const changes = consequences.changes.map((one) =>
    refusals.length > 0 && one.deed === 'removed' ? { ...one, says: [] } : one,
  );
  return html`<section aria-labelledby="changes"><h2 id="changes">Changes for buyers</h2>
${changes.length === 0 ? html`<p>Nothing changes for buyers.</p>` : alike(changes).map(change)}
${settings.length === 0 ? '' : html`<p>Changed settings: ${settings.join(', ')}.</p>`}
${lines(warnings)}${isInFiles ? digests(digest, running) : ''}</section>`;
}

/** A list of sentences; empty when there are none. */
function lines(all: readonly string[]): Html {
  return all.length === 0
    ? html``
    : html`<ul class="heed">${all.map((line) => html`<li>${resultsOf(withSwitch(line))}</li>`)}</ul>`;
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
  const { subject, deed, fields, says } = first;
  const names = all.map(
    ({ id, name }) => ({ shop: 'Shop', plan: `Plan ${name}`, service: name, operation: id })[subject],
  );
  const what = all.length === 1 ? names[0] : `${count(all.length)} ${subject}s`;
  return html`<h3>${what}${deed === 'changed' ? '' : `: ${deed}`} ${severities(first)}</h3>
${all.length === 1 ? '' : html`<p class="soft">${names.join(', ')}</p>`}${deed === 'removed' ? '' : html`<ul>${fields.map(fieldChange)}</ul>`}${says.map((line) => effects(plainWords(line, subject === 'plan')))}`;
}

/** A changed field in words: `Price: 99.00 → 123.00 USD (+24%)`. */
export function fieldChange({
  name: key,
  from,
  to,
}: Pick<Impact['fields'][number], 'name' | 'from' | 'to'>): Html {
  const words = key.replaceAll('_', ' ');
  const name = fieldNames[key] ?? capitalized(words);
  const isMoney = key.endsWith('_usd');
  const shown = (text: string) =>
    html`${isMoney ? moneyOf(text) : shownValue(text)}${key === 'brand.colour' ? html` ${swatch(text)}` : ''}`;
  const values = [from, to].filter((it) => it !== null);
  const percent =
    isMoney && from !== null && to !== null && Number(from) > 0 ? percentOf(Number(from), Number(to)) : '';
  return html`<li>${name}: ${values.map((value, at) => html`${at === 0 ? '' : ' → '}${shown(value)}`)}${isMoney ? ' USD' : ''}${percent}${key === 'price_usd' ? perThousand(from, to) : ''}${to === null ? ' (removed)' : ''}</li>`;
}

/** An amount as the pages show it, also where the file has fewer decimals: `3` as `3.00`. */
function moneyOf(text: string): string {
  const amount = Money.parse(text);
  return amount === null ? text : usd(amount);
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

/** The sentences of an effect, one below the other. */
function effects(text: string): Html {
  const sentences = text.split(/(?<=[.;]) /).map((one) => one.replace(/[.;]$/, ''));
  return html`<ul>${sentences.map((one) => html`<li>${capitalized(one)}.</li>`)}</ul>`;
}

function resultsOf(text: string): string {
  return text.replace(/\bunit(s?)\b/g, 'result$1');
}

/** Describes a change for the holders of a plan, without the words of the file: `start: 3 accounts ...: they keep ...`. */
function plainWords(line: string, isOfPlan: boolean): string {
  const text = line
    .replace(/^([\w-]+): /, isOfPlan ? '' : 'plan $1, ')
    .replace('included units count as before', 'plans count their results as before')
    .replace(
      /^(.*?): (.)/,
      (_, holders: string, first: string) => `Affected: ${holders}. ${first.toUpperCase()}`,
    );
  return resultsOf(withSeparators(text)).replace(/\b([\d,]+\.\d\d)\d{1,4}(?= USD (?:unused|and) )/g, '$1');
}

/** A reason against a change, which names the switch of the form in place of the key of the file. */
function withSwitch(line: string): string {
  return withSeparators(line).replace(
    /Add it again with "retired: true"/,
    'Add it again to the file, with “retired: true”',
  );
}

/** Adds separators to a number, or to the numbers of units and dollars in a sentence. */
function withSeparators(text: string): string {
  return text.replace(/^\d{4,}$|\b\d{4,}(?= units?\b| results?\b|\.\d{2,6} USD\b)/g, (digits) =>
    Number(digits).toLocaleString('en'),
  );
}

/** Labels of what a change takes from buyers; a change that takes nothing has none. */
function severities({ subject, severity, fields }: Impact): Html[] {
  const all = new Set<Severity>([severity, ...fields.map((one) => one.severity)]);
  const less = fields.some(({ name, severity: one }) => one === 'takes_away' && name.startsWith('included'));
  return [
    ...(all.has('raises_price') ? [html`${sign('raises a price', true)} `] : []),
    ...(all.has('takes_away')
      ? [sign(subject === 'plan' && less ? 'less included' : 'removes something', true)]
      : []),
  ];
}

function digests(digest: string, running: string): Html {
  return html`<details><summary>Technical details</summary><p class="soft">Digest of the running catalogue: <span class="id">${running.slice(0, 12)}</span>, of the files: <span class="id">${digest.slice(0, 12)}</span></p></details>`;
}
