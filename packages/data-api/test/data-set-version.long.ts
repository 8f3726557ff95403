import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as DataSet from '../src/adapters/data-set.ts';
import * as DataSetVersions from '../src/adapters/data-set-versions.ts';
import * as Sample from '../src/data/sample.ts';
import type { JobEntry } from '../src/entries/job.ts';
import * as SampleService from './support/sample-service.ts';

let service: SampleService.SampleService;
beforeAll(async () => {
  service = await SampleService.start({ companies: 40, people: 400, jobs: 420 });
});
afterAll(() => service.close());

const path = '/v2/jobs/company';
const query = { company_network_url: SampleService.northwind, max_results: 9 };
const titlesOf = (pages: SampleService.Body[]) =>
  pages.flatMap((page) => page.results).map((job) => job.title);
const isOurs = (job: JobEntry) => job.company_network_url === SampleService.northwind;
/** The postings of the sample, each with a marked title. */
const marked = (mark: string) => service.world.jobs.map((job) => ({ ...job, title: `${mark} ${job.title}` }));

function load(wishes: Partial<DataSet.LoadOptions>) {
  return DataSet.load(service.sql, { given: {}, digests: {}, nowMs: service.clock.nowMs, ...wishes });
}

/** Waits until the program serves that version. */
async function switched(mark: string): Promise<void> {
  for (;;) {
    const { body } = await service.post(path, { ...query, max_results: 1 });
    if (body.results[0]?.title.startsWith(mark)) return;
  }
}

async function partitions(): Promise<string[]> {
  const rows = await service.sql<{ name: string }[]>`
    select relname as name from pg_class
    where relnamespace = 'direct'::regnamespace and relkind = 'r' and relname ~ '_[0-9]+$' order by 1`;
  return rows.map(({ name }) => name);
}

const live = async () => (await DataSetVersions.live(service.sql))?.version;
const content = () =>
  service.sql`
    select c.slug, c.name, c.employees_on_network, c.hq_city, c.specialties, c.search::text,
           p.record::text, p.search::text as found, e.email, e.verified_at, n.phone
    from direct.person p
    join direct.data_set_version g on g.version = p.version and g.live
    left join direct.company c on c.version = p.version and c.id = p.company_id
    left join direct.email e on e.version = p.version and e.person_id = p.id
    left join direct.phone n on n.version = p.version and n.person_id = p.id
    order by p.slug, e.email, n.phone`;

describe('a load', () => {
  it('is seen as a whole or not at all, by those who page through it and by those who begin anew', async () => {
    const before = titlesOf(await service.pages(path, query));
    const begun = await Promise.all(Array.from({ length: 6 }, () => service.post(path, query)));
    const pagers = Promise.all(
      Array.from({ length: 12 }, async () => {
        const seen: string[][] = [];
        while (seen.at(-1)?.[0]?.startsWith('Second') !== true) {
          seen.push(titlesOf(await service.pages(path, query)));
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
      const rest = await service.pages(path, { ...query, cursor: body.cursor });
      expect(titlesOf(rest)).toEqual(after);
      const onward: SampleService.Body[] = [body];
      for (let cursor = body.cursor; cursor !== null; cursor = onward.at(-1).cursor) {
        onward.push((await service.post(path, { ...query, cursor })).body);
      }
      expect(titlesOf(onward)).toEqual(before);
    }
  });

  it('carries over to the letter what it does not bring', async () => {
    const before = await content();
    await load({ given: { jobs: marked('Third') } });
    expect(await content()).toEqual(before);
    const jobs = await service.sql`
      select version, id, company_slug, company_name, posted_at, utc_offset_hours from direct.job
      where version >= ${((await live()) ?? 0) - 1} order by id, version`;
    for (let at = 0; at < jobs.length; at += 2) {
      expect({ ...jobs[at + 1], version: 0 }).toEqual({ ...jobs[at], version: 0 });
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
    expect(await live()).toBe(first.version);
  });

  it('that fails on the way leaves all as it was', async () => {
    const [version, tables] = [await live(), await partitions()];
    function* broken() {
      yield* marked('Broken');
      throw new Error('the file ends here');
    }
    await expect(load({ given: { jobs: broken() } })).rejects.toThrow('the file ends here');
    const confirm = () => {
      throw new Error('too many bad rows');
    };
    await expect(load({ given: { jobs: marked('Refused') }, confirm })).rejects.toThrow('too many bad rows');
    expect(await live()).toBe(version);
    expect(await partitions()).toEqual(tables);
  });

  it('whose connection is cut off leaves all as it was', async () => {
    const [version, tables] = [await live(), await partitions()];
    async function* cut() {
      yield* marked('Cut');
      await service.sql`
        select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and query like 'copy direct.job_%'`;
      yield* marked('Cut').map((job) => ({ ...job, id: job.id + 1_000_000_000 }));
    }
    await expect(load({ given: { jobs: cut() } })).rejects.toThrow();
    expect(await live()).toBe(version);
    expect(await partitions()).toEqual(tables);
    expect((await service.pages(path, query)).length).toBeGreaterThan(0);
  });

  it('is refused while another one is under way', async () => {
    let second: Promise<unknown> | null = null;
    function* slow() {
      second = load({ given: { jobs: [] } });
      second.catch(() => {});
      yield* marked('Slow');
    }
    await load({ given: { jobs: slow() } });
    await expect(second).rejects.toThrow('another load of this database is running');
  });

  it('of the sample twice on one day is one load', async () => {
    const options = { seed: 7, todayMs: service.clock.nowMs, companies: 20, people: 60, jobs: 60 };
    const sample = { given: Sample.generate(options), digests: Sample.digests(options) };
    const first = await load(sample);
    expect(await load(sample)).toEqual(first);
    const other = { ...options, seed: 8 };
    const next = await load({ given: Sample.generate(other), digests: Sample.digests(other) });
    expect(next.version).toBe(first.version + 1);
    const { companies, people, jobs, emails, phones } = service.world;
    await load({ given: { companies, people, jobs, emails, phones } });
    await switched(service.world.jobs.filter(isOurs).sort(newestFirst)[0]?.title ?? '');
  });
});

function newestFirst(one: JobEntry, other: JobEntry): number {
  return Date.parse(other.posted_at) - Date.parse(one.posted_at) || other.id - one.id;
}

describe('an old data-set version', () => {
  it('lives through its grace, and cursors of it end with it', async () => {
    const { body } = await service.post(path, query);
    await load({ given: { jobs: marked('Young') } });
    await load({ given: { jobs: marked('Younger') } });
    await switched('Younger');
    expect(
      await DataSetVersions.dropOld(service.sql, service.clock.nowMs + DataSetVersions.graceMs),
    ).not.toContain(((await live()) ?? 0) - 2);
    expect((await service.post(path, { ...query, cursor: body.cursor })).status).toBe(200);

    const reader = await service.sql.reserve();
    await reader`begin isolation level repeatable read`;
    await reader`select count(*) from direct.job where version = ${(await live()) ?? 0}`;
    const dropping = DataSetVersions.dropOld(service.sql, service.clock.nowMs + DataSetVersions.graceMs + 1);
    // A reader in a transaction delays the drop, but the drop does not delay other readers.
    expect((await service.post(path, query)).status).toBe(200);
    await reader`commit`;
    reader.release();
    expect(await dropping).toContain(((await live()) ?? 0) - 2);
    const kept = new Set((await partitions()).map((name) => Number(name.split('_').at(-1))));
    expect([...kept].sort((one, other) => one - other)).toEqual([((await live()) ?? 0) - 1, await live()]);

    for (;;) {
      const answer = await service.post(path, { ...query, cursor: body.cursor });
      if (answer.status === 200) continue;
      expect(answer.status).toBe(422);
      expect(answer.body.errors[0].field).toBe('cursor');
      break;
    }
    expect((await service.post(path, query)).body.results[0].title).toMatch(/^Younger/);
  });

  it('that a load left unfinished is cleared away', async () => {
    await service.sql.unsafe('create table direct.person_999 (like direct.person)');
    expect(await DataSetVersions.dropOld(service.sql, service.clock.nowMs)).toEqual([999]);
    expect(await partitions()).not.toContain('person_999');
  });
});
