import type { CompanyCondition } from '../filters/company-filter.ts';
import type { CompanyRef } from '../filters/network-url.ts';
import type { PersonCondition } from '../filters/person-filter.ts';
import type { PersonRef } from '../filters/person-url.ts';
import * as SplitSearch from '../filters/split-search.ts';
import type * as Tsquery from '../filters/tsquery.ts';
import { companiesMeeting, type IdRange } from './companies.ts';
import type { Fragment, Sql } from './database.ts';
import { searchFound } from './search-index.ts';

/** A question in terms of the tables: the bounds on headcount become a range of company ids. */
export type PeopleQuestion = {
  search: Tsquery.Search;
  connectionsMin: number;
  size: IdRange | null;
  /** Condition that needs the company table; whether matching companies are wanted or excluded; whether they are few. */
  employer: { condition: CompanyCondition; isWanted: boolean; areFew: boolean } | null;
  companies: readonly CompanyRef[];
  refs: readonly PersonRef[];
};

/** Builds SQL conditions on the people `p` of a data-set version, as `and ...` clauses. */
export function peopleStatements(sql: Sql, version: number) {
  /** Condition on the person's own columns and search vector. */
  function personMeets({ search, connectionsMin }: PersonCondition): Fragment {
    return sql`
      ${connectionsMin === 0 ? sql`` : sql`and p.connections >= ${Math.ceil(connectionsMin)}::int`}
      ${search === null ? sql`` : sql`and p.search @@ ${search}::tsquery`}`;
  }

  function employerAndRefs({ size, companies, refs }: PeopleQuestion): Fragment {
    return sql`
      ${size === null ? sql`` : sql`and p.company_id > ${size.after} and p.company_id <= ${size.upTo}`}
      ${companies.length === 0 ? sql`` : sql`and p.company_id = any(array(${companyIds(companies)}))`}
      ${refs.length === 0 ? sql`` : sql`and (${refsMatch(refs)})`}`;
  }

  function companyIds(refs: readonly CompanyRef[]): Fragment {
    const slugs = refs.flatMap((ref) => (ref.kind === 'slug' ? [ref.slug] : []));
    const numbers = refs.flatMap((ref) => (ref.kind === 'number' ? [ref.number] : []));
    return sql`
      select id from direct.company
      where version = ${version} and (slug = any(${slugs}) or network_id = any(${numbers}::bigint[]))`;
  }

  function refsMatch(refs: readonly PersonRef[]): Fragment {
    const slugs = refs.flatMap((ref) => (ref.kind === 'slug' ? [ref.slug] : []));
    const numbers = refs.flatMap((ref) => (ref.kind === 'member' ? [ref.number] : []));
    const tokens = (kind: 'profile' | 'sales') =>
      refs.flatMap((ref) => (ref.kind === kind ? [ref.token] : []));
    return sql`
      p.slug = any(${slugs}) or p.member_number = any(${numbers}::bigint[])
      or p.profile_token = any(${tokens('profile')}) or p.sales_token = any(${tokens('sales')})`;
  }

  function companiesOf(condition: CompanyCondition): Fragment {
    return sql`
      select c.id from direct.company c where c.version = ${version} ${companiesFound(condition)}`;
  }

  function companiesFound({ search, bounds }: CompanyCondition): Fragment {
    if (search === null || !SplitSearch.isLarge(search))
      return companiesMeeting(sql, 'c', { search, bounds });
    return sql`
      ${searchFound(sql, { table: 'company', alias: 'c', version }, search)}
      ${companiesMeeting(sql, 'c', { search: null, bounds })}`;
  }

  /** Condition on the employer, for statements that evaluate it once for all people. */
  function employerMeets(employer: PeopleQuestion['employer']): Fragment {
    if (employer === null) return sql``;
    const met = companiesOf(employer.condition);
    if (employer.areFew) return sql`and p.company_id = any(array(${met}))`;
    return employer.isWanted
      ? sql`and p.company_id in (${met})`
      : sql`and not exists (${met} and c.id = p.company_id)`;
  }

  /** Condition on the employer, for statements that check one person after the other. */
  function employerMeetsEach(employer: PeopleQuestion['employer']): Fragment {
    if (employer === null) return sql``;
    const met = sql`(${companiesOf(employer.condition)} and c.id = p.company_id)`;
    return employer.isWanted ? sql`and ${met} is not null` : sql`and ${met} is null`;
  }

  /** The whole question, for statements that read people in id order. */
  function meetsEach(question: PeopleQuestion): Fragment {
    return sql`${employerAndRefs(question)} ${personMeets(question)} ${employerMeetsEach(question.employer)}`;
  }

  /**
   * Statement that selects the ids and companies of all matches by the search index. Checking the search vector row by row
   * is slow, so `is true` and `offset 0` hide the other conditions from the planner, which would prefer their indexes.
   */
  function matches(question: PeopleQuestion): Fragment {
    const { employer, search, companies, refs } = question;
    const person = sql`select p.id, p.company_id from direct.person p where p.version = ${version}`;
    const isNarrowed = companies.length > 0 || refs.length > 0 || employer?.areFew;
    if (isNarrowed || search === null) {
      return sql`${person} ${employerAndRefs(question)} ${personMeets(question)} ${employerMeets(employer)}`;
    }
    const found = sql`
      ${person} ${searchFound(sql, { table: 'person', alias: 'p', version }, search)}
      and (true ${employerAndRefs(question)} ${personMeets({ ...question, search: null })}) is true`;
    return employer === null
      ? found
      : sql`select * from (${found} offset 0) p where true ${employerMeets(employer)}`;
  }

  return { meetsEach, matches, personMeets, companiesOf };
}
