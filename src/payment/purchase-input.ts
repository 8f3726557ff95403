import { unknownFields } from '@sluice/kernel/did-you-mean';
import * as Money from '@sluice/kernel/money';
import type { CreditPlan, PaidPlan } from '../catalog/plan.ts';
import type { Texts } from '../text/texts.ts';
import * as Tax from './tax.ts';

/**
 * The parsed body of a purchase: an amount of credit or one period of a plan, the plan that it replaces, and the
 * return URL after a payment on the hosted page.
 */
export type PurchaseInput = {
  amount: Money.Money;
  replaces: string | null;
  returnUrl: string | null;
  /** The buyer's address, for the tax on a payment by card token. */
  billingAddress?: Tax.BillingAddress | null;
};
export type FieldFault = { field: string; message: string };

const quantityMax = 1_000;
const urlCharsMax = 2_000;
const fields = {
  credit: ['amount_usd', 'billing_address', 'quantity', 'return_url'],
  subscription: ['billing_address', 'replaces', 'return_url'],
};

/** Parses a body: an amount (default: the plan's minimum) times a quantity, within the plan's bounds and in whole cents. */
export function parse(
  texts: Texts,
  value: unknown,
  plan: PaidPlan,
): { ok: true; purchaseInput: PurchaseInput } | { ok: false; faults: FieldFault[] } {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return { ok: false, faults: [{ field: 'body', message: texts.text('fault.object') }] };
  const { amount_usd, billing_address, quantity, replaces, return_url }: Partial<Record<string, unknown>> = {
    ...value,
  };
  const known = fields[plan.kind];
  const faults = unknownFields(Object.keys(value), known);

  const amount =
    plan.kind === 'subscription' ? plan.price : readCredit(texts, { amount_usd, quantity }, plan, faults);
  const replaced = replaces ?? null;
  if (plan.kind === 'subscription' && replaced !== null && typeof replaced !== 'string')
    faults.push({ field: 'replaces', message: texts.text('fault.plan_id') });
  const returnUrl = readUrl(return_url ?? null);
  if (returnUrl === undefined) faults.push({ field: 'return_url', message: texts.text('fault.return_url') });
  const billingAddress = Tax.readAddress(billing_address);
  if (billingAddress === undefined)
    faults.push({
      field: 'billing_address',
      message: texts.text('fault.billing_address', { example: '{"country": "DE"}' }),
    });
  if (faults.length > 0 || returnUrl === undefined || billingAddress === undefined)
    return { ok: false, faults };
  return {
    ok: true,
    purchaseInput: {
      amount,
      replaces: typeof replaced === 'string' ? replaced : null,
      returnUrl,
      billingAddress,
    },
  };
}

function readCredit(
  texts: Texts,
  { amount_usd: amount, quantity }: { amount_usd: unknown; quantity: unknown },
  plan: CreditPlan,
  faults: FieldFault[],
): Money.Money {
  const count = readQuantity(quantity ?? 1);
  if (count === null)
    faults.push({
      field: 'quantity',
      message: texts.text('fault.quantity', { maximum: String(quantityMax) }),
    });
  const read = readAmount(texts, amount ?? Money.format(plan.min), count ?? 1, plan);
  if (typeof read !== 'string') return read;
  faults.push({ field: 'amount_usd', message: read });
  return Money.zero;
}

function readQuantity(value: unknown): number | null {
  return typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= quantityMax
    ? value
    : null;
}

/** Returns the total amount, or a message that says what is wrong with it. */
function readAmount(
  texts: Texts,
  value: unknown,
  quantity: number,
  { min, max }: CreditPlan,
): Money.Money | string {
  const one = typeof value === 'string' ? Money.parse(value) : null;
  if (one === null) return texts.text('fault.amount');
  if (Money.toCents(one) === null) return texts.text('fault.whole_cents');
  if (one * quantity < min)
    return texts.text('fault.amount_min', { amount: texts.decimal(Money.format(min)) });
  if (one * quantity > max)
    return texts.text('fault.amount_max', { amount: texts.decimal(Money.format(max)) });
  return Money.times(one, quantity);
}

/**
 * Returns the fault of a `return_url` that is sent without a bearer token. An anonymous buyer gets the tokens on the page after the
 * payment, so that page must not redirect. This also prevents anonymous open redirects through this shop.
 */
export function refusedReturn(
  texts: Texts,
  { returnUrl }: Pick<PurchaseInput, 'returnUrl'>,
  account: string | null,
): FieldFault[] {
  if (returnUrl === null || account !== null) return [];
  return [{ field: 'return_url', message: texts.text('fault.return_url_anonymous') }];
}

/** Returns the normalized URL, or undefined when the value is not an http(s) URL or contains a user name, which can disguise its host. */
function readUrl(value: unknown): string | null | undefined {
  if (value === null) return null;
  if (typeof value !== 'string' || value.length > urlCharsMax) return undefined;
  const url = URL.parse(value);
  const isWeb = url?.protocol === 'https:' || url?.protocol === 'http:';
  return url && isWeb && url.username === '' && url.password === '' ? url.href : undefined;
}
