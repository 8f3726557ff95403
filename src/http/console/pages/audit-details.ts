import * as Money from '@sluice/kernel/money';
import { html } from 'hono/html';
import { capitalized } from '../../../text/capitalized.ts';
import type { Html } from '../../pages/frame.ts';
import { namesWhat } from './audit-sentence.ts';
import { fieldNames } from './field-names.ts';
import { amount, count, day, momentText, words } from './figures.ts';
import type { PlanName } from './orders.ts';

const hexDigest = /^[0-9a-f]{64}$/;
const isoTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d/;

type Member = readonly [name: string, value: unknown];

/** Members that say nothing to a reader. */
const hidden = new Set([
  ...['asset', 'key', 'isEffective', 'frozen', 'new', 'kind', 'code', 'created_at', 'redemptions'],
]);

/** Members in words; `%` is the value. */
const phrases: Readonly<Record<string, string>> = {
  remains: '% of the payment remains',
  tax: 'and % of tax',
  reference: 'transaction %',
  expiresAt: 'expires %',
  expires_at: 'expires %',
  ended_at: 'ended %',
  plan: 'for the plan %',
  plan_id: 'for the plan %',
  lot_days: 'credit lasts % days',
  redemptions_max: 'for at most % accounts',
  types: 'types: %',
  events: '% events',
  by: 'by %',
  kid: 'key %',
  frozen_at: 'was frozen %',
  until: 'until %',
};
const subscriptionWords: Readonly<Record<string, string>> = {
  end: 'subscription cancelled too',
  keep: 'subscription kept',
};

/** Lines of a change of the catalogue that are shown at once. */
const linesShownMax = 3;

/** Members that say most; they are shown without their names, and the others are folded. */
const leading = ['amount', 'role', 'name', 'url', 'event', 'reason', 'answer'];

/** The words of an entry: the amount, role, name or address that it is about, what else says most, and the others. */
type Said = { what: string | null; first: readonly string[]; rest: readonly string[] };

/** Returns the subject matter of an action, and its changes in words: `5.00 USD`, `“a late answer”`, and everything else folded. */
export function detailsOf(
  act: string,
  before: unknown,
  after: unknown,
  planName: PlanName,
): { what: string | null; details: Html } {
  if (isOfCatalogue(act)) return { what: null, details: reload(linesOf(membersOf(after), planName)) };
  const { what, first: others, rest } = said(act, before, after, planName);
  const named = act === 'operator_removed' ? `role: ${what}` : what;
  const first = named === null || namesWhat(act) ? others : [named, ...others];
  const list = html`<ul class="details">${rest.map((text) => html`<li>${text}</li>`)}</ul>`;
  if (rest.length === 0) return { what, details: html`${first.join(', ')}` };
  return first.length === 0 && rest.length === 1
    ? { what, details: list }
    : { what, details: html`${first.join(', ')}<details><summary>More</summary>${list}</details>` };
}

/** The same words as text, for exports; plans by their ids. */
export function detailsText(act: string, before: unknown, after: unknown): string {
  const planName = (id: string) => id;
  if (isOfCatalogue(act)) return linesOf(membersOf(after), planName).join('; ');
  const { what, first, rest } = said(act, before, after, planName);
  return [...(what === null ? [] : [what]), ...first, ...rest].join('; ');
}

function isOfCatalogue(act: string): boolean {
  return act === 'reload' || act === 'catalog_published';
}

function said(act: string, before: unknown, after: unknown, planName: PlanName): Said {
  if (act === 'refund') return refundInWords(membersOf(before), membersOf(after));
  const was = act === 'refund_by_hand' ? [] : membersOf(before);
  const is = act === 'refund_by_hand' ? byHand(membersOf(before), membersOf(after)) : membersOf(after);
  const names = [...new Set([...was, ...is].map(([name]) => name))].filter((name) => !hidden.has(name));
  const unit = [...was, ...is].find(([name]) => name === 'asset')?.[1] === 'unit' ? 'unit' : 'usd';
  const shown = (name: string) => {
    const [from, to] = [textOf(was, name, unit), textOf(is, name, unit)];
    const text = from !== null && to !== null && from !== to ? `${from} → ${to}` : (to ?? from);
    return text !== null && (name === 'plan' || name === 'plan_id') ? planName(text) : text;
  };
  const isQuoted = (name: string) => name === 'reason' || name === 'answer';
  const [what = null, ...others] = leading.flatMap((name) => (isQuoted(name) ? [] : (shown(name) ?? [])));
  const quoted = leading.filter(isQuoted).flatMap((name) => {
    const text = shown(name);
    return text === null ? [] : [`“${text}”`];
  });
  const rest = names.flatMap((name) => {
    const text = leading.includes(name) ? null : shown(name);
    return text === null ? [] : [memberInWords(name, text)];
  });
  return { what, first: [...others, ...quoted], rest: rest.filter((text) => text !== '') };
}

const notMade: Readonly<Record<string, string>> = {
  refused: 'refused by the card processor',
  unknown: 'the card processor did not answer',
  changed: 'not made: another refund was made before',
  busy: 'not made: another refund was not finished',
  not_sent: 'not made: the card processor did not answer',
};

/** A refund: its amount, and what remained after it. The entry has what remained before it, and the outcome. */
function refundInWords(was: readonly Member[], is: readonly Member[]): Said {
  const of = (members: readonly Member[], name: string) => members.find(([one]) => one === name)?.[1];
  const outcome = of(is, 'kind');
  const refunded = of(is, 'amount');
  const subscription = subscriptionWords[String(of(was, 'subscription'))];
  if (typeof refunded !== 'number') {
    const what = `${String(of(was, 'amount_usd') ?? '')} USD`;
    const why = outcome === 'refused' ? [`“${String(of(is, 'reason') ?? '')}”`] : [];
    return { what, first: outcome === undefined ? [] : [notMade[String(outcome)] ?? ''], rest: why };
  }
  const before = Money.parse(String(of(was, 'left_usd') ?? ''));
  const remains = before === null ? [] : [['remains', Math.max(0, before - refunded)] as const];
  const tax = of(is, 'tax');
  const members: Member[] = [...(tax === 0 ? [] : [['tax', tax] as const]), ...remains];
  const rest = members.flatMap(([name]) => {
    const text = textOf(members, name, 'usd');
    return text === null ? [] : [memberInWords(name, text)];
  });
  const ends = subscription === undefined ? [] : [subscription];
  return { what: amount('usd', refunded), first: [], rest: [...rest, ...ends, String(of(is, 'id') ?? '')] };
}

/** A refund that the seller sent: its amount, what remained after it, and its transaction. */
function byHand(was: readonly Member[], is: readonly Member[]): Member[] {
  const left = was.find(([name]) => name === 'left')?.[1];
  const sent = is.find(([name]) => name === 'amount')?.[1];
  const remains =
    typeof left === 'number' && typeof sent === 'number' ? [['remains', left - sent] as const] : [];
  return [...is.filter(([name]) => name !== 'id'), ...remains];
}

/** A member in words: `for 8 hours`, or its name and its value. */
function memberInWords(name: string, text: string): string {
  if (name === 'hours') return `for ${text} ${text === '1' ? 'hour' : 'hours'}`;
  if (name === 'subscription' && subscriptionWords[text]) return subscriptionWords[text];
  if (name === 'claimed_only') return text === 'yes' ? 'only with a confirmed email address' : '';
  const phrase = phrases[name];
  if (phrase !== undefined) return phrase.replace('%', () => text);
  const named = words(name);
  return `${capitalized(named)}: ${text}`;
}

/** The changes of a publication, a line each. */
function linesOf(members: readonly Member[], planName: PlanName): string[] {
  const changes = members.find(([name]) => name === 'changes')?.[1];
  const settings = members.find(([name]) => name === 'settings')?.[1];
  const said = changesInWords(Array.isArray(changes) ? changes : [], planName);
  const named = Array.isArray(settings) ? settings.map((name) => `Setting ${String(name)}`) : [];
  const faults = members.find(([name]) => name === 'faults')?.[1];
  const lines = [...said, ...named, ...(Array.isArray(faults) ? faults.map(String) : [])];
  const note = members.find(([name]) => name === 'note')?.[1];
  if (typeof note === 'string' && note !== '') lines.unshift(`“${note}”`);
  return lines;
}

function reload(lines: readonly string[]): Html {
  if (lines.length === 0) return html`<span class="soft">no change for buyers</span>`;
  const list = (some: readonly string[]) =>
    html`<ul class="details">${some.map((text) => html`<li>${text}</li>`)}</ul>`;
  const rest = lines.slice(linesShownMax);
  return html`${list(lines.slice(0, linesShownMax))}${rest.length === 0 ? '' : html`<details><summary>${count(rest.length)} more</summary>${list(rest)}</details>`}`;
}

/** Changes of the catalogue, equal ones once: `19 services: Price 0.001 → 0.002`, `Plan start: added`. */
function changesInWords(changes: readonly unknown[], planName: PlanName): string[] {
  const read = changes.map((change) => (change ?? {}) as Record<string, unknown>);
  const groups = Map.groupBy(read, ({ subject, deed, fields }) => JSON.stringify([subject, deed, fields]));
  return [...groups.values()].map((all) => {
    const { subject, id, deed, fields } = all[0] ?? {};
    const name = subject === 'plan' ? planName(String(id ?? '')) : String(id ?? '');
    const one = [String(subject ?? ''), name].filter((word) => word !== '').join(' ');
    const what = all.length === 1 ? one : `${count(all.length)} ${String(subject)}s`;
    const named = capitalized(what);
    if (deed !== 'changed' || !Array.isArray(fields)) return `${named}: ${String(deed ?? '')}`;
    return `${named}: ${fields.map(fieldInWords).join(', ')}`;
  });
}

/** A changed value: `Price 19.00 → 25.00`. */
function fieldInWords({ name, from, to }: Record<string, unknown>): string {
  const values = [from, to].filter((value) => typeof value === 'string');
  return `${fieldNames[String(name)] ?? words(String(name))} ${values.join(' → ')}`;
}

function membersOf(record: unknown): Member[] {
  return typeof record === 'object' && record !== null ? Object.entries(record) : [];
}

/** Members that are amounts of money or results. */
const amounts = new Set(['amount', 'tax', 'remains']);

function textOf(members: readonly Member[], name: string, unit: 'usd' | 'unit'): string | null {
  const value = members.find(([one]) => one === name)?.[1] ?? null;
  if (value === null || value === '' || (name === 'tax' && value === 0)) return null;
  if (amounts.has(name) && typeof value === 'number') return amount(unit, value);
  return wordsOf(value);
}

function wordsOf(value: unknown): string {
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (Array.isArray(value)) return value.map(wordsOf).join(', ');
  if (typeof value === 'object' && value !== null)
    return membersOf(value)
      .map(([name, inner]) => `${words(name)} ${wordsOf(inner)}`)
      .join(', ');
  const text = String(value);
  if (hexDigest.test(text)) return text.slice(0, 12);
  if (isoTime.test(text))
    return text.endsWith('T00:00:00.000Z') ? day(Date.parse(text)) : momentText(Date.parse(text));
  return text;
}
