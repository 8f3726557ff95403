import * as Card from '../objects/card.ts';
import type { Payer } from '../objects/checkout-payer.ts';
import * as Tax from '../tax.ts';

export const fields = [
  'email',
  'number',
  'expiry',
  'cvc',
  'name',
  'country',
  'postal_code',
  'business',
  'tax_id',
] as const;
export type Field = (typeof fields)[number];

/** The values that a person entered. */
export type Typed = Record<Field, string>;

/** The error message for each invalid field. */
export type Faults = Partial<Record<Field, string>>;

const charactersMax = 200;
/** The country and 2 to 13 characters. Stripe checks the format of each country. */
const taxIds = /^[A-Z]{2}[0-9A-Z]{2,13}$/;

/** The fields of a posted form; what is absent or a file counts as left empty. */
export function typed(form: Record<string, unknown>): Typed {
  const text = (field: Field) => {
    const value = form[field];
    return typeof value === 'string' ? value.trim().slice(0, charactersMax) : '';
  };
  return {
    email: text('email'),
    number: text('number'),
    expiry: text('expiry'),
    cvc: text('cvc'),
    name: text('name'),
    country: text('country').toUpperCase(),
    postal_code: text('postal_code'),
    business: text('business'),
    tax_id: text('tax_id')
      .toUpperCase()
      .replace(/[\s.-]/g, ''),
  };
}

/** The payer, or every fault of the form. `now` in seconds: a card holds to the end of its month, UTC. */
export function check(
  given: Typed,
  now: number,
  asks: { address: boolean; company: boolean },
): { payer: Payer } | { faults: Faults } {
  const number = given.number.replace(/[\s-]/g, '');
  const expiry = readExpiry(given.expiry);
  const cvcDigits = Card.byNumber(number)?.brand === 'amex' || /^3[47]/.test(number) ? 4 : 3;
  const faults: Faults = {};
  if (!/^[^\s@]+@[^\s@]+\.[^\s@.]+$/.test(given.email)) {
    faults.email = given.email === '' ? 'Enter your email address.' : 'This email address is not complete.';
  }
  if (number === '') faults.number = 'Enter a card number.';
  else if (!Card.isNumber(number)) faults.number = 'This card number is not valid. Check the digits.';
  if (expiry === null) faults.expiry = 'Enter the expiry date as month and year: MM / YY.';
  else if (Date.UTC(expiry.year, expiry.month) <= now * 1_000) faults.expiry = 'This date is in the past.';
  if (!new RegExp(`^\\d{${cvcDigits}}$`).test(given.cvc)) {
    faults.cvc = `Enter the ${cvcDigits} digits of the security code.`;
  }
  if (given.name === '') faults.name = 'Enter the name on the card.';
  const place = placeOf(given);
  Object.assign(faults, billingFaults(given, asks, place));
  if (expiry === null || Object.keys(faults).length > 0) return { faults };
  const { email, name } = given;
  return {
    payer: {
      email,
      name,
      number,
      expMonth: expiry.month,
      expYear: expiry.year,
      place,
      business: given.business || null,
      taxId: given.tax_id || null,
    },
  };
}

function billingFaults(
  { business, tax_id }: Typed,
  asks: { address: boolean; company: boolean },
  place: Tax.Place | null,
): Faults {
  const isCompany = asks.company && (business !== '' || tax_id !== '');
  const isMissing = (asks.address || isCompany) && !Tax.isLocated(place);
  return {
    ...(isCompany && business === '' && { business: 'Enter the name of the company.' }),
    ...(isCompany &&
      tax_id !== '' &&
      !taxIds.test(tax_id) && { tax_id: 'Enter the VAT id with its country, such as DE123456789.' }),
    ...(isMissing && place === null && { country: 'Choose your country.' }),
    ...(isMissing && place !== null && { postal_code: 'Enter your postal code.' }),
  };
}

function placeOf({ country, postal_code }: Typed): Tax.Place | null {
  return /^[A-Z]{2}$/.test(country) ? { country, postal_code } : null;
}

function readExpiry(text: string): { month: number; year: number } | null {
  const match = /^(\d{1,2})\s*[/ -]\s*(\d{2}|\d{4})$/.exec(text) ?? /^(\d{2})(\d{2})$/.exec(text);
  const month = Number(match?.[1]);
  const year = Number(match?.[2]);
  if (!match || month < 1 || month > 12) return null;
  return { month, year: year < 100 ? 2_000 + year : year };
}
