import type { CompanyEntry } from '../entries/company.ts';
import * as Schema from '../schema/schema.ts';
import * as CompanyFilter from './company-filter.ts';
import * as Enums from './enums.ts';
import * as IncludeExclude from './include-exclude.ts';
import * as Lexeme from './lexeme.ts';
import * as Tsquery from './tsquery.ts';

/** Prefix of the employer's lexemes in a posting's search vector, so that no search needs a join with companies. */
const prefix = '@';
const space = {
  agency: `${prefix}a`,
  industry: prefix + CompanyFilter.space.industry,
  size: prefix + CompanyFilter.space.size,
  city: prefix + CompanyFilter.space.city,
  state: prefix + CompanyFilter.space.state,
  countryCode: prefix + CompanyFilter.space.countryCode,
} as const;
const described = CompanyFilter.described.map((part) => prefix + part);
const confirmedAgency = Lexeme.exact(space.agency, 'confirmed');

/** Filter on the employers of jobs. Fields combine with AND. */
export const employerFilter = Schema.named(
  'JobCompanyFilter',
  Schema.object({
    is_agency: Schema.about(
      '`true`: staffing agencies only. `false`: all but confirmed agencies. Left out or null: both.',
      Schema.optional(Schema.flag(), null),
    ),
    industry: CompanyFilter.industry,
    employee_count: CompanyFilter.employeeCount,
    size: Schema.about(
      'Headcount bands. There is no `exclude` here.',
      Schema.optionalObject(Schema.object({ include: IncludeExclude.anyOf(Schema.choice(Enums.sizes)) })),
    ),
    keywords: CompanyFilter.keywords,
    hq: Schema.about(
      'The headquarters of the company.',
      Schema.optionalObject(
        Schema.object({
          ...CompanyFilter.seat,
          country_code: Schema.about(
            'ISO 3166-1 alpha-2 codes.',
            Schema.optionalObject(IncludeExclude.countryCodes),
          ),
        }),
      ),
    ),
  }),
);
export type EmployerFilter = Schema.Value<typeof employerFilter>;

/** Query on a posting's search vector. `employee_count` is not part of it: it is a condition on the company. */
export function search(filter: EmployerFilter): Tsquery.Search {
  const agency = [Tsquery.lexeme(confirmedAgency)];
  return Tsquery.all([
    filter.is_agency === null ? null : filter.is_agency ? Tsquery.any(agency) : Tsquery.none(agency),
    Tsquery.includeExclude(filter.industry, Tsquery.exact(space.industry)),
    Tsquery.includeExclude(filter.size, Tsquery.exact(space.size)),
    Tsquery.includeExclude(filter.keywords, Tsquery.phrase(described)),
    Tsquery.includeExclude(filter.hq.city, Tsquery.keyword(space.city)),
    Tsquery.includeExclude(filter.hq.state, Tsquery.keyword(space.state)),
    Tsquery.includeExclude(filter.hq.country_code, Tsquery.exact(space.countryCode)),
  ]);
}

/** Lexemes that a posting gets from its employer (null if unknown), matching `search`. */
export function lexemes(company: CompanyEntry | null): Lexeme.Lexeme[] {
  const facets = CompanyFilter.facetLexemes(company, prefix);
  if (company === null) return facets;
  const agency = company.is_agency ? [confirmedAgency] : [];
  return [...facets, ...agency, ...CompanyFilter.describedLexemes(company, prefix)];
}
