import type { CompanyEntry } from '../entries/company.ts';
import * as Schema from '../schema/schema.ts';
import * as CompanyFilter from './company-filter.ts';
import * as Enums from './enums.ts';
import * as Leaf from './leaf.ts';
import * as Lexeme from './lexeme.ts';
import * as Search from './search.ts';

/** A posting holds the lexemes of its employer under this prefix, so that no question about both needs two tables. */
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

/** Which employers a caller of a job operation wants. Fields combine with AND. */
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
      Schema.optionalObject(Schema.object({ include: Leaf.anyOf(Schema.choice(Enums.sizes)) })),
    ),
    keywords: CompanyFilter.keywords,
    hq: Schema.about(
      'The seat of the company.',
      Schema.optionalObject(
        Schema.object({
          ...CompanyFilter.seat,
          country_code: Schema.about(
            'ISO 3166-1 alpha-2 codes in capitals.',
            Schema.optionalObject(Leaf.countryCodes),
          ),
        }),
      ),
    ),
  }),
);
export type EmployerFilter = Schema.Value<typeof employerFilter>;

/** What the filter asks of a posting's search vector; `employee_count` is asked of the company. */
export function search(filter: EmployerFilter): Search.Search {
  const agency = [Search.lexeme(confirmedAgency)];
  return Search.all([
    filter.is_agency === null ? null : filter.is_agency ? Search.any(agency) : Search.none(agency),
    Search.leaf(filter.industry, Search.exact(space.industry)),
    Search.leaf(filter.size, Search.exact(space.size)),
    Search.leaf(filter.keywords, Search.phrase(described)),
    Search.leaf(filter.hq.city, Search.keyword(space.city)),
    Search.leaf(filter.hq.state, Search.keyword(space.state)),
    Search.leaf(filter.hq.country_code, Search.exact(space.countryCode)),
  ]);
}

/** What a posting is found by through its employer, null where none is attached: the other half of `search`. */
export function lexemes(company: CompanyEntry | null): Lexeme.Lexeme[] {
  const facets = CompanyFilter.facetLexemes(company, prefix);
  if (company === null) return facets;
  const agency = company.is_agency ? [confirmedAgency] : [];
  return [...facets, ...agency, ...CompanyFilter.describedLexemes(company, prefix)];
}
