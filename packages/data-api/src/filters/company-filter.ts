import { type CompanyEntry, sizeOf } from '../entries/company.ts';
import * as Schema from '../schema/schema.ts';
import * as CountryCode from './country-code.ts';
import * as Enums from './enums.ts';
import * as Geography from './geography.ts';
import * as IncludeExclude from './include-exclude.ts';
import * as Lexeme from './lexeme.ts';
import * as Tsquery from './tsquery.ts';

const employeesMinMax = 980_000;
const employeesMax = 1_000_000;
const followersMax = 10_000_000;
const amountMax = 1e15;
const yearMax = 9_999;
const foundedMax = 1e9;

/** Prefixes of the parts of a company's search vector. */
export const space = {
  name: 'm',
  industry: 'i',
  type: 't',
  size: 'z',
  about: 'b',
  specialties: 'p',
  activities: 'n',
  categories: 'g',
  naics: 'nc',
  sic: 'sc',
  fundingType: 'f',
  city: 'l',
  state: 'r',
  countryCode: 'c',
  continent: 'o',
  salesRegion: 'q',
} as const;
/** Each investor is a separate part, so that all words of a filter must match one of them. Later ones are not searched. */
const investorsSearchedMax = 20;
const investors = Array.from({ length: investorsSearchedMax }, (_, index) => `v${index + 1}`);
/** Parts searched by `keywords`. */
export const described = [space.about, space.specialties, space.activities, space.categories] as const;

/** Fields shared with the filter on employers of jobs. */
export const industry = Schema.about(
  'Exact industry names. `Unknown` matches companies without an industry.',
  Schema.optionalObject(
    IncludeExclude.filter('IndustryFilter', Schema.named('Industry', Schema.choice(Enums.industries))),
  ),
);
export const employeeCount = Schema.about(
  'Employees on the network, bounds included; 0 means no bound.',
  Schema.optionalObject(Schema.range(Schema.number(0, employeesMinMax), Schema.number(0, employeesMax))),
);
export const keywords = Schema.about(
  'Phrases. All words of a phrase must occur in the same field: the description, the specialties, the activity codes or the categories.',
  Schema.optionalObject(IncludeExclude.keywordsIn(described.length)),
);
export const seat = {
  city: Schema.about('Words of the city name.', Schema.optionalObject(IncludeExclude.keywords)),
  state: Schema.about('Words of the state or province name.', Schema.optionalObject(IncludeExclude.keywords)),
};

/** Filter on companies. Fields combine with AND. */
export const companyFilter = Schema.named(
  'CompanyFilter',
  Schema.object({
    name: Schema.about('Words of the company name.', Schema.optionalObject(IncludeExclude.keywords)),
    industry,
    type: Schema.about(
      'Kinds of ownership.',
      Schema.optionalObject(IncludeExclude.filter('CompanyTypeFilter', Schema.choice(Enums.companyTypes))),
    ),
    employee_range: Schema.about('Headcount bands.', IncludeExclude.anyOf(Schema.choice(Enums.sizes))),
    employee_count: employeeCount,
    min_network_followers: Schema.optional(Schema.number(0, followersMax), 0),
    revenue: bounds('Yearly revenue in USD', amountMax),
    naics_code: Schema.about(
      'NAICS codes, such as `541511`.',
      Schema.optionalObject(IncludeExclude.keywords),
    ),
    sic_code: Schema.about('SIC codes, such as `7372`.', Schema.optionalObject(IncludeExclude.keywords)),
    web_traffic: bounds('Visits of the website per month', amountMax),
    ad_spend: bounds('Spending on search ads per month in USD', amountMax),
    total_funding: bounds('All funding so far in USD', amountMax),
    last_funding_amount: bounds('The last round of funding in USD', amountMax),
    last_funding_year: bounds('The year of the last round of funding', yearMax),
    last_funding_type: Schema.about(
      'Kinds of the last round of funding.',
      Schema.optionalObject(IncludeExclude.filter('FundingTypeFilter', Schema.choice(Enums.fundingTypes))),
    ),
    lead_investors: Schema.about(
      'Words of the name of an investor.',
      Schema.optionalObject(IncludeExclude.keywordsIn(investorsSearchedMax)),
    ),
    keywords,
    founded_year: bounds('The year of foundation', foundedMax),
    hq: Schema.about(
      'The headquarters of the company.',
      Schema.optionalObject(
        Schema.object({
          ...seat,
          country_code: Schema.about('ISO 3166-1 alpha-2 codes.', IncludeExclude.anyOf(CountryCode.field)),
          continent: IncludeExclude.anyOf(Schema.choice(Geography.continents)),
          sales_region: IncludeExclude.anyOf(Schema.choice(Geography.salesRegions)),
        }),
      ),
    ),
  }),
);
export type CompanyFilter = Schema.Value<typeof companyFilter>;

/** Columns of companies with numeric bounds. */
export type Measure =
  | 'employees_on_network'
  | 'followers'
  | 'revenue'
  | 'web_traffic'
  | 'ad_spend'
  | 'total_funding'
  | 'last_funding_amount'
  | 'last_funding_year'
  | 'founded_year';
/** Inclusive bounds; 0 means no bound. Companies without the number do not match. */
export type Bounds = { measure: Measure; min: number; max: number };

/** A filter as a search query and numeric bounds. */
export type CompanyCondition = { search: Tsquery.Search; bounds: readonly Bounds[] };

export function condition(filter: CompanyFilter): CompanyCondition {
  const measured: Record<Measure, { min: number; max: number }> = {
    employees_on_network: filter.employee_count,
    followers: { min: filter.min_network_followers, max: 0 },
    revenue: filter.revenue,
    web_traffic: filter.web_traffic,
    ad_spend: filter.ad_spend,
    total_funding: filter.total_funding,
    last_funding_amount: filter.last_funding_amount,
    last_funding_year: filter.last_funding_year,
    founded_year: filter.founded_year,
  };
  const bounds = Object.entries(measured)
    .map(([measure, range]) => ({ measure: measure as Measure, ...range }))
    .filter(({ min, max }) => min > 0 || max > 0);
  return { search: Tsquery.all([facets(filter), texts(filter)]), bounds };
}

/**
 * Query on the short fields of a company: name, industry, type, size and headquarters. People and jobs repeat these
 * lexemes of their company under a `prefix` (`facetLexemes`), so that they can be searched without a join.
 */
export function facets(filter: CompanyFilter, prefix = ''): Tsquery.Search {
  const at = (part: keyof typeof space) => prefix + space[part];
  const among = (part: keyof typeof space, values: readonly string[]) =>
    Tsquery.includeExclude({ include: values }, Tsquery.exact(at(part)));
  return Tsquery.all([
    Tsquery.includeExclude(filter.name, Tsquery.keyword(at('name'))),
    Tsquery.includeExclude(filter.industry, Tsquery.exact(at('industry'))),
    Tsquery.includeExclude(filter.type, Tsquery.exact(at('type'))),
    among('size', filter.employee_range),
    Tsquery.includeExclude(filter.hq.city, Tsquery.keyword(at('city'))),
    Tsquery.includeExclude(filter.hq.state, Tsquery.keyword(at('state'))),
    among('countryCode', filter.hq.country_code),
    among('continent', filter.hq.continent),
    among('salesRegion', filter.hq.sales_region),
  ]);
}

/** Query on the longer texts and codes of a company: the rest of the filter. */
export function texts(filter: CompanyFilter): Tsquery.Search {
  return Tsquery.all([
    Tsquery.includeExclude(filter.naics_code, Tsquery.keyword(space.naics)),
    Tsquery.includeExclude(filter.sic_code, Tsquery.keyword(space.sic)),
    Tsquery.includeExclude(filter.last_funding_type, Tsquery.exact(space.fundingType)),
    Tsquery.includeExclude(filter.lead_investors, Tsquery.phrase(investors)),
    Tsquery.includeExclude(filter.keywords, Tsquery.phrase(described)),
  ]);
}

/** Lexemes of a company's search vector, matching `condition`. */
export function lexemes(company: CompanyEntry): Lexeme.Lexeme[] {
  return [
    Lexeme.every,
    ...facetLexemes(company),
    ...describedLexemes(company),
    ...wordsOf(space.naics, company.naics_codes),
    ...wordsOf(space.sic, company.sic_codes),
    ...tag(space.fundingType, company.last_funding_type),
    ...investors.flatMap((part, index) => Lexeme.wordsOf(part, company.lead_investors[index] ?? null)),
  ];
}

/** Lexemes that match `facets`. Null is an unknown company. */
export function facetLexemes(company: CompanyEntry | null, prefix = ''): Lexeme.Lexeme[] {
  const industry = company?.industry ?? Enums.industryUnknown;
  if (company === null) return tag(prefix + space.industry, industry);
  const code = company.hq?.country_code ?? null;
  const country = code === null ? null : Geography.country(code);
  return [
    ...Lexeme.wordsOf(prefix + space.name, company.name),
    ...tag(prefix + space.industry, industry),
    ...tag(prefix + space.type, company.type),
    ...tag(prefix + space.size, sizeOf(company)),
    ...Lexeme.wordsOf(prefix + space.city, company.hq?.city ?? null),
    ...Lexeme.wordsOf(prefix + space.state, company.hq?.state ?? null),
    ...tag(prefix + space.countryCode, code),
    ...tag(prefix + space.continent, country?.continent),
    ...tag(prefix + space.salesRegion, country?.sales_region),
  ];
}

/** Lexemes of a company's descriptive texts, searched by `keywords`. */
export function describedLexemes(company: CompanyEntry, prefix = ''): Lexeme.Lexeme[] {
  return [
    ...Lexeme.wordsOf(prefix + space.about, company.about),
    ...wordsOf(prefix + space.specialties, company.specialties ?? []),
    ...wordsOf(prefix + space.activities, company.activities),
    ...wordsOf(prefix + space.categories, company.categories),
  ];
}

function tag(name: string, value: string | null | undefined): Lexeme.Lexeme[] {
  return value === null || value === undefined ? [] : [Lexeme.exact(name, value)];
}

function wordsOf(name: string, texts: readonly string[]): Lexeme.Lexeme[] {
  return texts.flatMap((text) => Lexeme.wordsOf(name, text));
}

function bounds(sentence: string, max: number) {
  const end = Schema.number(0, max);
  return Schema.about(
    `${sentence}, bounds included; 0 means no bound.`,
    Schema.optionalObject(Schema.range(end, end)),
  );
}
