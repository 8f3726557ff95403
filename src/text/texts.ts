import { defaults, type Key, type PlaceholdersOf } from './defaults.ts';
import { countName, type Parsed, type PluralForms, parse, type Template } from './template.ts';

/** The values of a text: none for a text without placeholders. A number is written in the language of the text. */
export type Values<Name extends Key, Value = never> = [PlaceholdersOf<Name>] extends [never]
  ? []
  : [Readonly<Record<PlaceholdersOf<Name>, string | number | Value>>];

/** The seller's changes to the texts. */
export type Changes = {
  /** BCP 47 tag of the language of the pages and mails; null for the English defaults. */
  language: string | null;
  /** The catalogue's units in this language, by their names in the catalogue. */
  units: ReadonlyMap<string, Template>;
  texts: ReadonlyMap<string, Template>;
};

/** A text that is ready to be filled in: the text itself where it has no placeholders. */
type Prepared = string | Parsed | { forms: Readonly<Record<string, Parsed>>; rules: Intl.PluralRules };

const defaultLanguage = 'en';
/** The English defaults write the month as a word, so that no reader takes it for the day: `27 Nov 2026`. */
const defaultDates = 'en-GB';
/** The usual English plural of a unit; a seller's file may name other forms. */
const englishUnit = (unit: string): PluralForms => ({ one: unit, other: englishPlural(unit) });

function englishPlural(unit: string): string {
  if (/(?:s|x|z|ch|sh)$/i.test(unit)) return `${unit}es`;
  return /[^aeiou]y$/i.test(unit) ? `${unit.slice(0, -1)}ies` : `${unit}s`;
}

/** All texts that people read, in the seller's words. Immutable: every text is parsed once, when the shop opens. */
export class Texts {
  /** The `lang` of the pages. */
  readonly language: string;
  /** The `dir` of the pages. */
  readonly direction: 'ltr' | 'rtl';
  readonly #prepared = new Map<string, Prepared>();
  readonly #units: ReadonlyMap<string, Template>;
  readonly #rules: Intl.PluralRules;
  readonly #number: Intl.NumberFormat;
  readonly #decimals = new Map<string, Intl.NumberFormat>();
  readonly #day: (ms: number) => string;
  readonly #shortDay: (ms: number) => string;
  readonly #minute: (ms: number) => string;
  readonly #shortMinute: (ms: number) => string;

  constructor({ language, units, texts }: Changes) {
    this.language = language ?? defaultLanguage;
    this.direction = directionOf(this.language);
    this.#units = units;
    this.#rules = new Intl.PluralRules(this.language);
    this.#number = new Intl.NumberFormat(this.language);
    const dates = language ?? defaultDates;
    this.#day = dateFormat(dates, { dateStyle: 'medium' });
    this.#shortDay = dateFormat(dates, { day: 'numeric', month: 'short' });
    this.#minute = dateFormat(dates, { dateStyle: 'medium', timeStyle: 'short' });
    const time = { hour: '2-digit', minute: '2-digit' } as const;
    this.#shortMinute = dateFormat(dates, { day: 'numeric', month: 'short', ...time });
    const english = new Intl.PluralRules(defaultLanguage);
    for (const [key, template] of Object.entries(defaults)) {
      const changed = texts.get(key);
      this.#prepared.set(
        key,
        changed === undefined ? prepare(template, english) : prepare(changed, this.#rules),
      );
    }
  }

  /** The text `key` with its placeholders filled in, as plain text. */
  text<Name extends Key>(key: Name, ...[values]: Values<Name>): string {
    const prepared = this.#prepared.get(key);
    return typeof prepared === 'string' ? prepared : this.#fill(prepared, values ?? {}).join('');
  }

  /** The same in parts, for values that are not text: the literal parts of the text at even indexes, the values at odd ones. */
  parts<Name extends Key, Value>(key: Name, ...[values]: Values<Name, Value>): (string | Value)[] {
    const prepared = this.#prepared.get(key);
    return typeof prepared === 'string' ? [prepared] : this.#fill<Value>(prepared, values ?? {});
  }

  /** A whole number, with separators: `1,000`. */
  number(value: number): string {
    return this.#number.format(value);
  }

  /** A number of a table, without separators: `1000`. */
  digits(value: number): string {
    return this.decimal(String(value));
  }

  /** A decimal such as `0.50`, with all its digits. */
  decimal(value: string): string {
    return this.#decimal(value, false);
  }

  /** An amount in US dollars, given as a decimal such as `0.50`; thousands are separated. */
  usd(amount: string): string {
    return this.text('format.usd', { amount: this.#decimal(amount, true) });
  }

  /** A day in UTC, such as `27 Nov 2026`. */
  day(ms: number): string {
    return this.#day(ms);
  }

  /** The day of an ISO 8601 day or timestamp. */
  dayOf(timestamp: string): string {
    return this.day(Date.parse(timestamp));
  }

  /** The day of an ISO 8601 day without its year, such as `27 Nov`. */
  shortDayOf(day: string): string {
    return this.#shortDay(Date.parse(day));
  }

  /** A minute in UTC, such as `27 Nov 2026, 14:05`. */
  minute(ms: number): string {
    return this.#minute(ms);
  }

  /** A minute in UTC without its year, such as `27 Nov, 14:05`. */
  shortMinute(ms: number): string {
    return this.#shortMinute(ms);
  }

  /** A count with its unit, such as `1 result` or `1,000 results`. */
  quantity(count: number, unit: string): string {
    return this.text('format.quantity', { count: this.number(count), unit: this.#unit(unit, count) });
  }

  /** A unit in the singular. */
  unit(unit: string): string {
    return this.#unit(unit, 1);
  }

  /** A unit in the plural. */
  units(unit: string): string {
    return this.#form(this.#units.get(unit) ?? englishUnit(unit), 'other');
  }

  /** A unit as a column heading, such as `Results`; in the singular for a `count` of 1. */
  unitHeading(unit: string, count = 2): string {
    return (count === 1 ? this.unit(unit) : this.units(unit)).replace(/^./u, (first) =>
      first.toLocaleUpperCase(this.language),
    );
  }

  #decimal(value: string, useGrouping: boolean): string {
    const digits = value.split('.')[1]?.length ?? 0;
    const key = `${digits} ${useGrouping}`;
    let format = this.#decimals.get(key);
    if (format === undefined) {
      const options = { minimumFractionDigits: digits, maximumFractionDigits: digits, useGrouping };
      format = new Intl.NumberFormat(this.language, options);
      this.#decimals.set(key, format);
    }
    return format.format(value as Intl.StringNumericLiteral);
  }

  #unit(unit: string, count: number): string {
    return this.#form(this.#units.get(unit) ?? englishUnit(unit), this.#rules.select(count));
  }

  #form(template: Template, category: Intl.LDMLPluralRule): string {
    return typeof template === 'string' ? template : (template[category] ?? template.other);
  }

  #fill<Value>(
    prepared: Exclude<Prepared, string> | undefined,
    values: Readonly<Record<string, string | number | Value>>,
  ): (string | Value)[] {
    if (prepared === undefined) throw new Error('a text without a default was requested');
    const parsed = 'forms' in prepared ? formOf(prepared, values[countName]) : prepared;
    return parsed.map((part, at) => {
      if (at % 2 === 0) return part;
      const value = values[part];
      if (value === undefined) throw new Error(`the placeholder {${part}} has no value`);
      return typeof value === 'number' ? this.number(value) : value;
    });
  }
}

/** The texts of a shop whose seller changes none. */
export const english = new Texts({ language: null, units: new Map(), texts: new Map() });

function prepare(template: Template, rules: Intl.PluralRules): Prepared {
  if (typeof template !== 'string') {
    const forms = Object.entries(template).map(([category, form]) => [category, parsedOf(form)] as const);
    return { forms: Object.fromEntries(forms), rules };
  }
  const parsed = parsedOf(template);
  return parsed.length === 1 ? template : parsed;
}

function parsedOf(text: string): Parsed {
  const parsed = parse(text);
  if (parsed === null) throw new Error(`the text has a brace that does not belong to a placeholder: ${text}`);
  return parsed;
}

function formOf(
  { forms, rules }: { forms: Readonly<Record<string, Parsed>>; rules: Intl.PluralRules },
  count: unknown,
) {
  return forms[rules.select(Number(count))] ?? forms.other ?? [];
}

function dateFormat(language: string, options: Intl.DateTimeFormatOptions): (ms: number) => string {
  const format = new Intl.DateTimeFormat(language, { ...options, timeZone: 'UTC' });
  return (ms) => format.format(ms);
}

function directionOf(language: string): 'ltr' | 'rtl' {
  // TypeScript's library does not declare `getTextInfo` yet.
  const locale = new Intl.Locale(language) as Intl.Locale & { getTextInfo(): { direction?: string } };
  return locale.getTextInfo().direction === 'rtl' ? 'rtl' : 'ltr';
}
