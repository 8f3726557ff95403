import type { Addition, EditValue } from '../../catalog/catalog-edit.ts';
import { textOf, typedValue } from './catalogue-fields.ts';

/** The texts of the form of a new plan. It adds a plan when one of them is filled in. */
export const newPlanTexts = ['name', 'price_usd', 'included', 'included_usd', 'description'] as const;
const idCharsMax = 40;

/** An id for a new plan: its name in lower-case letters, digits and hyphens, with a number when `taken` has it. */
export function idOf(name: string, taken: readonly string[]): string {
  const plain = name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/\p{M}/gu, '')
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
    .slice(0, idCharsMax)
    .replace(/-$/, '');
  const base = /^[a-z]/.test(plain) ? plain : `plan-${plain}`.replace(/-$/, '');
  const free = (nth: number): string => {
    const id = nth === 1 ? base : `${base}-${nth}`;
    return taken.includes(id) ? free(nth + 1) : id;
  };
  return free(1);
}

/** Returns the new plan of a form; null when nothing of it is filled in. `taken`: the ids of all plans of the file. */
export function additionOf(form: URLSearchParams, taken: readonly string[]): Addition | null {
  const said = (name: string) => textOf(form.get(`new.${name}`)) ?? '';
  if (newPlanTexts.every((name) => said(name) === '')) return null;
  const chosen = form.getAll('new.covers').filter(Boolean);
  const covers = !form.has('new.covers') || chosen.includes('*') ? '*' : chosen;
  const members: [string, EditValue | undefined][] = [
    ['id', idOf(said('name'), taken)],
    ['kind', 'subscription'],
    ['name', said('name') || undefined],
    ['description', said('description') || undefined],
    ['covers', covers],
    ['price_usd', said('price_usd')],
    ['every', said('every')],
    ['included', typedValue('count', said('included'))],
    ['included_usd', said('included_usd') || undefined],
  ];
  const item = Object.fromEntries(members.filter((one): one is [string, EditValue] => one[1] !== undefined));
  return { list: ['plans'], item };
}
