import * as Schema from '../schema/schema.ts';

/** A telephone number as it was written: one of the United States in E.164, or any other, of which we know nothing. */
export type PhoneNumber = { kind: 'us'; e164: string } | { kind: 'other' };

const charactersMax = 50;
const extension = /(?:;ext=|\s*(?:ext\.?|x|#)\s*)\d{1,7}$/i;
const written = /^\+?[\d\s().\-/]+$/;
/** E.164: a country code and a number, 15 digits at most; shorter than 7 is a service, not a subscriber. */
const digitsMin = 7;
const digitsMax = 15;

/**
 * A number of the North American plan: area and exchange begin with 2 to 9, neither is a service code (211 ... 911),
 * and no area has a 9 in the middle, which is kept for longer numbers to come.
 */
const northAmerican = /^1(?<area>(?!.11)[2-9][0-8]\d)(?!.11)[2-9]\d{6}$/;

/** Areas of the plan that lie elsewhere: Canada, Bermuda and the Caribbean. The rest are the States and their territories. */
const areasElsewhere = new Set(
  `204 226 236 249 250 257 263 289 306 343 354 365 367 368 382 387 403 416 418 428 431 437 438 450 460 468 474 506
   514 519 537 548 568 579 581 584 587 600 604 613 622 633 639 644 647 655 672 677 683 688 705 709 742 753 778 780
   782 807 819 825 851 867 873 879 902 905 942
   242 246 264 268 284 345 441 473 649 658 664 721 758 767 784 809 829 849 868 869 876`.split(/\s+/),
);

/**
 * Reads a number as people write it: `(201) 555-0123`, `+1 201 555 0123 ext. 4`, `tel:+1-201-555-0123`. Without a
 * country code it is taken for one of the United States. Null for what is no number at all.
 */
export function parse(text: string): PhoneNumber | null {
  const plain = text
    .normalize('NFKC')
    .trim()
    .replace(/^tel:/i, '')
    .replace(extension, '')
    .replace(/\p{Pd}/gu, '-');
  const digits = plain.replace(/\D/g, '');
  if (!written.test(plain) || digits.length < digitsMin || digits.length > digitsMax) return null;
  const national = !plain.startsWith('+') && digits.length === 10;
  const full = national ? `1${digits}` : digits;
  const area = northAmerican.exec(full)?.groups?.area;
  const isForeign = area === undefined || areasElsewhere.has(area);
  return isForeign ? { kind: 'other' } : { kind: 'us', e164: `+${full}` };
}

export const field = Schema.about(
  'A telephone number, best in E.164 (`+12015550123`). Without a country code it is one of the United States; others are never found.',
  Schema.text({
    min: 1,
    max: charactersMax,
    rule: {
      holds: (text) => parse(text) !== null,
      otherwise: 'Expected a telephone number such as +12015550123',
    },
  }),
);

/** The number that a text accepted by the field above means. */
export function parsed(text: string): PhoneNumber {
  const number = parse(text);
  if (number === null) throw new TypeError('not a telephone number that was checked');
  return number;
}
