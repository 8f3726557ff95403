import * as Money from '@sluice/kernel/money';
import type { FieldFault } from '../../payment/purchase-input.ts';
import { count } from './pages/figures.ts';

/** A refused form: its values, and the faults by field. */
export type FormDraft = {
  values: Readonly<Record<string, string>>;
  faults: Readonly<Record<string, string>>;
};

const creditMax = 1_000_000_000;
const daysMax = 3_660;
const words: Readonly<Record<string, string>> = {
  usd: 'Enter an amount above 0, such as 5.00.',
  units: `Enter a whole number from 1 to ${count(creditMax)}.`,
  plan: 'Choose a plan of the list.',
  expires: 'Choose a day in the future.',
  reason: 'Enter a reason of at most 500 characters.',
  code: 'Enter 4 to 40 letters, digits, dashes or underscores.',
  days: `Enter a whole number from 1 to ${count(daysMax)}.`,
  max: `Enter a whole number from 1 to ${count(creditMax)}.`,
};

/** Returns the filled fields of a form, by their names. */
export function filledIn(form: URLSearchParams, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = form.get(name)?.trim() ?? '';
      return value === '' ? [] : [[name, value] as const];
    }),
  );
}

/** The faults of a form that grants credit, in the seller's words: the parser's are those of the API. */
export function faultsOf(values: FormDraft['values'], faults: readonly FieldFault[]): FormDraft['faults'] {
  const inWords = ({ field, message }: FieldFault) => {
    if (field !== 'usd') return words[field] ?? message;
    if (values.usd === undefined) return 'Enter either dollars or results.';
    if (values.units === undefined) return words.usd;
    const isAmount = (Money.parse(values.usd) ?? 0) > 0;
    return `Enter either dollars${isAmount ? '' : ', such as 5.00,'} or results, not both.`;
  };
  return Object.fromEntries(faults.map((fault) => [fault.field, inWords(fault) ?? fault.message]));
}
