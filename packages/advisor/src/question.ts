import { nearest } from '@sluice/kernel/did-you-mean';

/** A question to the advisor, checked. */
export type Question = {
  goal: string;
  /** The number of results wanted; overrides a number in the goal. */
  quantity: number | null;
  /** The most that may be spent, in USD, and whether it must stay below that. */
  budgetUsd: number | null;
  budgetExclusive: boolean;
  /** After how many calls the caller wants to look at what came. */
  reviewAfterCalls: number | null;
  requirements: readonly string[];
  /** True when a person can pay on the hosted page; null when the question does not say. */
  humanAvailable: boolean | null;
  payment: 'x402' | 'mpp' | 'card' | null;
};
export type QuestionFault = { field: string; message: string };
export type Read = { ok: true; question: Question } | { ok: false; faults: QuestionFault[] };

const goalCharsMax = 2000;
const requirementCountMax = 300;
const requirementCharsMax = 300;
/** All requirements together, as each is read like a goal. */
const requirementsCharsMax = 10_000;
const quantityMax = 1_000_000_000;
const budgetUsdMax = 1_000_000_000;
const payments = ['x402', 'mpp', 'card'] as const;
const fields = [
  'goal',
  'quantity',
  'budgetUsd',
  'budgetExclusive',
  'reviewAfterCalls',
  'requirements',
  'humanAvailable',
  'payment',
] as const;

/** Reads the body of a question. Null means the same as left out; an unknown field is refused with the nearest known one. */
export function read(body: unknown): Read {
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    return { ok: false, faults: [{ field: 'body', message: 'must be an object' }] };
  const members = body as Readonly<Record<string, unknown>>;
  const faults: QuestionFault[] = Object.keys(members)
    .filter((name) => !fields.some((field) => field === name))
    .map((name) => ({ field: 'body', message: unknown(name) }));
  const take = <T>(
    field: (typeof fields)[number],
    parse: (value: unknown) => T | null,
    message: string,
  ): T | null => {
    const value = members[field] ?? null;
    const parsed = value === null ? null : parse(value);
    if (value !== null && parsed === null) faults.push({ field, message });
    return parsed;
  };
  const goal = take(
    'goal',
    (value) => text(value, goalCharsMax),
    `must be text of 1 to ${goalCharsMax} characters`,
  );
  if ((members.goal ?? null) === null)
    faults.unshift({
      field: 'goal',
      message: `is required: what is wanted, in plain words, 1 to ${goalCharsMax} characters`,
    });
  const question = {
    goal: goal ?? '',
    quantity: take(
      'quantity',
      (value) => whole(value, quantityMax),
      `must be a whole number from 1 to ${quantityMax}`,
    ),
    budgetUsd: take(
      'budgetUsd',
      amount,
      `must be an amount in USD from 0 to ${budgetUsdMax}, as a number or a decimal string`,
    ),
    budgetExclusive: take('budgetExclusive', flag, 'must be true or false') ?? false,
    reviewAfterCalls: take(
      'reviewAfterCalls',
      (value) => whole(value, quantityMax),
      `must be a whole number from 1 to ${quantityMax}`,
    ),
    requirements:
      take(
        'requirements',
        requirements,
        `must be text of up to ${requirementCharsMax} characters, or a list of up to ${requirementCountMax} such texts with ${requirementsCharsMax} characters in all`,
      ) ?? [],
    humanAvailable: take('humanAvailable', flag, 'must be true or false'),
    payment: take(
      'payment',
      (value) => payments.find((it) => it === value) ?? null,
      `must be one of ${payments.join(', ')}`,
    ),
  };
  return faults.length > 0 ? { ok: false, faults } : { ok: true, question };
}

/** The body that a query string means, where every value is text; a name that is there twice is a list. */
export function ofQuery(query: URLSearchParams): unknown {
  return Object.fromEntries(
    [...new Set(query.keys())].map((name) => {
      const values = query.getAll(name).map((value) => typed(name, value));
      return [name, values.length === 1 ? values[0] : values];
    }),
  );
}

function typed(name: string, value: string): unknown {
  if (/^(?:quantity|reviewAfterCalls)$/.test(name) && /^\d{1,12}$/.test(value)) return Number(value);
  return /^(?:budgetExclusive|humanAvailable)$/.test(name) && /^(?:true|false)$/.test(value)
    ? value === 'true'
    : value;
}

function unknown(name: string): string {
  const shown = JSON.stringify(name.slice(0, 60));
  const near = nearest(name, fields);
  return near === null
    ? `${shown} is not a field: the fields are ${fields.join(', ')}`
    : `${shown} is not a field: did you mean "${near}"?`;
}

function text(value: unknown, charsMax: number): string | null {
  if (typeof value !== 'string' || value.length > charsMax) return null;
  const trimmed = value.trim();
  return trimmed === '' ? null : trimmed;
}

function whole(value: unknown, max: number): number | null {
  return typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= max ? value : null;
}

function amount(value: unknown): number | null {
  const number = typeof value === 'string' && /^\d{1,10}(?:\.\d{1,6})?$/.test(value) ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) && number >= 0 && number <= budgetUsdMax
    ? number
    : null;
}

function flag(value: unknown): boolean | null {
  return typeof value === 'boolean' ? value : null;
}

function requirements(value: unknown): readonly string[] | null {
  const listed: readonly unknown[] = Array.isArray(value) ? value : [value];
  if (listed.length > requirementCountMax) return null;
  const texts = listed.flatMap((item) =>
    typeof item === 'string' && item.length <= requirementCharsMax ? [item.trim()] : [],
  );
  const chars = texts.reduce((total, item) => total + item.length, 0);
  return texts.length === listed.length && chars <= requirementsCharsMax
    ? texts.filter((item) => item !== '')
    : null;
}
