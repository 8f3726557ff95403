import * as Schema from '../schema/schema.ts';
import * as Enums from './enums.ts';
import * as Leaf from './leaf.ts';
import * as Lexeme from './lexeme.ts';
import * as Search from './search.ts';

const employeesMinMax = 980_000;
const employeesMax = 1_000_000;

/** The parts of a company's search vector. */
const space = {
  industry: 'i',
  size: 'z',
  agency: 'a',
  about: 'b',
  specialties: 'p',
  activities: 'n',
  categories: 'g',
  city: 'l',
  state: 'r',
  countryCode: 'c',
} as const;
const confirmed = 'confirmed';

/** Which companies a caller of a job operation wants. Fields combine with AND. */
export const jobCompanyFilter = Schema.named(
  'JobCompanyFilter',
  Schema.object({
    is_agency: Schema.about(
      '`true`: staffing agencies only. `false`: all but confirmed agencies. Left out or null: both.',
      Schema.optional(Schema.flag(), null),
    ),
    industry: Schema.about(
      'Industries to the letter. `Unknown` stands for companies that have none.',
      Schema.optionalObject(
        Leaf.leaf('IndustryFilter', Schema.named('Industry', Schema.choice(Enums.industries))),
      ),
    ),
    employee_count: Schema.about(
      'Employees on the network, both ends inside; 0 leaves an end open.',
      Schema.optionalObject(Schema.range(Schema.number(0, employeesMinMax), Schema.number(0, employeesMax))),
    ),
    size: Schema.about(
      'Headcount bands. There is no `exclude` here.',
      Schema.optionalObject(
        Schema.object({
          include: Schema.optional(Schema.list(Schema.choice(Enums.sizes), Leaf.itemsMax), [] as string[]),
        }),
      ),
    ),
    keywords: Schema.about(
      'Phrases; all words of one phrase stand together in the description, the specialties, the activity codes or the categories.',
      Schema.optionalObject(Leaf.keywords),
    ),
    hq: Schema.about(
      'The seat of the company.',
      Schema.optionalObject(
        Schema.object({
          city: Schema.about('Words of the city name.', Schema.optionalObject(Leaf.keywords)),
          state: Schema.about('Words of the state or province name.', Schema.optionalObject(Leaf.keywords)),
          country_code: Schema.about(
            'ISO 3166-1 alpha-2 codes in capitals.',
            Schema.optionalObject(Leaf.countryCodes),
          ),
        }),
      ),
    ),
  }),
);
export type JobCompanyFilter = Schema.Value<typeof jobCompanyFilter>;

/** What the database is asked: a search, and bounds on the headcount (0 leaves one open). */
export type CompanyCondition = { search: Search.Search; employees: { min: number; max: number } };

export function condition(filter: JobCompanyFilter): CompanyCondition {
  const agency = [Search.lexeme(Lexeme.exact(space.agency, confirmed))];
  const search = Search.all([
    filter.is_agency === null ? null : filter.is_agency ? Search.any(agency) : Search.none(agency),
    Search.leaf(filter.industry, Search.exact(space.industry)),
    Search.leaf(filter.size, Search.exact(space.size)),
    Search.leaf(
      filter.keywords,
      Search.phrase([space.about, space.specialties, space.activities, space.categories]),
    ),
    Search.leaf(filter.hq.city, Search.keyword(space.city)),
    Search.leaf(filter.hq.state, Search.keyword(space.state)),
    Search.leaf(filter.hq.country_code, Search.exact(space.countryCode)),
  ]);
  return { search, employees: filter.employee_count };
}

/** What a company can be found by; null where it is not known. */
export type Findable = {
  industry: string | null;
  size: string | null;
  /** True for a confirmed staffing agency. */
  isAgency: boolean | null;
  about: string | null;
  specialties: readonly string[] | null;
  /** What its NAICS and SIC codes say in words. */
  activities: readonly string[];
  /** Category names that others file it under. */
  categories: readonly string[];
  city: string | null;
  state: string | null;
  countryCode: string | null;
};

/** The company's search vector: the other half of `condition`. */
export function lexemes(company: Findable): Lexeme.Lexeme[] {
  const tag = (name: string, value: string | null) => (value === null ? [] : [Lexeme.exact(name, value)]);
  const wordsOf = (name: string, texts: readonly string[]) =>
    texts.flatMap((text) => Lexeme.wordsOf(name, text));
  return [
    Lexeme.exact(space.industry, company.industry ?? Enums.industryUnknown),
    ...tag(space.size, company.size),
    ...tag(space.agency, company.isAgency ? confirmed : null),
    ...Lexeme.wordsOf(space.about, company.about),
    ...wordsOf(space.specialties, company.specialties ?? []),
    ...wordsOf(space.activities, company.activities),
    ...wordsOf(space.categories, company.categories),
    ...Lexeme.wordsOf(space.city, company.city),
    ...Lexeme.wordsOf(space.state, company.state),
    ...tag(space.countryCode, company.countryCode),
  ];
}
