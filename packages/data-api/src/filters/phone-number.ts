import { parsePhoneNumberFromString } from 'libphonenumber-js/min';
import * as Schema from '../schema/schema.ts';

/** A parsed phone number: a US number in E.164, or a number of another country, which is never in the data. */
export type PhoneNumber = { kind: 'us'; e164: string } | { kind: 'other' };

const charactersMax = 50;
const extension = /(?:;ext=|\s*(?:ext\.?|x|#)\s*)\d{1,7}$/i;
const written = /^\+?[\d\s().\-/]+$/;
/** E.164 allows 15 digits. Numbers with fewer than 7 are service numbers. */
const digitsMin = 7;
const digitsMax = 15;

/** The United States and the territories that share its numbering plan. */
const countries: ReadonlySet<string> = new Set(['US', 'PR', 'VI', 'GU', 'AS', 'MP']);

/**
 * Parses a number as people write it: `(201) 555-0123`, `+1 201 555 0123 ext. 4`, `tel:+1-201-555-0123`. Without a
 * country code it counts as a US number. Null if it is not a phone number.
 */
export function parse(text: string): PhoneNumber | null {
  const plain = text
    .normalize('NFKC')
    .trim()
    .replace(/^tel:/i, '')
    .replace(extension, '')
    .replace(/\p{Pd}/gu, '-');
  const digits = plain.replace(/\D/g, '').length;
  if (!written.test(plain) || digits < digitsMin || digits > digitsMax) return null;
  const number = parsePhoneNumberFromString(plain, 'US');
  if (number === undefined || !number.isValid() || !countries.has(number.country ?? ''))
    return { kind: 'other' };
  return { kind: 'us', e164: number.number };
}

export const field = Schema.about(
  'A phone number, preferably in E.164 (`+12015550123`). Without a country code it counts as a US number. Numbers of other countries are never found.',
  Schema.text({
    min: 1,
    max: charactersMax,
    rule: {
      holds: (text) => parse(text) !== null,
      otherwise: 'Expected a phone number such as +12015550123',
    },
  }),
);

/** Number of a text that `field` has accepted. */
export function parsed(text: string): PhoneNumber {
  const number = parse(text);
  if (number === null) throw new TypeError('the phone number has not been validated');
  return number;
}
