import { apply, valueAt } from './catalog-edit.ts';
import * as Source from './source.ts';

type Item = Readonly<Record<string, unknown>>;

/**
 * Returns `after` with the paid plans of `before` that it leaves out, retired, so that their purchases stay usable; null when it leaves none out, or
 * cannot be edited. `isKept` chooses among them.
 */
export function retireInstead(
  before: string,
  after: string,
  isKept: (plan: { isSold: boolean }) => boolean = () => true,
): string | null {
  const present = new Set(plansOf(after).map(({ id }) => id));
  const missing = plansOf(before).filter(
    ({ id, kind, retired }) => !present.has(id) && kind !== 'trial' && isKept({ isSold: retired !== true }),
  );
  if (missing.length === 0) return null;
  const additions = missing.map(({ recommended: _, ...plan }) => ({
    list: ['plans'],
    item: { ...plan, retired: true },
  }));
  const edited = apply(after, [], additions);
  return edited.kind === 'edited' ? edited.text : null;
}

function plansOf(text: string): Item[] {
  const plans = valueAt(Source.read(text).value, ['plans']);
  return Array.isArray(plans) ? plans.map((plan) => Object(plan) as Item) : [];
}
