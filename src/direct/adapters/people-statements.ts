import type { CompanyCondition } from '../filters/company-filter.ts';
import type { CompanyRef } from '../filters/network-url.ts';
import type { PersonCondition } from '../filters/person-filter.ts';
import type { PersonRef } from '../filters/person-url.ts';
import * as Search from '../filters/search.ts';
import { companiesMeeting, type IdRange } from './companies.ts';
import type { Fragment, Sql } from './database.ts';

/** A question as the tables are asked it: the headcount of companies is a stretch of their ids. */
export type Asked = {
  search: Search.Search;
  connectionsMin: number;
  size: IdRange | null;
  /** What only the table of companies knows, whether those who meet it are wanted, and whether they are few. */
  firms: { condition: CompanyCondition; isWanted: boolean; areFew: boolean } | null;
  companies: readonly CompanyRef[];
  refs: readonly PersonRef[];
};

/** The parts of statements about the people `p` of a generation. What is said to a table follows a `where`. */
export function statements(sql: Sql, generation: number) {
  /** What is asked of a person by a column or the search vector. */
  function fitting({ search, connectionsMin }: PersonCondition): Fragment {
    return sql`
      ${connectionsMin === 0 ? sql`` : sql`and p.connections >= ${Math.ceil(connectionsMin)}::int`}
      ${search === null ? sql`` : sql`and p.search @@ ${search}::tsquery`}`;
  }

  function placed({ size, companies, refs }: Asked): Fragment {
    return sql`
      ${size === null ? sql`` : sql`and p.company_id > ${size.after} and p.company_id <= ${size.upTo}`}
      ${companies.length === 0 ? sql`` : sql`and p.company_id = any(array(${named(companies)}))`}
      ${refs.length === 0 ? sql`` : sql`and (${meant(refs)})`}`;
  }

  function named(refs: readonly CompanyRef[]): Fragment {
    const slugs = refs.flatMap((ref) => (ref.kind === 'slug' ? [ref.slug] : []));
    const numbers = refs.flatMap((ref) => (ref.kind === 'number' ? [ref.number] : []));
    return sql`
      select id from direct.company
      where generation = ${generation} and (slug = any(${slugs}) or network_id = any(${numbers}::bigint[]))`;
  }

  function meant(refs: readonly PersonRef[]): Fragment {
    const slugs = refs.flatMap((ref) => (ref.kind === 'slug' ? [ref.slug] : []));
    const numbers = refs.flatMap((ref) => (ref.kind === 'member' ? [ref.number] : []));
    const tokens = (kind: 'profile' | 'sales') =>
      refs.flatMap((ref) => (ref.kind === kind ? [ref.token] : []));
    return sql`
      p.slug = any(${slugs}) or p.member_number = any(${numbers}::bigint[])
      or p.profile_token = any(${tokens('profile')}) or p.sales_token = any(${tokens('sales')})`;
  }

  function ofFirms(condition: CompanyCondition): Fragment {
    return sql`
      select c.id from direct.company c where c.generation = ${generation} ${companiesMeeting(sql, 'c', condition)}`;
  }

  /** What is asked of all companies at once. */
  function employed(firms: Asked['firms']): Fragment {
    if (firms === null) return sql``;
    const met = ofFirms(firms.condition);
    if (firms.areFew) return sql`and p.company_id = any(array(${met}))`;
    return firms.isWanted
      ? sql`and p.company_id in (${met})`
      : sql`and not exists (${met} and c.id = p.company_id)`;
  }

  /** What is asked of the company of one person after the other. */
  function employedHere(firms: Asked['firms']): Fragment {
    if (firms === null) return sql``;
    const met = sql`(${ofFirms(firms.condition)} and c.id = p.company_id)`;
    return firms.isWanted ? sql`and ${met} is not null` : sql`and ${met} is null`;
  }

  /** The question to people who come one by one. */
  function meeting(question: Asked): Fragment {
    return sql`${placed(question)} ${fitting(question)} ${employedHere(question.firms)}`;
  }

  /**
   * Everybody who is meant, with the company. The search goes by its index: read row by row, as plans by another one
   * would, the vectors take long. `is true` and `offset` keep the rest of the question from being such a way in.
   */
  function met(question: Asked): Fragment {
    const { firms, search, companies, refs } = question;
    const person = sql`select p.id, p.company_id from direct.person p where p.generation = ${generation}`;
    const areNamed = companies.length > 0 || refs.length > 0 || firms?.areFew;
    if (areNamed || search === null) {
      return sql`${person} ${placed(question)} ${fitting(question)} ${employed(firms)}`;
    }
    const found = sql`
      ${person} and p.search @@ ${Search.indexed(search)}::tsquery
      and (true ${placed(question)} ${fitting({ ...question, search: null })}) is true`;
    return firms === null ? found : sql`select * from (${found} offset 0) p where true ${employed(firms)}`;
  }

  return { meeting, met, fitting, ofFirms };
}
