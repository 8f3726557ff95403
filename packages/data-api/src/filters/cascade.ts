import * as Schema from '../schema/schema.ts';
import * as CountryCode from './country-code.ts';
import { fold } from './fold.ts';
import * as IncludeExclude from './include-exclude.ts';
import * as PersonFilter from './person-filter.ts';
import * as Tsquery from './tsquery.ts';
import * as Words from './words.ts';

export const stepsMax = 10;
export const titlesMax = IncludeExclude.itemsMax;
const world = 'WORLD';

const isWorld = (text: string) => text.toUpperCase() === world;
const place = Schema.text({
  min: 2,
  max: world.length,
  rule: {
    holds: (text) => isWorld(text) || CountryCode.isCode(text),
    otherwise: (text) => `${CountryCode.hint(text)} ${world} means anywhere`,
    pattern: `^([A-Za-z]{2}|[Ww][Oo][Rr][Ll][Dd])$`,
    canonical: (text) => text.toUpperCase(),
  },
});

/** Titles may be searched in the headline too. */
const title = IncludeExclude.keywordOf(2);

export const step = Schema.named(
  'CascadeStep',
  Schema.object({
    include_title: Schema.about(
      'Any of these titles: `Marketing Director` finds every title with both words, `[CMO]` only exactly that title. An empty list matches every title.',
      Schema.list(title, titlesMax),
    ),
    exclude_title: Schema.about('None of these titles.', IncludeExclude.anyOf(title)),
    location: Schema.about(
      'Countries of the people, as ISO 3166-1 alpha-2 codes. `WORLD`, or leaving it out, means anywhere.',
      IncludeExclude.anyOf(place),
    ),
    include_headline_search: Schema.about(
      'True also searches the headline for included and excluded titles.',
      Schema.optional(Schema.flag(), false),
    ),
  }),
);
export type Step = Schema.Value<typeof step>;

/** Descriptions of wanted people, in order of preference. */
export const cascade = Schema.about(
  'Descriptions of the people to find, in order of preference.',
  Schema.list(step, stepsMax, 1),
);

/** Returns true if the step does not restrict the location. */
export function isAnywhere({ location }: Step): boolean {
  return location.length === 0 || location.includes(world);
}

/** Search query of one step. */
export function search(wanted: Step): Tsquery.Search {
  const titles = { include: wanted.include_title, exclude: wanted.exclude_title };
  const codes = isAnywhere(wanted) ? [] : wanted.location;
  return Tsquery.all([
    PersonFilter.titles(titles, wanted.include_headline_search),
    PersonFilter.within({ country_code: codes, continent: [], sales_region: [] }),
  ]);
}

/** Returns true if a requested title matches `text`. Same rules as `search`, which runs in the database. */
export function isFound(title: string, text: string): boolean {
  const whole = Tsquery.inBrackets(title);
  if (whole !== null) return fold(whole) === fold(text);
  const wanted = Words.ofValue(title);
  const present = Words.ofText(text);
  return wanted.length > 0 && wanted.every((word) => Words.has(present, word));
}
