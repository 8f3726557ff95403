import { z } from 'zod';
import * as Form from './form.ts';
import { invalid, type Refusal } from './refusal.ts';

/** Schemas over a Form, whose leaves are text. Their complaints carry the API's own error code in `params.code`. */

const emptyText = {
  params: { code: 'parameter_invalid_empty' },
  error: 'An empty string is not a value here.',
};

/** Held against a schema by `satisfies`: it takes no parameter that the client's own `P` does not have. */
export type Known<P> = Partial<Record<keyof P, z.ZodType>>;

export function text(charactersMax = 5_000) {
  return z
    .string()
    .refine((value) => value !== '', emptyText)
    .max(charactersMax, `At most ${charactersMax} characters.`);
}

/** Text that an empty string takes away. */
export function clearable(charactersMax = 5_000) {
  return z
    .string()
    .max(charactersMax)
    .transform((value) => (value === '' ? null : value));
}

export const integer = z
  .string()
  .refine((value) => /^-?\d{1,15}$/.test(value), {
    params: { code: 'parameter_invalid_integer' },
    error: (issue) => `Invalid integer: ${String(issue.input).slice(0, 100)}`,
  })
  .transform(Number);

export const timestamp = integer.refine((value) => value >= 0, 'Invalid timestamp.');

export const boolean = z
  .enum(['true', 'false'], { error: (issue) => `Invalid boolean: ${String(issue.input).slice(0, 100)}` })
  .transform((value) => value === 'true');

export const currency = z
  .string()
  .transform((value) => value.toLowerCase())
  .refine((value) => minimumAmounts.has(value), {
    error: (issue) => `Invalid currency: ${String(issue.input).slice(0, 10)}`,
  });

export const email = z.email({
  error: (issue) => ({ message: `Invalid email address: ${String(issue.input).slice(0, 100)}` }),
});

export const url = z
  .string()
  .max(5_000)
  .refine((value) => URL.canParse(value) && /^https?:$/.test(new URL(value).protocol), {
    params: { code: 'url_invalid' },
    error: 'Not a valid URL: an explicit scheme (http or https) is needed.',
  });

/** Up to 50 keys of 40 characters, values of 500; an empty string instead of the whole is null and takes every key away. */
export const metadata = z.preprocess(
  (value) => (value === '' ? null : value),
  z
    .record(z.string().max(40), z.string().max(500))
    .refine((members) => Object.keys(members).length <= 50, 'At most 50 metadata keys.')
    .nullable(),
);

/** Merges `given` into an object's metadata: new keys are added, an empty value removes its key. */
export function mergeMetadata(
  present: Record<string, string>,
  given: Record<string, string> | null | undefined,
): Record<string, string> {
  if (given === undefined) return present;
  const merged = given === null ? {} : { ...present, ...given };
  return Object.fromEntries(Object.entries(merged).filter(([, value]) => value !== ''));
}

/** A list: `x[]=a&x[]=b` or `x[0]=a&x[1]=b`. */
export function list<S extends z.ZodType>(item: S, itemsMax: number) {
  return z.preprocess(
    (value) =>
      typeof value === 'object' && value !== null && Object.keys(value).every((key) => /^\d+$/.test(key))
        ? Object.values(value)
        : value,
    z.array(item).min(1).max(itemsMax),
  );
}

/** The least that the card network takes, in minor units, for each currency that the sandbox knows. */
const minimumAmounts: ReadonlyMap<string, number> = new Map([
  ['usd', 50],
  ['eur', 50],
  ['gbp', 30],
  ['cad', 50],
  ['aud', 50],
  ['chf', 50],
  ['jpy', 50],
]);
const amountMax = 99_999_999;

/** US dollars for one minor unit of each currency, as fixed rates. */
const dollarsPerMinorUnit: ReadonlyMap<string, number> = new Map([
  ['usd', 0.01],
  ['eur', 0.0117],
  ['gbp', 0.0134],
  ['cad', 0.0072],
  ['aud', 0.0065],
  ['chf', 0.0124],
  ['jpy', 0.0067],
]);

/** Converts minor units of one currency to another, rounded to the nearest. Unknown currencies convert at par. */
function convert(amount: number, from: string, to: string): number {
  const [source, target] = [dollarsPerMinorUnit.get(from), dollarsPerMinorUnit.get(to)];
  return source === undefined || target === undefined ? amount : Math.round((amount * source) / target);
}

/** Returns true when `amount`, in minor units, is below the minimum charge. */
export function isBelowMinimum(amount: number, currencyCode: string): boolean {
  return amount < (minimumAmounts.get(currencyCode) ?? 50);
}

/** Null where `amount` in minor units may be charged, otherwise `amount_too_small` or `amount_too_large`. */
export function refuseAmount(
  amount: number,
  currencyCode: string,
  settlementCurrency: string,
  param = 'amount',
): Refusal | null {
  const least = minimumAmounts.get(currencyCode) ?? 50;
  if (amount < 1) {
    return invalid('This value must be greater than or equal to 1.', {
      code: 'parameter_invalid_integer',
      param,
    });
  }
  if (amount < least) {
    return invalid(`Amount must be at least ${least} ${currencyCode} in minor units.`, {
      code: 'amount_too_small',
      param,
    });
  }
  if (convert(amount, currencyCode, settlementCurrency) < (minimumAmounts.get(settlementCurrency) ?? 50)) {
    const minimum = minimumAmounts.get(settlementCurrency) ?? 50;
    return invalid(`Amount must convert to at least ${minimum} ${settlementCurrency} in minor units.`, {
      code: 'amount_too_small',
      param,
    });
  }
  if (amount > amountMax) {
    return invalid(`Amount must be no more than ${amountMax} in minor units.`, {
      code: 'amount_too_large',
      param,
    });
  }
  return null;
}

/** The first complaint as the API words it: `parameter_unknown`, `parameter_missing`, or the schema's own code. */
export function read<S extends z.ZodType>(schema: S, form: Form.Form): { params: z.infer<S> } | Refusal {
  const parsed = schema.safeParse(form);
  if (parsed.success) return { params: parsed.data };
  const issues = parsed.error.issues;
  const issue = issues.find(({ code }) => code === 'unrecognized_keys') ?? issues[0];
  if (issue === undefined) throw parsed.error;
  if (issue.code === 'unrecognized_keys') {
    const names = issue.keys.map((key) => Form.nameOf([...issue.path, key]));
    return invalid(`Received unknown parameter${names.length > 1 ? 's' : ''}: ${names.join(', ')}`, {
      code: 'parameter_unknown',
      ...(names[0] === undefined ? {} : { param: names[0] }),
    });
  }
  const param = Form.nameOf(issue.path);
  const given = Form.at(form, issue.path);
  if (given === undefined)
    return invalid(`Missing required param: ${param}.`, { code: 'parameter_missing', param });
  const code = issue.code === 'custom' ? (issue.params?.code as string | undefined) : undefined;
  return invalid(complaint(issue, param, given), { ...(code ? { code } : {}), param });
}

function complaint(issue: z.core.$ZodIssue, param: string, given: string | Form.Form): string {
  if (issue.code === 'invalid_type') {
    return `Invalid ${issue.expected} for ${param}: ${typeof given === 'string' ? given.slice(0, 100) : 'an object'}`;
  }
  if (
    issue.code === 'invalid_value' &&
    typeof given === 'string' &&
    issue.message.startsWith('Invalid option')
  ) {
    return `Invalid ${param}: must be one of ${issue.values.map(String).join(', ')}`;
  }
  return issue.message;
}
