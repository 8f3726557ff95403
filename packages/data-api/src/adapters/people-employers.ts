import * as SplitSearch from '../filters/split-search.ts';
import * as Tsquery from '../filters/tsquery.ts';
import type { Employer, EmployerPage } from '../people/people.ts';
import type { Sql } from './database.ts';
import * as EmployerPages from './employer-pages.ts';
import type { PeopleCounts } from './people-counts.ts';
import { type PeopleQuestion, peopleStatements } from './people-statements.ts';

export type EmployerLimits = {
  /** Below this many matches of the search, all of them are counted by company at once. */
  gatheredMax: number;
  /** Otherwise: number of people counted by company at a time, until the page is full. */
  rangeRows: readonly number[];
  /** Ranges are larger by this factor if there is neither a search vector nor a company to read for each person. */
  unsearchedFactor: number;
};

/** Counts people by company in one data-set version. */
export function peopleEmployers(sql: Sql, version: number, counts: PeopleCounts, limits: EmployerLimits) {
  const { meetsEach, matches } = peopleStatements(sql, version);

  return async function employers(
    question: PeopleQuestion,
    peopleMin: number,
    after: number,
    limit: number,
  ): Promise<EmployerPage> {
    if (await isNarrow(question, peopleMin)) {
      const found = await countAll(question, peopleMin, after, limit + 1);
      return EmployerPages.pageOf(found, limit, null);
    }
    const counter: EmployerPages.RangeCounter<Employer> = {
      rangeRows: limits.rangeRows,
      endOfRange: (from, rows) => endOfRange(question, from, rows),
      countRange: (from, upTo) => countRange(question, peopleMin, from, upTo),
    };
    return EmployerPages.pageByRanges(counter, after, limit);
  };

  /**
   * Returns true if all matches can be collected quickly. With a minimum per company more matches are worth collecting,
   * because the companies that reach it are far apart in the order of ids.
   */
  async function isNarrow(question: PeopleQuestion, peopleMin: number): Promise<boolean> {
    const { search, employer, companies, refs } = question;
    if ([search, employer?.condition.search ?? null].some(SplitSearch.isLarge)) return true;
    if (companies.length > 0 || refs.length > 0 || employer?.areFew) return true;
    if (search === null || Tsquery.negated(search) !== null) return false;
    const searchOnly = { ...question, search, connectionsMin: 0, size: null, employer: null };
    const limit = limits.gatheredMax * (peopleMin > 1 ? 2 : 1);
    return (await counts.countUpTo(limit, search, matches(searchOnly))) < limit;
  }

  async function countAll(
    question: PeopleQuestion,
    peopleMin: number,
    after: number,
    limit: number,
  ): Promise<Employer[]> {
    return await sql<Employer[]>`
      with met as materialized (${matches(question)})
      select company_id as "companyId", count(*) as "matchedPeople" from met where company_id > ${after}
      group by company_id having count(*) >= ${peopleMin} order by company_id limit ${limit}`;
  }

  async function endOfRange(
    { search, employer, size }: PeopleQuestion,
    after: number,
    rows: number,
  ): Promise<number | null> {
    const factor = search === null && employer === null ? limits.unsearchedFactor : 1;
    const [row] = await sql<{ company_id: number }[]>`
      select company_id from direct.person
      where version = ${version} and company_id > ${Math.max(after, size?.after ?? 0)}
      order by company_id offset ${rows * factor} limit 1`;
    return row && row.company_id < (size?.upTo ?? Infinity) ? row.company_id : null;
  }

  async function countRange(
    question: PeopleQuestion,
    peopleMin: number,
    after: number,
    upTo: number | null,
  ): Promise<Employer[]> {
    return await sql<Employer[]>`
      select p.company_id as "companyId", count(*) as "matchedPeople"
      from (
        select * from direct.person
        where version = ${version} and company_id > ${Math.max(after, question.size?.after ?? 0)}
          ${upTo === null ? sql`` : sql`and company_id <= ${upTo}`}
        offset 0
      ) p
      where true ${meetsEach(question)}
      group by p.company_id having count(*) >= ${peopleMin} order by p.company_id`;
  }
}
