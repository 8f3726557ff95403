import type { CompanyCondition } from '../filters/company-filter.ts';
import * as CountCache from '../filters/count-cache.ts';
import * as IdCache from '../filters/id-cache.ts';
import type { PersonCondition } from '../filters/person-filter.ts';
import * as Tsquery from '../filters/tsquery.ts';
import type { Question } from '../people/people.ts';
import { companiesOfSize } from './companies.ts';
import type { Fragment, Sql } from './database.ts';
import { type PeopleQuestion, peopleStatements } from './people-statements.ts';

export type PeopleCounts = ReturnType<typeof peopleCounts>;

/**
 * Counts people of one data-set version exactly, and caches the counts. `fewCompaniesMax` is the number of companies up
 * to which a question about employers is answered company by company.
 */
export function peopleCounts(
  sql: Sql,
  version: number,
  idsByQuestion: IdCache.CachedIds,
  fewCompaniesMax: number,
) {
  const totals = CountCache.create();
  const { matches, personMeets, companiesOf } = peopleStatements(sql, version);
  return { questionOf, count, countUpTo, countAt };

  /** Translates a question into conditions on the tables. */
  async function questionOf({ people, accounts, refs }: Question): Promise<PeopleQuestion> {
    const { company } = accounts;
    return {
      search: Tsquery.all([people.search, accounts.search]),
      connectionsMin: people.connectionsMin,
      size: await companiesOfSize(sql, version, accounts.employees),
      employer: company && { ...company, areFew: company.isWanted && (await areFew(company.condition)) },
      companies: accounts.refs,
      refs,
    };
  }

  function count(question: PeopleQuestion): Promise<number> {
    return CountCache.getOrCount(totals, question, async () => {
      const excluded = Tsquery.negated(question.search);
      if (excluded !== null) {
        return (
          (await count({ ...question, search: null })) - (await count({ ...question, search: excluded }))
        );
      }
      if (question.employer !== null && !question.employer.areFew) return countAndCacheIds(question);
      return total(sql`select count(*) as total from (${matches(question)}) met`);
    });
  }

  /** Counts the rows of a statement, but not further than `limit`. `name` identifies the statement in the cache. */
  function countUpTo(limit: number, name: unknown, rows: Fragment): Promise<number> {
    return CountCache.getOrCount(totals, ['up to', limit, name], () =>
      total(sql`select count(*) as total from (${rows} limit ${limit}) rows`),
    );
  }

  function countAt(companyId: number, condition: PersonCondition): Promise<number> {
    return CountCache.getOrCount(totals, { companyId, condition }, () =>
      total(sql`
        select count(*) as total from direct.person p
        where p.version = ${version} and p.company_id = ${companyId} ${personMeets(condition)}`),
    );
  }

  async function areFew(condition: CompanyCondition): Promise<boolean> {
    return (await countUpTo(fewCompaniesMax, condition, companiesOf(condition))) < fewCompaniesMax;
  }

  async function total(statement: Fragment): Promise<number> {
    const [row] = await sql<{ total: number }[]>`${statement}`;
    return row?.total ?? 0;
  }

  /** Counts matches and caches their ids: a question about employers is expensive, and the caller reads a page next. */
  async function countAndCacheIds(question: PeopleQuestion): Promise<number> {
    const [row] = await sql<{ total: number; ids: number[] }[]>`
      with met as materialized (${matches(question)})
      select (select count(*) from met) as total, array(select id from met limit ${IdCache.idsMax + 1}) as ids`;
    if (row && row.ids.length <= IdCache.idsMax) IdCache.put(idsByQuestion, question, row.ids);
    return row?.total ?? 0;
  }
}
