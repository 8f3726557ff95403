import type { CompanyCondition } from '../filters/company-filter.ts';
import * as KeptIds from '../filters/kept-ids.ts';
import * as Search from '../filters/search.ts';
import * as Totals from '../filters/totals.ts';
import type { Candidate, Employer, EmployerPage, FoundPerson, People, Question } from '../people/people.ts';
import { companiesOfSize } from './companies.ts';
import type { Fragment, Sql } from './database.ts';
import { type Asked, statements } from './people-statements.ts';

/** Where one way of finding people becomes dearer than another. */
export type Limits = {
  /** From so many matches on, a page is found along the order; below, the search gives all of them faster. */
  broadMin: number;
  /** The same, for each one of the page, where the search gives many more than are meant. */
  broadMinEach: number;
  /** How many people a page is looked for among before the search is asked after all. */
  walkedMax: number;
  /** Below so many matches of the search, people are counted by company all at once. */
  gatheredMax: number;
  /** Below so many companies, their people are looked at one by one. */
  fewFirmsMax: number;
  /** How many people are otherwise counted at once, at first and then; where nothing is to be read for each, more. */
  stretches: readonly number[];
  unreadFactor: number;
};
const usual: Limits = {
  broadMin: 7_000,
  broadMinEach: 400,
  walkedMax: 5_000,
  gatheredMax: 25_000,
  fewFirmsMax: 1_000,
  stretches: [1_000, 2_000, 4_000, 8_000],
  unreadFactor: 5,
};

/** The people of one generation. */
export function people(sql: Sql, generation: number, limits: Limits = usual): People {
  const totals = Totals.create();
  const kept = KeptIds.create();
  const { meeting, met, fitting, ofFirms } = statements(sql, generation);

  async function asked({ people, accounts, refs }: Question): Promise<Asked> {
    const { company } = accounts;
    return {
      search: Search.all([people.search, accounts.search]),
      connectionsMin: people.connectionsMin,
      size: await companiesOfSize(sql, generation, accounts.employees),
      firms: company && { ...company, areFew: company.isWanted && (await areFew(company.condition)) },
      companies: accounts.refs,
      refs,
    };
  }

  async function areFew(condition: CompanyCondition): Promise<boolean> {
    return (await upTo(limits.fewFirmsMax, condition, ofFirms(condition))) < limits.fewFirmsMax;
  }

  /** How many rows there are, counting no further than `limit`. */
  function upTo(limit: number, name: unknown, rows: Fragment): Promise<number> {
    return Totals.of(totals, ['up to', limit, name], () =>
      total(sql`select count(*) as total from (${rows} limit ${limit}) rows`),
    );
  }

  async function total(statement: Fragment): Promise<number> {
    const [row] = await sql<{ total: number }[]>`${statement}`;
    return row?.total ?? 0;
  }

  function count(question: Asked): Promise<number> {
    return Totals.of(totals, question, async () => {
      const excluded = Search.opposite(question.search);
      if (excluded !== null) {
        return (
          (await count({ ...question, search: null })) - (await count({ ...question, search: excluded }))
        );
      }
      if (question.firms !== null && !question.firms.areFew) return countAndKeep(question);
      return total(sql`select count(*) as total from (${met(question)}) met`);
    });
  }

  /** Who works at companies that meet a condition is dear to find: whoever counts them is about to ask who they are. */
  async function countAndKeep(question: Asked): Promise<number> {
    const [row] = await sql<{ total: number; ids: number[] }[]>`
      with met as materialized (${met(question)})
      select (select count(*) from met) as total, array(select id from met limit ${KeptIds.idsMax + 1}) as ids`;
    if (row && row.ids.length <= KeptIds.idsMax) KeptIds.put(kept, question, row.ids);
    return row?.total ?? 0;
  }

  /** Whether those who are meant stand close enough together in the order. */
  function isBroad({ size, firms, connectionsMin, companies }: Asked, total: number, limit: number): boolean {
    if (companies.length > 0) return false;
    const isMore = size !== null || firms !== null || connectionsMin > 0;
    return total >= (isMore ? Math.min(limits.broadMin, limit * limits.broadMinEach) : limits.broadMin);
  }

  /** Looks through people in order, no further than `walkedMax`. */
  async function walk(question: Asked, after: number, limit: number): Promise<FoundPerson[]> {
    return await sql<FoundPerson[]>`
      select p.id, p.record
      from (
        select * from direct.person where generation = ${generation} and id > ${after}
        order by id limit ${limits.walkedMax}
      ) p
      where true ${meeting(question)}
      order by p.id limit ${limit}`;
  }

  /** Finds all who are meant, in two steps, so that no plan mixes them up. Those that are few enough are kept for the next page. */
  async function gather(
    question: Asked,
    total: number,
    after: number,
    limit: number,
  ): Promise<FoundPerson[]> {
    if (total > KeptIds.idsMax) {
      return await sql<FoundPerson[]>`
        with met as materialized (${met(question)}), page as materialized (
          select id from met where id > ${after} order by id limit ${limit}
        )
        select p.id, p.record
        from page join direct.person p on p.generation = ${generation} and p.id = page.id
        order by p.id`;
    }
    const ids = await KeptIds.of(kept, question, async () => {
      const [row] = await sql<{ ids: number[] }[]>`
        with met as materialized (${met(question)}) select array(select id from met) as ids`;
      return row?.ids ?? [];
    });
    return await sql<FoundPerson[]>`
      select p.id, p.record from direct.person p
      where p.generation = ${generation} and p.id = any(${[...KeptIds.page(ids, after, limit)]}::int[])
      order by p.id`;
  }

  /** Whether all who are meant are soon found. A floor makes more worth it, as those who pass it stand far apart. */
  async function isNarrow(question: Asked, peopleMin: number): Promise<boolean> {
    const { search, firms, companies, refs } = question;
    if (companies.length > 0 || refs.length > 0 || firms?.areFew) return true;
    if (search === null || Search.opposite(search) !== null) return false;
    const wide = { ...question, search, connectionsMin: 0, size: null, firms: null };
    const most = limits.gatheredMax * (peopleMin > 1 ? 2 : 1);
    return (await upTo(most, search, met(wide))) < most;
  }

  async function gatherEmployers(
    question: Asked,
    peopleMin: number,
    after: number,
    limit: number,
  ): Promise<Employer[]> {
    return await sql<Employer[]>`
      with met as materialized (${met(question)})
      select company_id as "companyId", count(*) as "matchedPeople" from met where company_id > ${after}
      group by company_id having count(*) >= ${peopleMin} order by company_id limit ${limit}`;
  }

  /** The company up to which to count next; null where the rest is short. */
  async function endOfStretch(
    { search, firms, size }: Asked,
    after: number,
    length: number,
  ): Promise<number | null> {
    const factor = search === null && firms === null ? limits.unreadFactor : 1;
    const [row] = await sql<{ company_id: number }[]>`
      select company_id from direct.person
      where generation = ${generation} and company_id > ${Math.max(after, size?.after ?? 0)}
      order by company_id offset ${length * factor} limit 1`;
    return row && row.company_id < (size?.upTo ?? Infinity) ? row.company_id : null;
  }

  async function countEmployers(
    question: Asked,
    peopleMin: number,
    after: number,
    upTo: number | null,
  ): Promise<Employer[]> {
    return await sql<Employer[]>`
      select p.company_id as "companyId", count(*) as "matchedPeople"
      from (
        select * from direct.person
        where generation = ${generation} and company_id > ${Math.max(after, question.size?.after ?? 0)}
          ${upTo === null ? sql`` : sql`and company_id <= ${upTo}`}
        offset 0
      ) p
      where true ${meeting(question)}
      group by p.company_id having count(*) >= ${peopleMin} order by p.company_id`;
  }

  return {
    count: async (question) => count(await asked(question)),

    async page(question, total, after, limit) {
      if (total === 0) return [];
      const wanted = await asked(question);
      const found = isBroad(wanted, total, limit) ? await walk(wanted, after, limit) : [];
      return found.length === limit ? found : gather(wanted, total, after, limit);
    },

    countAt: (companyId, condition) =>
      Totals.of(totals, { companyId, condition }, () =>
        total(sql`
          select count(*) as total from direct.person p
          where p.generation = ${generation} and p.company_id = ${companyId} ${fitting(condition)}`),
      ),

    async pageAt(companyId, condition, offset, limit) {
      return await sql<FoundPerson[]>`
        select p.id, p.record from direct.person p
        where p.generation = ${generation} and p.company_id = ${companyId} ${fitting(condition)}
        order by p.id
        offset ${offset} limit ${limit}`;
    },

    async cascade(companyId, steps, connectionsMin, limit) {
      const search = steps.includes(null) ? null : Search.any(steps);
      return await sql<Candidate[]>`
        with met as materialized (
          select p.id, step.icp
          from direct.person p
          cross join lateral (
            select min(icp)::int as icp
            from unnest(${steps as (string | null)[]}::text[]) with ordinality as steps (query, icp)
            where query is null or p.search @@ query::tsquery
          ) step
          where p.generation = ${generation} and p.company_id = ${companyId} ${fitting({ search, connectionsMin })}
          order by step.icp, p.id
          limit ${limit}
        )
        select p.id, p.record, p.title, met.icp
        from met join direct.person p on p.generation = ${generation} and p.id = met.id
        order by met.icp, p.id`;
    },

    async employers(question, peopleMin, after, limit) {
      const wanted = await asked(question);
      if (await isNarrow(wanted, peopleMin)) {
        return employerPage(await gatherEmployers(wanted, peopleMin, after, limit + 1), limit, null);
      }
      const found: Employer[] = [];
      let last: number | null = after;
      for (const length of limits.stretches) {
        if (last === null || found.length > limit) break;
        const end = await endOfStretch(wanted, last, length);
        found.push(...(await countEmployers(wanted, peopleMin, last, end)));
        last = end;
      }
      return employerPage(found, limit, last);
    },
  };
}

/** `resumeAfter` where the search for more ended; what goes beyond the page is looked at again for the next one. */
function employerPage(found: Employer[], limit: number, resumeAfter: number | null): EmployerPage {
  const employers = found.slice(0, limit);
  const last = employers.at(-1);
  return { employers, resumeAfter: found.length > limit && last ? last.companyId : resumeAfter };
}
