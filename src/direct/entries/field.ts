import * as Enums from '../filters/enums.ts';
import * as Schema from '../schema/schema.ts';

/** The kinds of fields that entries are made of. Every one may be left out or be null, unless an entry says `needed`. */
const textCharactersMax = 20_000;
const lineCharactersMax = 500;
export const itemsMax = 500;
const moneyMax = 1e15;

/** PostgreSQL keeps every Unicode text but one with a NUL, and none with half a character. */
const storable: Schema.Rule = {
  holds: (text) => !text.includes('\0') && text.isWellFormed(),
  otherwise: 'Must not contain NUL or half a character',
};

export const needed = {
  line: Schema.text({ min: 1, max: lineCharactersMax, rule: storable }),
  /** A text that `holds` accepts. */
  lineThat: (holds: (text: string) => boolean, otherwise: string) =>
    Schema.text({
      min: 1,
      max: lineCharactersMax,
      rule: { holds: (text) => storable.holds(text) && holds(text), otherwise },
    }),
};

export const line = maybe(Schema.text({ max: lineCharactersMax, rule: storable }));
export const text = maybe(Schema.text({ max: textCharactersMax, rule: storable }));
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
  'Expected ISO 8601 with an offset, as 2026-07-08T21:00:07+02:00',
);

/** Null where unknown. */
export function maybe<T>(schema: Schema.Schema<T>): Schema.Schema<T | null> {
  return Schema.optional(schema, null);
}

export function choice(values: readonly string[]): Schema.Schema<string | null> {
  return maybe(Schema.choice(values));
}

/** Lines, none where unknown. */
export const lines = listOf(Schema.text({ max: lineCharactersMax, rule: storable }));

export function listOf<T>(item: Schema.Schema<T>): Schema.Schema<T[]> {
  return Schema.optional(Schema.list(item, itemsMax), [] as T[]);
}

const dayPattern = /^(\d{4})-(\d\d)-(\d\d)$/;
const monthDays = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
const momentPattern = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d{1,6})?)?(Z|[+-](?:0\d|1[0-5])(:?[0-5]\d)?)$/;

function isDay(given: string): boolean {
  const [, year, month, day] = dayPattern.exec(given)?.map(Number) ?? [];
  if (!year || !month || !day) return false;
  const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  return day <= (month === 2 && isLeap ? 29 : (monthDays[month - 1] ?? 0));
}

/** As PostgreSQL has them too: a day that there is, in a year of four digits, and an offset that is somebody's. */
function isMoment(given: string): boolean {
  return (
    momentPattern.test(given) &&
    isDay(given.slice(0, 10)) &&
    given >= '1900' &&
    !Number.isNaN(Date.parse(given))
  );
}
