import { capitalized } from '../../text/capitalized.ts';
import type { Key } from '../../text/defaults.ts';
import type { Texts } from '../../text/texts.ts';

/** Names of form fields as the pages label them. */
const labels = {
  amount_usd: 'field.amount_usd',
  below_usd: 'field.below_usd',
  monthly_max_usd: 'field.monthly_max_usd',
  budget_usd: 'field.budget_usd',
  expires_at: 'field.expires_at',
  otp: 'field.otp',
  name: 'field.name',
  email: 'field.email',
  reason: 'field.reason',
  claim_token: 'field.claim_token',
  days: 'field.expires_at',
  code: 'field.otp',
  tax_id: 'field.tax_id',
  address: 'details.address',
  country: 'details.country',
} as const satisfies Readonly<Record<string, Key>>;

/** The faults of a form in one text for people, such as `Amount in USD: Must be at least 0.50.` */
export function sentence(texts: Texts, faults: readonly { field: string; message: string }[]): string {
  return faults
    .map(({ field, message }) => ofField(texts, labelOf(texts, field), inWords(texts, message)))
    .join(' ');
}

/** A fault after the name of its field, with one mark at its end. */
export function ofField(texts: Texts, field: string, fault: string): string {
  const text = texts.text('fault.field', { field, fault: fault.replace(/\.$/, '') });
  return text.replace(/([?!])\.$/, '$1');
}

/** The faults of a form with one field, in one text beside it. */
export function messages(texts: Texts, faults: readonly { message: string }[]): string {
  return faults.map(({ message }) => inWords(texts, message)).join('. ');
}

/** The name of a field as its page labels it. */
function labelOf(texts: Texts, field: string): string {
  if (Object.hasOwn(labels, field)) return texts.text(labels[field as keyof typeof labels]);
  return capitalized(field.replaceAll('_', ' '));
}

/** Names of fields that the form at a path labels in its own words. */
const ownLabels = {
  'credit/amount_usd': 'billing.other_amount',
  'refund/amount_usd': 'refunds.amount',
  'top-up/amount_usd': 'top_up.amount',
  'top-up/below_usd': 'top_up.below',
  'top-up/monthly_max_usd': 'top_up.monthly_max',
} as const satisfies Readonly<Record<string, Key>>;

/** The name of a field as the form at `path` labels it. */
export function labelIn(texts: Texts, path: string, field: string): string {
  const own = `${path}/${field}`;
  return Object.hasOwn(ownLabels, own)
    ? texts.text(ownLabels[own as keyof typeof ownLabels])
    : labelOf(texts, field);
}

/** A fault in the words of a form: people type numbers, not strings. */
export function inWords(texts: Texts, message: string): string {
  const forPrograms = (
    [
      'fault.amount',
      'fault.amount_above_zero',
      'fault.amount_in_cents',
      'fault.amount_in_cents_string',
    ] as const
  ).map((key) => texts.text(key));
  return forPrograms.includes(message) ? texts.text('form.amount') : message;
}
