import { type CompanyEntry, sizeOf } from '../entries/company.ts';
import * as Schema from '../schema/schema.ts';
import * as Enums from './enums.ts';
import * as Geography from './geography.ts';
import * as Leaf from './leaf.ts';
import * as Lexeme from './lexeme.ts';
import * as Search from './search.ts';

const employeesMinMax = 980_000;
const employeesMax = 1_000_000;
const followersMax = 10_000_000;
const amountMax = 1e15;
const yearMax = 9_999;
const foundedMax = 1e9;

/** The parts of a company's search vector. */
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
/** Each investor is a part of its own, so that a filter can ask for words of one. Later ones are not searched. */
const investorsSearchedMax = 20;
const investors = Array.from({ length: investorsSearchedMax }, (_, index) => `v${index + 1}`);
/** Where `keywords` are looked for. */
export const described = [space.about, space.specialties, space.activities, space.categories] as const;

/** Fields that filters of employers have too. */
export const industry = Schema.about(
  'Industries to the letter. `Unknown` stands for companies that have none.',
  Schema.optionalObject(
    Leaf.leaf('IndustryFilter', Schema.named('Industry', Schema.choice(Enums.industries))),
  ),
);
export const employeeCount = Schema.about(
  'Employees on the network, both ends inside; 0 leaves an end open.',
  Schema.optionalObject(Schema.range(Schema.number(0, employeesMinMax), Schema.number(0, employeesMax))),
);
export const keywords = Schema.about(
  'Phrases; all words of one phrase stand together in the description, the specialties, the activity codes or the categories.',
  Schema.optionalObject(Leaf.keywords),
);
export const seat = {
  city: Schema.about('Words of the city name.', Schema.optionalObject(Leaf.keywords)),
  state: Schema.about('Words of the state or province name.', Schema.optionalObject(Leaf.keywords)),
};

/** Which companies a caller wants. Fields combine with AND. */
export const companyFilter = Schema.named(
  'CompanyFilter',
  Schema.object({
    name: Schema.about('Words of the company name.', Schema.optionalObject(Leaf.keywords)),
    industry,
    type: Schema.about(
      'Kinds of ownership.',
      Schema.optionalObject(Leaf.leaf('CompanyTypeFilter', Schema.choice(Enums.companyTypes))),
    ),
    employee_range: Schema.about('Headcount bands.', Leaf.anyOf(Schema.choice(Enums.sizes))),
    employee_count: employeeCount,
    min_network_followers: Schema.optional(Schema.number(0, followersMax), 0),
    revenue: bounds('Yearly revenue in USD', amountMax),
    naics_code: Schema.about('NAICS codes, such as `541511`.', Schema.optionalObject(Leaf.keywords)),
    sic_code: Schema.about('SIC codes, such as `7372`.', Schema.optionalObject(Leaf.keywords)),
    web_traffic: bounds('Visits of the website a month', amountMax),
    ad_spend: bounds('Spending on search advertisements a month in USD', amountMax),
    total_funding: bounds('All funding so far in USD', amountMax),
    last_funding_amount: bounds('The last round of funding in USD', amountMax),
    last_funding_year: bounds('The year of the last round of funding', yearMax),
    last_funding_type: Schema.about(
      'Kinds of the last round of funding.',
      Schema.optionalObject(Leaf.leaf('FundingTypeFilter', Schema.choice(Enums.fundingTypes))),
    ),
    lead_investors: Schema.about('Words of the name of an investor.', Schema.optionalObject(Leaf.keywords)),
    keywords,
    founded_year: bounds('The year of foundation', foundedMax),
    hq: Schema.about(
      'The seat of the company.',
      Schema.optionalObject(
        Schema.object({
          ...seat,
          country_code: Schema.about('ISO 3166-1 alpha-2 codes in capitals.', Leaf.anyOf(Leaf.code)),
          continent: Leaf.anyOf(Schema.choice(Geography.continents)),
          sales_region: Leaf.anyOf(Schema.choice(Geography.salesRegions)),
        }),
      ),
    ),
  }),
);
export type CompanyFilter = Schema.Value<typeof companyFilter>;

/** The numbers of a company that a filter may bound, by the columns that hold them. */
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
/** Both ends are inside; 0 leaves one open. A company without the number is outside. */
export type Bounds = { measure: Measure; min: number; max: number };

/** What the database is asked: a search, and bounds on numbers. */
export type CompanyCondition = { search: Search.Search; bounds: readonly Bounds[] };

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
  return { search: Search.all([facets(filter), texts(filter)]), bounds };
}

/**
 * What the filter asks of a company's few and short words: its kind, size, seat and name. Records of others may hold
 * these of their company under a `prefix` of their own (`facetLexemes`) and so be found without it.
 */
export function facets(filter: CompanyFilter, prefix = ''): Search.Search {
  const at = (part: keyof typeof space) => prefix + space[part];
  const among = (part: keyof typeof space, values: readonly string[]) =>
    Search.leaf({ include: values }, Search.exact(at(part)));
  return Search.all([
    Search.leaf(filter.name, Search.keyword(at('name'))),
    Search.leaf(filter.industry, Search.exact(at('industry'))),
    Search.leaf(filter.type, Search.exact(at('type'))),
    among('size', filter.employee_range),
    Search.leaf(filter.hq.city, Search.keyword(at('city'))),
    Search.leaf(filter.hq.state, Search.keyword(at('state'))),
    among('countryCode', filter.hq.country_code),
    among('continent', filter.hq.continent),
    among('salesRegion', filter.hq.sales_region),
  ]);
}

/** What the filter asks of the company's longer texts and codes: the rest of its search. */
export function texts(filter: CompanyFilter): Search.Search {
  return Search.all([
    Search.leaf(filter.naics_code, Search.keyword(space.naics)),
    Search.leaf(filter.sic_code, Search.keyword(space.sic)),
    Search.leaf(filter.last_funding_type, Search.exact(space.fundingType)),
    Search.leaf(filter.lead_investors, Search.phrase(investors)),
    Search.leaf(filter.keywords, Search.phrase(described)),
  ]);
}

/** The company's search vector: the other half of `condition`. */
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

/** The other half of `facets`. Null stands for the company of those who have none. */
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

/** The words of what is said about a company, for `keywords`. */
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
    `${sentence}, both ends inside; 0 leaves an end open.`,
    Schema.optionalObject(Schema.range(end, end)),
  );
}
