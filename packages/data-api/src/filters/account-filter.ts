import type { CompanyEntry } from '../entries/company.ts';
import * as Schema from '../schema/schema.ts';
import * as CompanyFilter from './company-filter.ts';
import * as IncludeExclude from './include-exclude.ts';
import type * as Lexeme from './lexeme.ts';
import * as NetworkUrl from './network-url.ts';
import * as Tsquery from './tsquery.ts';

/** Prefix of the employer's facets in a person's search vector. With them most searches need no join with companies. */
const prefix = '@';

/** Filter on the companies of people. Fields combine with AND. */
export const accountFilter = Schema.named(
  'AccountFilter',
  Schema.object({
    ...Schema.fieldsOf(CompanyFilter.companyFilter),
    network_url: Schema.about(
      'Any of these companies, by URL.',
      IncludeExclude.anyOf(NetworkUrl.companyField),
    ),
  }),
);
export type AccountFilter = Schema.Value<typeof accountFilter>;

/** Conditions on people that follow from a filter on their companies. */
export type AccountCondition = {
  /** Query on the person's search vector. */
  search: Tsquery.Search;
  /** Bounds on the headcount, 0 for none. */
  employees: { min: number; max: number };
  /**
   * Condition on the company; null for none. If the filter only excludes, `condition` describes the excluded companies and
   * `isWanted` is false, so that people without a company are included.
   */
  company: { condition: CompanyFilter.CompanyCondition; isWanted: boolean } | null;
  /** Companies by URL; empty for any. */
  refs: readonly NetworkUrl.CompanyRef[];
};

export function condition(filter: AccountFilter): AccountCondition {
  return {
    search: CompanyFilter.facets(filter, prefix),
    employees: filter.employee_count,
    company: ofCompany(filter),
    refs: filter.network_url.map(NetworkUrl.parsed),
  };
}

function ofCompany(filter: AccountFilter): AccountCondition['company'] {
  const search = CompanyFilter.texts(filter);
  const bounds = CompanyFilter.condition(filter).bounds.filter(
    ({ measure }) => measure !== 'employees_on_network',
  );
  if (search === null && bounds.length === 0) return null;
  const unwanted = bounds.length === 0 ? Tsquery.negated(search) : null;
  return unwanted === null
    ? { condition: { search, bounds }, isWanted: true }
    : { condition: { search: unwanted, bounds }, isWanted: false };
}

/** Lexemes that a person gets from their current company (null if there is none), matching `condition`. */
export function lexemes(company: CompanyEntry | null): Lexeme.Lexeme[] {
  return CompanyFilter.facetLexemes(company, prefix);
}
