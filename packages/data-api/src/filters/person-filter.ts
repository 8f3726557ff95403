import * as Person from '../entries/person.ts';
import { headline } from '../records/person.ts';
import * as Schema from '../schema/schema.ts';
import * as CountryCode from './country-code.ts';
import * as Enums from './enums.ts';
import * as Geography from './geography.ts';
import * as IncludeExclude from './include-exclude.ts';
import * as Lexeme from './lexeme.ts';
import * as Tsquery from './tsquery.ts';

/** Each education entry is a separate part, so that all words of a filter must match one of them. Later ones are not searched. */
const educationSearchedMax = 20;
/** Titles are searched in the title and, on request, in the headline. */
const titlePartsMax = 2;

/** Prefixes of the parts of a person's search vector. */
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
  'Any of these levels. People with an unknown level do not match.',
  IncludeExclude.anyOf(Schema.choice(Enums.jobLevels)),
);
export const functions = Schema.about(
  'Any of these functions. People with an unknown function do not match.',
  IncludeExclude.anyOf(Schema.choice(Enums.jobFunctions)),
);
export const minConnections = Schema.about(
  'Minimum number of connections. The network counts up to 500.',
  Schema.optional(Schema.number(0, Person.connectionsMax), 0),
);
/** Filter fields on the location of people, from country upwards. */
export const areas = {
  country_code: Schema.about('ISO 3166-1 alpha-2 codes.', IncludeExclude.anyOf(CountryCode.field)),
  continent: IncludeExclude.anyOf(Schema.choice(Geography.continents)),
  sales_region: IncludeExclude.anyOf(Schema.choice(Geography.salesRegions)),
};
type Areas = { country_code: string[]; continent: string[]; sales_region: string[] };

/** Filter on people. Fields combine with AND. */
export const personFilter = Schema.named(
  'PersonFilter',
  Schema.object({
    job_title: Schema.about(
      'Words of the current title. `Chief Officer` finds every title with both words; `[CEO]` only exactly that title, ignoring case and accents.',
      Schema.optionalObject(
        Schema.named(
          'TitleFilter',
          Schema.object({
            ...Schema.fieldsOf(IncludeExclude.keywordsIn(titlePartsMax)),
            include_network_headline: Schema.about(
              'True also searches the headline for included and excluded titles.',
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
      'Location of the person.',
      Schema.optionalObject(
        Schema.object({
          city: Schema.about('Words of the city name.', Schema.optionalObject(IncludeExclude.keywords)),
          ...areas,
        }),
      ),
    ),
    education: Schema.about(
      'Words of one education entry: school, degree, field of study, start and end year.',
      Schema.optionalObject(IncludeExclude.keywordsIn(educationSearchedMax)),
    ),
  }),
);
export type PersonFilter = Schema.Value<typeof personFilter>;

/** A filter as a search query and a minimum number of connections. */
export type PersonCondition = { search: Tsquery.Search; connectionsMin: number };

export function condition(filter: PersonFilter): PersonCondition {
  const { include_network_headline: withHeadline, ...wanted } = filter.job_title;
  const search = Tsquery.all([
    titles(wanted, withHeadline),
    grades(filter),
    Tsquery.includeExclude(filter.location.city, Tsquery.keyword(space.city)),
    within(filter.location),
    Tsquery.includeExclude(filter.education, Tsquery.phrase(education)),
  ]);
  return { search, connectionsMin: filter.min_connections };
}

/** Query for titles. All words of a title must occur in the current title or, if `withHeadline`, in the headline. */
export function titles(filter: Tsquery.Include<string>, withHeadline: boolean): Tsquery.Search {
  const places = withHeadline ? [space.title, space.headline] : [space.title];
  return Tsquery.includeExclude(filter, (value) =>
    Tsquery.any(places.map((place) => Tsquery.bracketed(place)(value))),
  );
}

export function grades(filter: { job_level: string[]; job_function: string[] }): Tsquery.Search {
  return Tsquery.all([
    Tsquery.includeExclude({ include: filter.job_level }, Tsquery.exact(space.level)),
    Tsquery.includeExclude({ include: filter.job_function }, Tsquery.exact(space.jobFunction)),
  ]);
}

export function within(filter: Areas): Tsquery.Search {
  return Tsquery.all([
    Tsquery.includeExclude({ include: filter.country_code }, Tsquery.exact(space.countryCode)),
    Tsquery.includeExclude({ include: filter.continent }, Tsquery.exact(space.continent)),
    Tsquery.includeExclude({ include: filter.sales_region }, Tsquery.exact(space.salesRegion)),
  ]);
}

/** Searched title of a person: that of the current position, otherwise of the first. */
export function titleOf(person: Person.PersonEntry): string | null {
  return (Person.currentPosition(person) ?? person.experiences[0])?.job_title ?? null;
}

/**
 * Lexemes of a person, matching `condition`, without those of the current company (`account-filter.ts`).
 */
export function lexemes(person: Person.PersonEntry): Lexeme.Lexeme[] {
  const tag = (name: string, value: string | null | undefined) => (value ? [Lexeme.exact(name, value)] : []);
  const text = (name: string, value: string | null) =>
    value === null ? [] : [Lexeme.exactField(name, value), ...Lexeme.wordsOf(name, value)];
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
    ...education.flatMap((part, index) => schooling(part, person.education?.[index])),
  ];
}

/** Words of a school, field by field, because a school recurs but its years at one school rarely do. */
function schooling(
  part: string,
  entry: NonNullable<Person.PersonEntry['education']>[number] | undefined,
): Lexeme.Lexeme[] {
  if (entry === undefined) return [];
  const { school_name, degree, field_of_study, start_date, end_date } = entry;
  const texts = [school_name, degree, field_of_study, start_date?.slice(0, 4), end_date?.slice(0, 4)];
  return texts.flatMap((text) => Lexeme.wordsOf(part, text ?? null));
}
