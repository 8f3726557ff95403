import * as Schema from '../schema/schema.ts';
import * as Leaf from './leaf.ts';
import * as Lexeme from './lexeme.ts';
import * as PersonFilter from './person-filter.ts';
import * as Search from './search.ts';

export const stepsMax = 10;
export const titlesMax = Leaf.itemsMax;
const world = 'WORLD';

const place = Schema.text({
  min: 1,
  max: world.length,
  rule: {
    holds: (text) => text.length === 2 || text === world,
    otherwise: `Expected a country code of 2 letters or ${world}`,
    pattern: `^(..|${world})$`,
  },
});

const { include: titles } = Schema.fieldsOf(Leaf.keywords);

const step = Schema.named(
  'CascadeStep',
  Schema.object({
    include_title: Schema.about(
      'Any of these titles: `Marketing Director` finds every title that has both words, `[CMO]` only that very title. An empty list takes every title.',
      Schema.list(Leaf.keyword, titlesMax),
    ),
    exclude_title: Schema.about('None of these titles.', titles),
    location: Schema.about(
      'ISO 3166-1 alpha-2 codes in capitals of where people are, or `WORLD`, as if left out, for anywhere.',
      Leaf.anyOf(place),
    ),
    include_headline_search: Schema.about(
      'Whether titles, included or excluded, are looked for in the headline too.',
      Schema.optional(Schema.flag(), false),
    ),
  }),
);
export type Step = Schema.Value<typeof step>;

/** Whom to look for, in the order in which they are wanted. */
export const cascade = Schema.about('Whom to look for: the best first.', Schema.list(step, stepsMax, 1));

/** What the database is asked for one step. */
export function search(wanted: Step): Search.Search {
  const titles = { include: wanted.include_title, exclude: wanted.exclude_title };
  const codes = wanted.location.includes(world) ? [] : wanted.location;
  return Search.all([
    PersonFilter.titles(titles, wanted.include_headline_search),
    PersonFilter.within({ country_code: codes, continent: [], sales_region: [] }),
  ]);
}

/** Whether a title asked for is found in `text`: what `search` asks of the database, asked of one text here. */
export function isFound(title: string, text: string): boolean {
  const whole = Search.inBrackets(title);
  if (whole !== null) return Lexeme.fold(whole) === Lexeme.fold(text);
  const words = Lexeme.words(title);
  const present = Lexeme.words(text);
  return words.length > 0 && words.every((word) => present.includes(word));
}
