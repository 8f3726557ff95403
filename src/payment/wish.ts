import type { CreditPlan, PaidPlan } from '../catalog/plan.ts';
import * as Money from '../kernel/money.ts';
import { nearest } from '../kernel/nearest.ts';

/**
 * What the body of a purchase wishes for: an amount of credit or one period of a plan, the plan that it takes the place
 * of, and where a person goes after paying on the hosted page.
 */
export type Wish = { amount: Money.Money; replaces: string | null; returnUrl: string | null };
export type Fault = { field: string; message: string };

const quantityMax = 1_000;
const urlCharsMax = 2_000;
const unknownFieldsShownMax = 20;
const nameCharsShownMax = 64;
const fields = {
  credit: ['amount_usd', 'quantity', 'return_url'],
  subscription: ['replaces', 'return_url'],
};

/** Reads a body: an amount (the plan's least, where none is given) times a quantity, within the plan's bounds and in whole cents. */
export function parse(
  value: unknown,
  plan: PaidPlan,
): { ok: true; wish: Wish } | { ok: false; faults: Fault[] } {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return { ok: false, faults: [{ field: 'body', message: 'Expected object' }] };
  const { amount_usd, quantity, replaces, return_url }: Partial<Record<string, unknown>> = { ...value };
  const known = fields[plan.kind];
  const unknown = Object.keys(value).filter((name) => !known.includes(name));
  const faults = unknown.slice(0, unknownFieldsShownMax).map((name) => unknownField(name, known));

  const amount = plan.kind === 'subscription' ? plan.price : readCredit(amount_usd, quantity, plan, faults);
  const replaced = replaces ?? null;
  if (plan.kind === 'subscription' && replaced !== null && typeof replaced !== 'string')
    faults.push({ field: 'replaces', message: 'Must be the id of a plan' });
  const returnUrl = readUrl(return_url ?? null);
  if (returnUrl === undefined)
    faults.push({ field: 'return_url', message: 'Must be an http or https address' });
  if (faults.length > 0 || returnUrl === undefined) return { ok: false, faults };
  return { ok: true, wish: { amount, replaces: typeof replaced === 'string' ? replaced : null, returnUrl } };
}

function readCredit(amount: unknown, quantity: unknown, plan: CreditPlan, faults: Fault[]): Money.Money {
  const count = readQuantity(quantity ?? 1);
  if (count === null)
    faults.push({ field: 'quantity', message: `Must be a whole number between 1 and ${quantityMax}` });
  const read = readAmount(amount ?? Money.format(plan.min), count ?? 1, plan);
  if (typeof read !== 'string') return read;
  faults.push({ field: 'amount_usd', message: read });
  return Money.zero;
}

/** What is said of a field that there is not. */
export function unknownField(name: string, fields: readonly string[]): Fault {
  const near = nearest(name, fields);
  const hint = near ? `Did you mean "${near}"?` : `Allowed fields: ${fields.join(', ')}`;
  return { field: 'body', message: `Unknown field "${name.slice(0, nameCharsShownMax)}". ${hint}` };
}

function readQuantity(value: unknown): number | null {
  return typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= quantityMax
    ? value
    : null;
}

/** The whole amount, or what is wrong with it. */
function readAmount(value: unknown, quantity: number, plan: CreditPlan): Money.Money | string {
  const one = typeof value === 'string' ? Money.parse(value) : null;
  if (one === null) return 'Must be a decimal string in USD, such as "5.00"';
  if (Money.toCents(one) === null) return 'Must be in whole cents';
  if (one * quantity < plan.min) return `Must be at least ${Money.format(plan.min)}`;
  if (one * quantity > plan.max) return `Must be at most ${Money.format(plan.max)}`;
  return Money.times(one, quantity);
}

/** Undefined where it is no web address. */
function readUrl(value: unknown): string | null | undefined {
  if (value === null) return null;
  if (typeof value !== 'string' || value.length > urlCharsMax) return undefined;
  const protocol = URL.parse(value)?.protocol;
  return protocol === 'https:' || protocol === 'http:' ? value : undefined;
}
