import * as Enums from '../filters/enums.ts';
import * as Schema from '../schema/schema.ts';

/** Field schemas of imported entries. Fields are optional and nullable, except those in `needed`. */
const textCharactersMax = 20_000;
const lineCharactersMax = 500;
export const itemsMax = 500;
const moneyMax = 1e15;

/** PostgreSQL cannot store NUL characters and unpaired surrogates. */
const storable: Schema.Rule = {
  holds: (text) => !text.includes('\0') && text.isWellFormed(),
  otherwise: 'Must not contain NUL characters or unpaired surrogates',
};

export const needed = {
  line: Schema.text({ min: 1, max: lineCharactersMax, rule: storable }),
  /** A line that meets the condition `holds`. */
  lineThat: (holds: (text: string) => boolean, otherwise: string) =>
    Schema.text({
      min: 1,
      max: lineCharactersMax,
      rule: { holds: (text) => storable.holds(text) && holds(text), otherwise },
    }),
};

export const line = maybe(Schema.text({ max: lineCharactersMax, rule: storable }));
export const text = maybe(Schema.text({ max: textCharactersMax, rule: storable }));
/** Address of a page or picture. */
export const webAddress = maybe(
  needed.lineThat(
    (text) => /^https?:\/\//i.test(text) && URL.canParse(text),
    'Expected an http:// or https:// address',
  ),
);
export const flag = maybe(Schema.flag());
/** Whole US dollars. */
export const money = maybe(Schema.integer(0, moneyMax));
export const count = maybe(Schema.integer(0, moneyMax));
export const year = maybe(Schema.integer(0, 9_999));
/** ISO 3166-1 alpha-2. */
export const countryCode = maybe(
  needed.lineThat((code) => Enums.country(code) !== null, 'Expected an ISO 3166-1 alpha-2 code in capitals'),
);
export const day = maybe(needed.lineThat(isDay, 'Expected a date as YYYY-MM-DD'));
export const moment = needed.lineThat(
  isMoment,
  'Expected ISO 8601 with an offset, such as 2026-07-08T21:00:07+02:00',
);

/** Makes a field optional: null if unknown. */
export function maybe<T>(schema: Schema.Schema<T>): Schema.Schema<T | null> {
  return Schema.optional(schema, null);
}

export function choice(values: readonly string[]): Schema.Schema<string | null> {
  return maybe(Schema.choice(values));
}

/** A list of lines, empty if unknown. */
export const lines = listOf(Schema.text({ max: lineCharactersMax, rule: storable }));

export function listOf<T>(item: Schema.Schema<T>): Schema.Schema<T[]> {
  return Schema.optional(Schema.list(item, itemsMax), [] as T[]);
}

const monthDays = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
const momentPattern = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d{1,6})?)?(Z|[+-](?:0\d|1[0-5])(:?[0-5]\d)?)$/;

/** Runs for every date of an import, so it reads the digits without a regular expression. */
function isDay(given: string): boolean {
  if (given.length !== 10 || given[4] !== '-' || given[7] !== '-') return false;
  const [year, month, day] = [digits(given, 0, 4), digits(given, 5, 7), digits(given, 8, 10)];
  if (!(year > 0 && month > 0 && day > 0)) return false;
  const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  return day <= (month === 2 && isLeap ? 29 : (monthDays[month - 1] ?? 0));
}

/** The number in ASCII digits; NaN if there is another character. */
function digits(text: string, from: number, to: number): number {
  let number = 0;
  for (let at = from; at < to; at++) {
    const digit = text.charCodeAt(at) - 48;
    if (digit < 0 || digit > 9) return Number.NaN;
    number = number * 10 + digit;
  }
  return number;
}

/** Accepts only moments that PostgreSQL accepts too: existing days, four-digit years and valid offsets. */
function isMoment(given: string): boolean {
  return (
    momentPattern.test(given) &&
    isDay(given.slice(0, 10)) &&
    given >= '1900' &&
    !Number.isNaN(Date.parse(given))
  );
}
