import * as IdCache from '../filters/id-cache.ts';
import type { PersonCondition } from '../filters/person-filter.ts';
import * as SplitSearch from '../filters/split-search.ts';
import * as Tsquery from '../filters/tsquery.ts';
import type { Candidate, FoundPerson, People } from '../people/people.ts';
import type { Sql } from './database.ts';
import { peopleCounts } from './people-counts.ts';
import { type EmployerLimits, peopleEmployers } from './people-employers.ts';
import { type PeopleQuestion, peopleStatements } from './people-statements.ts';

/** Sizes at which one way of finding people becomes more expensive than another. */
export type Limits = EmployerLimits & {
  /** From this many matches on, a page is read in id order. Below, it is faster to collect all matches by index. */
  broadMin: number;
  /** The same per requested person, if other conditions than the search apply. The smaller limit counts. */
  broadMinEach: number;
  /** Maximum number of people read in id order for one page, before the index is used instead. */
  walkedMax: number;
  /** Below this many matching companies, people are found company by company. */
  fewCompaniesMax: number;
};
const limitsDefault: Limits = {
  broadMin: 7_000,
  broadMinEach: 400,
  walkedMax: 5_000,
  gatheredMax: 25_000,
  fewCompaniesMax: 1_000,
  rangeRows: [1_000, 2_000, 4_000, 8_000],
  unsearchedFactor: 5,
};

/** Reads the people of one data-set version. */
export function people(sql: Sql, version: number, limits: Limits = limitsDefault): People {
  const idsByQuestion = IdCache.create();
  const counts = peopleCounts(sql, version, idsByQuestion, limits.fewCompaniesMax);
  const employers = peopleEmployers(sql, version, counts, limits);
  const { walk, gather } = peoplePages(sql, version, idsByQuestion, limits.walkedMax);

  return {
    count: async (question) => counts.count(await counts.questionOf(question)),

    async page(question, total, after, limit) {
      if (total === 0) return [];
      const wanted = await counts.questionOf(question);
      const found = isBroad(wanted, total, limit, limits) ? await walk(wanted, after, limit) : [];
      return found.length === limit ? found : gather(wanted, total, after, limit);
    },

    countAt: counts.countAt,
    ...peopleOfCompany(sql, version),

    async employers(question, peopleMin, after, limit) {
      return employers(await counts.questionOf(question), peopleMin, after, limit);
    },
  };
}

/** Returns true if no person should be checked against the question one by one, because it has many terms. */
function isLarge({ search, employer }: PeopleQuestion): boolean {
  return SplitSearch.isLarge(search) || SplitSearch.isLarge(employer?.condition.search ?? null);
}

/** Returns true if matches are frequent enough to find a page by reading people in id order. */
function isBroad(question: PeopleQuestion, total: number, limit: number, limits: Limits): boolean {
  const { size, employer, connectionsMin, companies } = question;
  if (companies.length > 0 || isLarge(question)) return false;
  const hasConditions = size !== null || employer !== null || connectionsMin > 0;
  const { broadMin, broadMinEach } = limits;
  return total >= (hasConditions ? Math.min(broadMin, limit * broadMinEach) : broadMin);
}

/** Two ways to read a page: `walk` for broad questions, `gather` for all others. */
function peoplePages(sql: Sql, version: number, idsByQuestion: IdCache.CachedIds, walkedMax: number) {
  const { meetsEach, matches } = peopleStatements(sql, version);
  return { walk, gather };

  /** Reads up to `walkedMax` people in id order and returns those that match. */
  async function walk(question: PeopleQuestion, after: number, limit: number): Promise<FoundPerson[]> {
    return await sql<FoundPerson[]>`
      select p.id, p.record
      from (
        select * from direct.person where version = ${version} and id > ${after}
        order by id limit ${walkedMax}
      ) p
      where true ${meetsEach(question)}
      order by p.id limit ${limit}`;
  }

  /**
   * Collects all matches, then sorts them. Two materialized steps keep the planner from reading in id order instead. Up
   * to `IdCache.idsMax` ids are cached for the next pages.
   */
  async function gather(
    question: PeopleQuestion,
    total: number,
    after: number,
    limit: number,
  ): Promise<FoundPerson[]> {
    if (total > IdCache.idsMax) {
      return await sql<FoundPerson[]>`
        with met as materialized (${matches(question)}), page as materialized (
          select id from met where id > ${after} order by id limit ${limit}
        )
        select p.id, p.record
        from page join direct.person p on p.version = ${version} and p.id = page.id
        order by p.id`;
    }
    const ids = await IdCache.getOrFind(idsByQuestion, question, async () => {
      const [row] = await sql<{ ids: number[] }[]>`
        with met as materialized (${matches(question)}) select array(select id from met) as ids`;
      return row?.ids ?? [];
    });
    return await sql<FoundPerson[]>`
      select p.id, p.record from direct.person p
      where p.version = ${version} and p.id = any(${[...IdCache.page(ids, after, limit)]}::int[])
      order by p.id`;
  }
}

function peopleOfCompany(sql: Sql, version: number): Pick<People, 'pageAt' | 'cascade'> {
  const { personMeets } = peopleStatements(sql, version);
  return {
    async pageAt(companyId: number, condition: PersonCondition, offset: number, limit: number) {
      return await sql<FoundPerson[]>`
        select p.id, p.record from direct.person p
        where p.version = ${version} and p.company_id = ${companyId} ${personMeets(condition)}
        order by p.id
        offset ${offset} limit ${limit}`;
    },

    async cascade(companyId, steps, connectionsMin, limit) {
      const search = steps.includes(null) ? null : Tsquery.any(steps);
      return await sql<Candidate[]>`
        with met as materialized (
          select p.id, step.icp
          from direct.person p
          cross join lateral (
            select min(icp)::int as icp
            from unnest(${steps as (string | null)[]}::text[]) with ordinality as steps (query, icp)
            where query is null or p.search @@ query::tsquery
          ) step
          where p.version = ${version} and p.company_id = ${companyId} ${personMeets({ search, connectionsMin })}
          order by step.icp, p.id
          limit ${limit}
        )
        select p.id, p.record, met.icp
        from met join direct.person p on p.version = ${version} and p.id = met.id
        order by met.icp, p.id`;
    },
  };
}
