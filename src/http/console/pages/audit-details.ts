import { html } from 'hono/html';
import type { Html } from '../../pages/frame.ts';
import { amount, day } from './figures.ts';

/** Details of an entry that are not folded. */
const linesShown = 2;
/** The details that readers look for, first. */
const first = ['amount', 'amount_usd', 'reason', 'role', 'status', 'note'];
const hexDigest = /^[0-9a-f]{64}$/;
const isoTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d/;

type Member = readonly [name: string, value: unknown];

/** Members that say nothing to a reader. */
const hidden = new Set(['asset', 'key', 'isEffective']);

/** The changes of an action in words: `role: viewer -> owner`, `amount: 5.00 USD`. */
export function detailsOf(act: string, before: unknown, after: unknown): Html {
  const [was, is] = [membersOf(before), membersOf(after)];
  if (act === 'reload' || act === 'catalog_published') return reload(is);
  const rank = (name: string) => (first.includes(name) ? first.indexOf(name) : first.length);
  const names = [...new Set([...was, ...is].map(([name]) => name))]
    .filter((name) => !hidden.has(name))
    .filter((name, _, all) => name !== 'amount_usd' || !all.includes('amount'))
    .toSorted((a, b) => rank(a) - rank(b));
  const unit = [...was, ...is].find(([name]) => name === 'asset')?.[1] === 'unit' ? 'unit' : 'usd';
  const lines = names.flatMap((name) => {
    const [from, to] = [textOf(was, name, unit), textOf(is, name, unit)];
    const shown = from !== null && to !== null && from !== to ? `${from} → ${to}` : (to ?? from);
    return shown === null ? [] : [html`<li>${name.replaceAll('_', ' ')}: ${shown}</li>`];
  });
  if (lines.length === 0) return html``;
  const [shown, more] = [lines.slice(0, linesShown), lines.slice(linesShown)];
  return html`<ul class="details">${shown}</ul>${more.length === 0 ? '' : html`<details class="more"><summary>${more.length} more</summary><ul class="details">${more}</ul></details>`}`;
}

/** The details of an action as text, for exports. */
export function detailsText(before: unknown, after: unknown): string {
  const [was, is] = [membersOf(before), membersOf(after)];
  const names = [...new Set([...was, ...is].map(([name]) => name))];
  return names
    .map((name) => {
      const [from, to] = [textOf(was, name, 'usd'), textOf(is, name, 'usd')];
      return `${name}: ${from !== null && to !== null && from !== to ? `${from} -> ${to}` : (to ?? from ?? '')}`;
    })
    .join('; ');
}

function reload(members: readonly Member[]): Html {
  const changes = members.find(([name]) => name === 'changes')?.[1];
  const settings = members.find(([name]) => name === 'settings')?.[1];
  const said = Array.isArray(changes) ? changes.map(changeOf).filter((text) => text !== '') : [];
  const named = Array.isArray(settings) ? settings.map((name) => `setting ${String(name)}`) : [];
  const faults = members.find(([name]) => name === 'faults')?.[1];
  const lines = [...said, ...named, ...(Array.isArray(faults) ? faults.map(String) : [])];
  const note = members.find(([name]) => name === 'note')?.[1];
  if (typeof note === 'string' && note !== '') lines.unshift(note);
  return lines.length === 0
    ? html`<span class="soft">no change for buyers</span>`
    : html`<ul class="details">${lines.map((text) => html`<li>${text}</li>`)}</ul>`;
}

/** One change of the catalogue: `plan start changed: price_usd 19.00 → 25.00`. */
function changeOf(change: unknown): string {
  const { subject, id, deed, fields } = (change ?? {}) as Record<string, unknown>;
  const what = [subject, id, deed].filter((word) => typeof word === 'string' && word !== '').join(' ');
  const details = Array.isArray(fields)
    ? fields.map((one: Record<string, unknown>) => {
        const values = [one.from, one.to].filter((value) => typeof value === 'string');
        return `${String(one.name)} ${values.join(' → ')}`;
      })
    : [];
  return details.length === 0 ? what : `${what}: ${details.join(', ')}`;
}

function membersOf(record: unknown): Member[] {
  return typeof record === 'object' && record !== null ? Object.entries(record) : [];
}

function textOf(members: readonly Member[], name: string, unit: 'usd' | 'unit'): string | null {
  const value = members.find(([one]) => one === name)?.[1] ?? null;
  if (value === null || value === '' || (name === 'tax' && value === 0)) return null;
  if (name === 'amount' && typeof value === 'number') return amount(unit, value);
  return wordsOf(value);
}

function wordsOf(value: unknown): string {
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (Array.isArray(value)) return value.map(wordsOf).join(', ');
  if (typeof value === 'object' && value !== null)
    return membersOf(value)
      .map(([name, inner]) => `${name.replaceAll('_', ' ')} ${wordsOf(inner)}`)
      .join(', ');
  const text = String(value);
  if (hexDigest.test(text)) return text.slice(0, 12);
  if (isoTime.test(text))
    return text.endsWith('T00:00:00.000Z') ? day(Date.parse(text)) : text.slice(0, 16).replace('T', ' ');
  return text;
}
