import { unknownFields } from '@sluice/kernel/did-you-mean';
import * as Money from '@sluice/kernel/money';
import type { Plan } from '../catalog/plan.ts';
import type * as PurchaseInput from './purchase-input.ts';

/** The granted value: micro-dollars or units of results, usable under a plan. */
export type GrantValue = { asset: 'usd' | 'unit'; amount: number; plan: string };

/** A credit that the seller grants to an account, once for each `key`. */
export type CreditGrant = GrantValue & {
  key: string;
  account: string;
  expiresMs: number | null;
  /** For the audit log. */
  reason: string | null;
};

export type GrantResult =
  | { kind: 'given'; account: string }
  /** The key was used before for a different grant. */
  | { kind: 'mismatch' }
  | { kind: 'unknown_account' }
  /** The account would exceed the maximum balance. Nothing was granted. */
  | { kind: 'too_much' };

/** The error message of `too_much`. */
export const tooMuch =
  'The grant would exceed the maximum balance of an account: a billion dollars, or a quadrillion units.';

/** The record of credit grants. */
export interface CreditGrants {
  /** Grants once for each key; a repetition returns the same result. `who` is for the audit log. */
  give(creditGrant: CreditGrant, who: string): Promise<GrantResult>;
}

export type InvalidInput = { kind: 'fault'; faults: PurchaseInput.FieldFault[] };
export type BodyFields = Readonly<Record<string, unknown>>;

const unitsMax = 1_000_000_000;
const keyCharsMax = 255;
const reasonCharsMax = 500;
const dayMs = 24 * 60 * 60 * 1000;
const fields = ['account', 'usd', 'units', 'plan', 'expires', 'reason', 'key'];

/** Parses a grant: `account`, `usd` or `units`, `key`; optionally `plan`, `expires`, `reason`. */
export function parse(
  body: unknown,
  plans: readonly Plan[],
  nowMs: number,
): { kind: 'gift'; creditGrant: CreditGrant } | InvalidInput {
  const faults: PurchaseInput.FieldFault[] = [];
  const given = membersOf(body, fields, faults);
  const value = readValue(given, plans, faults);
  const expiresMs = readExpiry(given, nowMs, faults);
  const account = readText(given, 'account', keyCharsMax, faults);
  const key = readText(given, 'key', keyCharsMax, faults);
  const reason = given.reason === undefined ? null : readText(given, 'reason', reasonCharsMax, faults);
  if (faults.length > 0 || value === null) return { kind: 'fault', faults };
  return { kind: 'gift', creditGrant: { ...value, account, key, reason, expiresMs } };
}

/** Returns the members of a body; unknown members are reported in `faults`. */
export function membersOf(
  body: unknown,
  known: readonly string[],
  faults: PurchaseInput.FieldFault[],
): BodyFields {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    faults.push({ field: 'body', message: 'Expected object' });
    return {};
  }
  faults.push(...unknownFields(Object.keys(body), known));
  return { ...body };
}

/** Reads `usd` as a decimal or whole `units`, and the plan that they are used under. The default is the first plan that sells credit. */
export function readValue(
  given: BodyFields,
  plans: readonly Plan[],
  faults: PurchaseInput.FieldFault[],
): GrantValue | null {
  const plan = planOf(given.plan, plans);
  if (plan === null)
    faults.push({ field: 'plan', message: `Must be one of: ${plans.map(({ id }) => id).join(', ')}` });
  if ((given.usd === undefined) === (given.units === undefined)) {
    faults.push({ field: 'usd', message: 'Must be given unless `units` is; send only one of the two' });
    return null;
  }
  if (given.usd !== undefined) {
    const amount = typeof given.usd === 'string' ? Money.parse(given.usd) : null;
    if (amount) return plan === null ? null : { asset: 'usd', amount, plan };
    faults.push({ field: 'usd', message: 'Must be an amount above 0, as a string such as "5.00"' });
    return null;
  }
  const amount = readCount(given, 'units', unitsMax, faults);
  return plan === null || amount === null ? null : { asset: 'unit', amount, plan };
}

/** Reads a whole number above 0, given as a number or as digits. Otherwise adds a fault and returns null. */
export function readCount(
  given: BodyFields,
  field: string,
  max: number,
  faults: PurchaseInput.FieldFault[],
): number | null {
  const value = given[field];
  const count = typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value;
  if (typeof count === 'number' && Number.isInteger(count) && count > 0 && count <= max) return count;
  faults.push({ field, message: `Must be a whole number from 1 to ${max}` });
  return null;
}

/** Reads `expires`: a timestamp, or a day (UTC), which counts to its end. Returns null when it is absent. */
export function readExpiry(
  given: BodyFields,
  nowMs: number,
  faults: PurchaseInput.FieldFault[],
): number | null {
  const { expires } = given;
  if (expires === undefined) return null;
  const isDay = typeof expires === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(expires);
  const isMoment =
    typeof expires === 'string' && /^\d{4}-\d{2}-\d{2}T[\d:.]+(Z|[+-]\d{2}:\d{2})$/.test(expires);
  const ms = isDay || isMoment ? Date.parse(expires) + (isDay ? dayMs : 0) : Number.NaN;
  if (ms > nowMs) return ms;
  faults.push({
    field: 'expires',
    message:
      'Must be a future day such as "2027-01-31", or a future timestamp such as "2027-01-31T12:00:00Z"',
  });
  return null;
}

function readText(
  given: BodyFields,
  field: string,
  charsMax: number,
  faults: PurchaseInput.FieldFault[],
): string {
  const value = given[field];
  if (typeof value === 'string' && value.length >= 1 && value.length <= charsMax) return value;
  faults.push({ field, message: `Must be a text of 1 to ${charsMax} characters` });
  return '';
}

function planOf(named: unknown, plans: readonly Plan[]): string | null {
  if (named !== undefined) return plans.find(({ id }) => id === named)?.id ?? null;
  return (plans.find(({ kind }) => kind === 'credit') ?? plans[0])?.id ?? null;
}

/** Formats a value for API responses. */
export function asCreditGrant({
  asset,
  amount,
}: Pick<GrantValue, 'asset' | 'amount'>): { usd: string } | { units: number } {
  return asset === 'usd' ? { usd: Money.format(Money.ofMicro(amount)) } : { units: amount };
}
