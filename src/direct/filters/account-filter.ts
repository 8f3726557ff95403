import type { CompanyEntry } from '../entries/company.ts';
import * as Schema from '../schema/schema.ts';
import * as CompanyFilter from './company-filter.ts';
import * as Leaf from './leaf.ts';
import type * as Lexeme from './lexeme.ts';
import * as NetworkUrl from './network-url.ts';
import * as Search from './search.ts';

/** A person holds the few and short words of the current company under this prefix, so most questions need one table. */
const prefix = '@';

/** At which companies a caller wants people. Fields combine with AND. */
export const accountFilter = Schema.named(
  'AccountFilter',
  Schema.object({
    ...Schema.fieldsOf(CompanyFilter.companyFilter),
    network_url: Schema.about('Any of these very companies.', Leaf.anyOf(NetworkUrl.companyField)),
  }),
);
export type AccountFilter = Schema.Value<typeof accountFilter>;

/** What the database is asked of people because of the companies that they work at. */
export type AccountCondition = {
  /** To the person's own search vector. */
  search: Search.Search;
  /** Bounds on the headcount, 0 for none. */
  employees: { min: number; max: number };
  /**
   * To the company itself; null asks nothing. Where only something is excluded, it is those who meet the condition that
   * are not wanted: nothing is known of people without a company that could exclude them.
   */
  company: { condition: CompanyFilter.CompanyCondition; isWanted: boolean } | null;
  /** The very companies; empty for any. */
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
  const unwanted = bounds.length === 0 ? Search.opposite(search) : null;
  return unwanted === null
    ? { condition: { search, bounds }, isWanted: true }
    : { condition: { search: unwanted, bounds }, isWanted: false };
}

/** What a person is found by through the current company, null where there is none: the other half of `search`. */
export function lexemes(company: CompanyEntry | null): Lexeme.Lexeme[] {
  return CompanyFilter.facetLexemes(company, prefix);
}
