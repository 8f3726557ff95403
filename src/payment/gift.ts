import type { Plan } from '../catalog/plan.ts';
import * as Money from '../kernel/money.ts';
import * as Wish from './wish.ts';

/** What is given: micro-dollars or units of results, to be used under a plan. */
export type Value = { asset: 'usd' | 'unit'; amount: number; plan: string };

/** What the seller gives an account, once for each `key`. */
export type Gift = Value & {
  key: string;
  account: string;
  expiresMs: number | null;
  /** For the audit log. */
  reason: string | null;
};

export type Given =
  | { kind: 'given'; account: string }
  /** The key has given something else before. */
  | { kind: 'mismatch' }
  | { kind: 'unknown_account' };

/** The record of gifts. */
export interface Gifts {
  /** Said twice in the same words it is given once, and answered twice. `who`: for the audit log. */
  give(gift: Gift, who: string): Promise<Given>;
}

export type Faulty = { kind: 'fault'; faults: Wish.Fault[] };
export type Fields = Readonly<Record<string, unknown>>;

const unitsMax = 1_000_000_000;
const keyCharsMax = 255;
const reasonCharsMax = 500;
const dayMs = 24 * 60 * 60 * 1000;
const fields = ['account', 'usd', 'units', 'plan', 'expires', 'reason', 'key'];

/** Reads a gift: `account`, `usd` or `units`, `key`; where wanted `plan`, `expires`, `reason`. */
export function parse(
  body: unknown,
  plans: readonly Plan[],
  nowMs: number,
): { kind: 'gift'; gift: Gift } | Faulty {
  const faults: Wish.Fault[] = [];
  const given = membersOf(body, fields, faults);
  const value = readValue(given, plans, faults);
  const expiresMs = readExpiry(given, nowMs, faults);
  const account = readText(given, 'account', keyCharsMax, faults);
  const key = readText(given, 'key', keyCharsMax, faults);
  const reason = given.reason === undefined ? null : readText(given, 'reason', reasonCharsMax, faults);
  if (faults.length > 0 || value === null) return { kind: 'fault', faults };
  return { kind: 'gift', gift: { ...value, account, key, reason, expiresMs } };
}

/** The members of a body; unknown ones are faults. */
export function membersOf(body: unknown, known: readonly string[], faults: Wish.Fault[]): Fields {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    faults.push({ field: 'body', message: 'Expected object' });
    return {};
  }
  for (const name of Object.keys(body))
    if (!known.includes(name)) faults.push(Wish.unknownField(name, known));
  return { ...body };
}

/** `usd` as a decimal, or whole `units`; and the plan under which they are used: where it is not named, the first that holds money. */
export function readValue(given: Fields, plans: readonly Plan[], faults: Wish.Fault[]): Value | null {
  const plan = planOf(given.plan, plans);
  if (plan === null)
    faults.push({ field: 'plan', message: `Must be one of: ${plans.map(({ id }) => id).join(', ')}` });
  if ((given.usd === undefined) === (given.units === undefined)) {
    faults.push({ field: 'usd', message: 'Give either usd or units' });
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

/** A whole number above 0, as a number or its digits; null, and a fault, where it is none. */
export function readCount(given: Fields, field: string, max: number, faults: Wish.Fault[]): number | null {
  const value = given[field];
  const count = typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value;
  if (typeof count === 'number' && Number.isInteger(count) && count > 0 && count <= max) return count;
  faults.push({ field, message: `Must be a whole number from 1 to ${max}` });
  return null;
}

/** `expires`: a moment, or a day (UTC), which is good to its end; null where there is none. */
export function readExpiry(given: Fields, nowMs: number, faults: Wish.Fault[]): number | null {
  const { expires } = given;
  if (expires === undefined) return null;
  const isDay = typeof expires === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(expires);
  const isMoment =
    typeof expires === 'string' && /^\d{4}-\d{2}-\d{2}T[\d:.]+(Z|[+-]\d{2}:\d{2})$/.test(expires);
  const ms = isDay || isMoment ? Date.parse(expires) + (isDay ? dayMs : 0) : Number.NaN;
  if (ms > nowMs) return ms;
  faults.push({
    field: 'expires',
    message: 'Must be a day to come such as "2027-01-31", or a moment such as "2027-01-31T12:00:00Z"',
  });
  return null;
}

function readText(given: Fields, field: string, charsMax: number, faults: Wish.Fault[]): string {
  const value = given[field];
  if (typeof value === 'string' && value.length >= 1 && value.length <= charsMax) return value;
  faults.push({ field, message: `Must be a text of 1 to ${charsMax} characters` });
  return '';
}

function planOf(named: unknown, plans: readonly Plan[]): string | null {
  if (named !== undefined) return plans.find(({ id }) => id === named)?.id ?? null;
  return (plans.find(({ kind }) => kind === 'credit') ?? plans[0])?.id ?? null;
}

/** A value as people and programs are told of it. */
export function shown({
  asset,
  amount,
}: Pick<Value, 'asset' | 'amount'>): { usd: string } | { units: number } {
  return asset === 'usd' ? { usd: Money.format(Money.ofMicro(amount)) } : { units: amount };
}
