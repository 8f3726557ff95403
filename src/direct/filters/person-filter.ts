import * as Person from '../entries/person.ts';
import { headline } from '../records/person.ts';
import * as Schema from '../schema/schema.ts';
import * as Enums from './enums.ts';
import * as Geography from './geography.ts';
import * as Leaf from './leaf.ts';
import * as Lexeme from './lexeme.ts';
import * as Search from './search.ts';

/** Each entry of the education is a part of its own, so that a filter can ask for words of one. Later ones are not searched. */
const educationSearchedMax = 20;

/** The parts of a person's search vector. */
const space = {
  title: 't',
  headline: 'h',
  level: 'v',
  jobFunction: 'f',
  city: 'l',
  countryCode: 'c',
  continent: 'o',
  salesRegion: 'q',
} as const;
const education = Array.from({ length: educationSearchedMax }, (_, index) => `e${index + 1}`);

export const levels = Schema.about(
  'Any of these levels. People whose level is not known are not found.',
  Leaf.anyOf(Schema.choice(Enums.jobLevels)),
);
export const functions = Schema.about(
  'Any of these functions. People whose function is not known are not found.',
  Leaf.anyOf(Schema.choice(Enums.jobFunctions)),
);
export const minConnections = Schema.about(
  'The network counts no further than 500.',
  Schema.optional(Schema.number(0, Person.connectionsMax), 0),
);
/** Where people are, by country and what lies above it. */
export const areas = {
  country_code: Schema.about(
    'ISO 3166-1 alpha-2 codes in capitals.',
    Leaf.anyOf(Schema.text({ min: 2, max: 2 })),
  ),
  continent: Leaf.anyOf(Schema.choice(Geography.continents)),
  sales_region: Leaf.anyOf(Schema.choice(Geography.salesRegions)),
};
type Areas = { country_code: string[]; continent: string[]; sales_region: string[] };

/** Which people a caller wants. Fields combine with AND. */
export const personFilter = Schema.named(
  'PersonFilter',
  Schema.object({
    job_title: Schema.about(
      'Words of the current title. `Chief Officer` finds every title that has both words; `[CEO]` only that very title, whatever its case and accents.',
      Schema.optionalObject(
        Schema.named(
          'TitleFilter',
          Schema.object({
            ...Schema.fieldsOf(Leaf.keywords),
            include_network_headline: Schema.about(
              'Whether titles, included or excluded, are looked for in the headline too.',
              Schema.optional(Schema.flag(), false),
            ),
          }),
        ),
      ),
    ),
    job_function: functions,
    job_level: levels,
    min_connections: minConnections,
    location: Schema.about(
      'Where the person is.',
      Schema.optionalObject(
        Schema.object({
          city: Schema.about('Words of the city name.', Schema.optionalObject(Leaf.keywords)),
          ...areas,
        }),
      ),
    ),
    education: Schema.about(
      'Words of one entry of the education: school, degree, field of study, years of start and end.',
      Schema.optionalObject(Leaf.keywords),
    ),
  }),
);
export type PersonFilter = Schema.Value<typeof personFilter>;

/** What the database is asked: a search, and the fewest connections; 0 asks for none. */
export type PersonCondition = { search: Search.Search; connectionsMin: number };

export function condition(filter: PersonFilter): PersonCondition {
  const { include_network_headline: withHeadline, ...wanted } = filter.job_title;
  const search = Search.all([
    titles(wanted, withHeadline),
    grades(filter),
    Search.leaf(filter.location.city, Search.keyword(space.city)),
    within(filter.location),
    Search.leaf(filter.education, Search.phrase(education)),
  ]);
  return { search, connectionsMin: filter.min_connections };
}

/** Titles, each to be found as a whole in the title or, `withHeadline`, in the headline. */
export function titles(filter: Search.Include<string>, withHeadline: boolean): Search.Search {
  const places = withHeadline ? [space.title, space.headline] : [space.title];
  return Search.leaf(filter, (value) => Search.any(places.map((place) => Search.bracketed(place)(value))));
}

export function grades(filter: { job_level: string[]; job_function: string[] }): Search.Search {
  return Search.all([
    Search.leaf({ include: filter.job_level }, Search.exact(space.level)),
    Search.leaf({ include: filter.job_function }, Search.exact(space.jobFunction)),
  ]);
}

export function within(filter: Areas): Search.Search {
  return Search.all([
    Search.leaf({ include: filter.country_code }, Search.exact(space.countryCode)),
    Search.leaf({ include: filter.continent }, Search.exact(space.continent)),
    Search.leaf({ include: filter.sales_region }, Search.exact(space.salesRegion)),
  ]);
}

/** The title that a person is found by: of the current position, else of the first. */
export function titleOf(person: Person.PersonEntry): string | null {
  return (Person.currentPosition(person) ?? person.experiences[0])?.job_title ?? null;
}

/**
 * What a person is found by, less what the current company adds (`account-filter.ts`): the other half of `condition`.
 */
export function lexemes(person: Person.PersonEntry): Lexeme.Lexeme[] {
  const tag = (name: string, value: string | null | undefined) => (value ? [Lexeme.exact(name, value)] : []);
  const text = (name: string, value: string | null) =>
    value === null ? [] : [Lexeme.whole(name, value), ...Lexeme.wordsOf(name, value)];
  const code = person.location?.country_code ?? null;
  const country = code === null ? null : Geography.country(code);
  return [
    Lexeme.every,
    ...text(space.title, titleOf(person)),
    ...text(space.headline, headline(person)),
    ...tag(space.level, person.job_level),
    ...tag(space.jobFunction, person.job_function),
    ...Lexeme.wordsOf(space.city, person.location?.city ?? null),
    ...tag(space.countryCode, code),
    ...tag(space.continent, country?.continent),
    ...tag(space.salesRegion, country?.sales_region),
    ...education.flatMap((part, index) => Lexeme.wordsOf(part, schooling(person.education?.[index]))),
  ];
}

function schooling(entry: NonNullable<Person.PersonEntry['education']>[number] | undefined): string {
  const years = [entry?.start_date, entry?.end_date].map((date) => date?.slice(0, 4));
  return [entry?.school_name, entry?.degree, entry?.field_of_study, ...years].join(' ');
}
