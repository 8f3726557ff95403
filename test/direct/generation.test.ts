import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as DataSet from '../../src/direct/adapters/data-set.ts';
import * as Generations from '../../src/direct/adapters/generations.ts';
import * as Sample from '../../src/direct/data/sample.ts';
import type { JobEntry } from '../../src/direct/entries/job.ts';
import * as House from './house.ts';

let house: House.House;
beforeAll(async () => {
  house = await House.open({ companies: 40, people: 400, jobs: 420 });
});
afterAll(() => house.close());

const path = '/v2/jobs/company';
const query = { company_network_url: House.northwind, max_results: 9 };
const titlesOf = (pages: House.Body[]) => pages.flatMap((page) => page.results).map((job) => job.title);
const isOurs = (job: JobEntry) => job.company_network_url === House.northwind;
/** The postings of the world, each with a mark in its title. */
const marked = (mark: string) => house.world.jobs.map((job) => ({ ...job, title: `${mark} ${job.title}` }));

function load(wishes: Partial<DataSet.Load>) {
  return DataSet.load(house.sql, { given: {}, digests: {}, nowMs: house.clock.nowMs, ...wishes });
}

/** Until the program answers from that generation. */
async function switched(mark: string): Promise<void> {
  for (;;) {
    const { body } = await house.post(path, { ...query, max_results: 1 });
    if (body.results[0]?.title.startsWith(mark)) return;
  }
}

async function partitions(): Promise<string[]> {
  const rows = await house.sql<{ name: string }[]>`
    select relname as name from pg_class
    where relnamespace = 'direct'::regnamespace and relkind = 'r' and relname ~ '_[0-9]+$' order by 1`;
  return rows.map(({ name }) => name);
}

const live = async () => (await Generations.live(house.sql))?.generation;
const content = () =>
  house.sql`
    select c.slug, c.name, c.employees_on_network, c.hq_city, c.specialties, c.search::text,
           p.record::text, p.search::text as found, e.email, e.verified_at, n.phone
    from direct.person p
    join direct.generation g on g.generation = p.generation and g.live
    left join direct.company c on c.generation = p.generation and c.id = p.company_id
    left join direct.email e on e.generation = p.generation and e.person_id = p.id
    left join direct.phone n on n.generation = p.generation and n.person_id = p.id
    order by p.slug, e.email, n.phone`;

describe('a load', () => {
  it('is seen as a whole or not at all, by those who page through it and by those who begin anew', async () => {
    const before = titlesOf(await house.pages(path, query));
    const begun = await Promise.all(Array.from({ length: 6 }, () => house.post(path, query)));
    const pagers = Promise.all(
      Array.from({ length: 12 }, async () => {
        const seen: string[][] = [];
        while (seen.at(-1)?.[0]?.startsWith('Second') !== true) {
          seen.push(titlesOf(await house.pages(path, query)));
        }
        return seen;
      }),
    );
    await load({ given: { jobs: marked('Second') } });
    const after = before.map((title) => `Second ${title}`);
    for (const seen of await pagers) {
      for (const titles of seen) expect([before, after]).toContainEqual(titles);
    }
    for (const { body } of begun) {
      const rest = await house.pages(path, { ...query, cursor: body.cursor });
      expect(titlesOf(rest)).toEqual(after);
      const onward: House.Body[] = [body];
      for (let cursor = body.cursor; cursor !== null; cursor = onward.at(-1).cursor) {
        onward.push((await house.post(path, { ...query, cursor })).body);
      }
      expect(titlesOf(onward)).toEqual(before);
    }
  });

  it('carries over to the letter what it does not bring', async () => {
    const before = await content();
    await load({ given: { jobs: marked('Third') } });
    expect(await content()).toEqual(before);
    const jobs = await house.sql`
      select generation, id, company_slug, company_name, posted_at, utc_offset_hours from direct.job
      where generation >= ${((await live()) ?? 0) - 1} order by id, generation`;
    for (let at = 0; at < jobs.length; at += 2) {
      expect({ ...jobs[at + 1], generation: 0 }).toEqual({ ...jobs[at], generation: 0 });
    }
  });

  it('that is live already reads nothing and changes nothing', async () => {
    const digests = { jobs: 'these' };
    const first = await load({ given: { jobs: marked('Fourth') }, digests });
    const given = {
      jobs: {
        [Symbol.iterator](): Iterator<JobEntry> {
          throw new Error('was read');
        },
      },
    };
    expect(await load({ given, digests })).toEqual(first);
    expect(await live()).toBe(first.generation);
  });

  it('that fails on the way leaves all as it was', async () => {
    const [generation, tables] = [await live(), await partitions()];
    function* broken() {
      yield* marked('Broken');
      throw new Error('the file ends here');
    }
    await expect(load({ given: { jobs: broken() } })).rejects.toThrow('the file ends here');
    const confirm = () => {
      throw new Error('too many bad rows');
    };
    await expect(load({ given: { jobs: marked('Refused') }, confirm })).rejects.toThrow('too many bad rows');
    expect(await live()).toBe(generation);
    expect(await partitions()).toEqual(tables);
  });

  it('whose connection is cut off leaves all as it was', async () => {
    const [generation, tables] = [await live(), await partitions()];
    async function* cut() {
      yield* marked('Cut');
      await house.sql`
        select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and query like 'copy direct.job_%'`;
      yield* marked('Cut').map((job) => ({ ...job, id: job.id + 1_000_000_000 }));
    }
    await expect(load({ given: { jobs: cut() } })).rejects.toThrow();
    expect(await live()).toBe(generation);
    expect(await partitions()).toEqual(tables);
    expect((await house.pages(path, query)).length).toBeGreaterThan(0);
  });

  it('is refused while another one is under way', async () => {
    let second: Promise<unknown> | null = null;
    function* slow() {
      second = load({ given: { jobs: [] } });
      second.catch(() => {});
      yield* marked('Slow');
    }
    await load({ given: { jobs: slow() } });
    await expect(second).rejects.toThrow('another load of this database is under way');
  });

  it('of the sample twice on one day is one load', async () => {
    const options = { seed: 7, todayMs: house.clock.nowMs, companies: 20, people: 60, jobs: 60 };
    const sample = { given: Sample.generate(options), digests: Sample.digests(options) };
    const first = await load(sample);
    expect(await load(sample)).toEqual(first);
    const other = { ...options, seed: 8 };
    const next = await load({ given: Sample.generate(other), digests: Sample.digests(other) });
    expect(next.generation).toBe(first.generation + 1);
    const { companies, people, jobs, emails, phones } = house.world;
    await load({ given: { companies, people, jobs, emails, phones } });
    await switched(house.world.jobs.filter(isOurs).sort(newestFirst)[0]?.title ?? '');
  });
});

function newestFirst(one: JobEntry, other: JobEntry): number {
  return Date.parse(other.posted_at) - Date.parse(one.posted_at) || other.id - one.id;
}

describe('an old generation', () => {
  it('lives through its grace, and cursors of it end with it', async () => {
    const { body } = await house.post(path, query);
    await load({ given: { jobs: marked('Young') } });
    await load({ given: { jobs: marked('Younger') } });
    await switched('Younger');
    expect(await Generations.dropOld(house.sql, house.clock.nowMs + Generations.graceMs)).not.toContain(
      ((await live()) ?? 0) - 2,
    );
    expect((await house.post(path, { ...query, cursor: body.cursor })).status).toBe(200);

    const reader = await house.sql.reserve();
    await reader`begin isolation level repeatable read`;
    await reader`select count(*) from direct.job where generation = ${(await live()) ?? 0}`;
    const dropping = Generations.dropOld(house.sql, house.clock.nowMs + Generations.graceMs + 1);
    // Whoever is in the middle of reading keeps the drop waiting, and nobody else.
    expect((await house.post(path, query)).status).toBe(200);
    await reader`commit`;
    reader.release();
    expect(await dropping).toContain(((await live()) ?? 0) - 2);
    const kept = new Set((await partitions()).map((name) => Number(name.split('_').at(-1))));
    expect([...kept].sort((one, other) => one - other)).toEqual([((await live()) ?? 0) - 1, await live()]);

    for (;;) {
      const answer = await house.post(path, { ...query, cursor: body.cursor });
      if (answer.status === 200) continue;
      expect(answer.status).toBe(422);
      expect(answer.body.errors[0].field).toBe('cursor');
      break;
    }
    expect((await house.post(path, query)).body.results[0].title).toMatch(/^Younger/);
  });

  it('that a load left unfinished is cleared away', async () => {
    await house.sql.unsafe('create table direct.person_999 (like direct.person)');
    expect(await Generations.dropOld(house.sql, house.clock.nowMs)).toEqual([999]);
    expect(await partitions()).not.toContain('person_999');
  });
});
