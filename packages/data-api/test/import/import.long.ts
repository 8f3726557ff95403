import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as BuiltPrograms from '../../../../test/support/built-programs.ts';
import { createDatabase } from '../../../../test/support/database.ts';
import * as DataSetVersions from '../../src/adapters/data-set-versions.ts';
import * as DataSets from '../../src/commands/data-sets.ts';
import * as Sample from '../../src/data/sample.ts';
import * as BadRows from '../../src/import/bad-rows.ts';
import * as DataFile from '../../src/import/data-file.ts';
import * as Export from '../../src/import/export.ts';
import * as Import from '../../src/import/import.ts';

const day = Date.UTC(2026, 4, 14);
const url = (slug: string) => `https://www.network.example/company/${slug}`;
const profile = (slug: string) => `https://www.network.example/in/${slug}`;
const lines = (...rows: object[]) => `${rows.map((row) => JSON.stringify(row)).join('\n')}\n`;

let database: Awaited<ReturnType<typeof createDatabase>>;
let opened: DataSets.Opened;
let folder: string;
beforeAll(async () => {
  database = await createDatabase();
  opened = await DataSets.at(database.url);
  folder = await mkdtemp(join(tmpdir(), 'sluice-import-'));
});
afterAll(async () => {
  await opened.close();
  await database.drop();
  await rm(folder, { recursive: true, force: true });
});

type Run = { code: number | null; out: string; err: string };
/** Runs the command in a separate process. `onError` receives its standard error. */
async function data(
  args: string[],
  onError: (err: string, kill: (signal: NodeJS.Signals) => void) => void = () => {},
): Promise<Run> {
  const script = await BuiltPrograms.pathOf('src/cli/sluice.ts');
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  const child = spawn(process.execPath, [script, 'data', ...args], {
    env: { PATH, NODE_COMPILE_CACHE, DATABASE_URL: database.url },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const run: Run = { code: null, out: '', err: '' };
  child.stdout.on('data', (chunk) => {
    run.out += chunk;
  });
  child.stderr.on('data', (chunk) => {
    run.err += chunk;
    onError(run.err, (signal) => child.kill(signal));
  });
  [run.code] = await once(child, 'close');
  return run;
}

async function write(name: string, content: string | Uint8Array): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, content);
  return path;
}

async function made(
  name: string,
  sizes: Sample.Sizes,
  shape = { format: 'jsonl', gzip: false } as const as Parameters<typeof Export.write>[2],
): Promise<string> {
  const path = join(folder, name);
  await Export.write(Sample.generate({ seed: 7, todayMs: day, ...sizes }), path, shape, () => {});
  return path;
}

const live = async () => (await DataSetVersions.live(opened.sql))?.version ?? null;
async function leftovers(): Promise<string[]> {
  const rows = await opened.sql<{ name: string }[]>`
    select relname as name from pg_class where relnamespace = 'direct'::regnamespace and relkind = 'r'
      and substring(relname from '_(\d+)$')::integer not in (select version from direct.data_set_version)`;
  return rows.map(({ name }) => name);
}

describe('an import', () => {
  it('puts in the good rows and reports each bad one with its file, line and reason', async () => {
    const companies = await write(
      'companies.jsonl',
      `${lines({ network_url: url('one'), name: 'One' })}{"name":\n${lines(
        { network_url: url('two'), name: 'Two', founded_year: 'long ago' },
        { network_url: url('ONE'), name: 'One again' },
        { network_url: url('three'), name: 'Three', employees_on_network: 12 },
      )}`,
    );
    const emails = await write(
      'emails.csv',
      `person_network_url,email\r\n${profile('ana')},ana@one.example\r\n${profile('nobody')},x@one.example\r\n`,
    );
    const people = await write(
      'people.jsonl',
      lines({
        network_url: profile('ana'),
        experiences: [{ job_title: 'CTO', company_network_url: url('one') }],
      }),
    );
    const report = join(folder, 'bad.jsonl');
    const run = await data([
      'import',
      companies,
      emails,
      people,
      '--bad-rows',
      report,
      '--bad-rows-max',
      '3',
    ]);
    expect(run.code).toBe(1);
    expect(run.err).toContain(`${companies}:2: Not JSON: `);
    expect(run.err).toContain(`${companies}:3: founded_year: Expected integer`);
    expect(run.err).toContain(
      `${companies}:4: network_url: Duplicate company: an earlier row has the same network_url`,
    );
    expect(run.err).toContain(
      `${emails}:3: person_network_url: Unknown person: import the person in the same or an earlier import`,
    );
    expect(run.out).toMatch(/is live: 2 companies, 1 people, 0 jobs, 1 emails, 0 phones\./);
    expect(run.out).toContain('The real-time search needs a live profile source now: set DIRECT_LIVE_URL.');
    const bad = (await readFile(report, 'utf8'))
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(bad.map(({ kind, line }) => `${kind} ${line}`).sort()).toEqual([
      'companies 2',
      'companies 3',
      'companies 4',
      'emails 3',
    ]);
    expect(bad.find(({ line, kind }) => line === 3 && kind === 'emails').row).toContain('x@one.example');
    const [row] = await opened.sql`
      select c.slug from direct.person p join direct.company c using (version) where p.company_id = c.id`;
    expect(row).toEqual({ slug: 'one' });
  });

  it('changes nothing when the same files come again, and keeps the kinds that are not given', async () => {
    const before = await live();
    const again = await data(['import', join(folder, 'people.jsonl'), '--json']);
    expect(again).toMatchObject({ code: 0 });
    expect(JSON.parse(again.out)).toMatchObject({ kind: 'unchanged', version: before });
    expect(await live()).toBe(before);
    const jobs = await write(
      'jobs.jsonl',
      lines({ id: 7, title: 'Cook', posted_at: '2026-05-01T10:00:00+02:00' }),
    );
    const run = await data(['import', '--jobs', jobs, '--json']);
    expect(run.code).toBe(0);
    expect(JSON.parse(run.out)).toMatchObject({
      kind: 'loaded',
      counts: { companies: 2, people: 1, jobs: 1, emails: 1, phones: 0 },
      bad: [],
    });
  });

  it('loads nothing when too many rows are bad, a header does not fit, or no row is good', async () => {
    const before = await live();
    const half = await write('half.jsonl', `${lines({ network_url: url('a'), name: 'A' })}x\ny\n`);
    const tooMany = await data(['import', '--companies', half]);
    expect(tooMany.code).toBe(2);
    expect(tooMany.out).toContain(`2 of 3 rows of ${half} are bad, more than --bad-rows-max allows (50%)`);
    const wrong = await write('companies.csv', 'network_url,nam\nx,y\n');
    expect(await data(['import', wrong])).toMatchObject({
      code: 2,
      out: expect.stringMatching(/Unknown column "nam"\. Did you mean "name"\?\n.+Column "name" is missing/),
    });
    const empty = await write('phones.jsonl', '\n\n');
    expect(await data(['import', empty])).toMatchObject({
      code: 2,
      out: expect.stringContaining('There are no valid rows of phones'),
    });
    expect(await live()).toBe(before);
    expect(await leftovers()).toEqual([]);
  });

  it('says what is wrong with its arguments', async () => {
    const faulty = await data(['import', join(folder, 'nowhere.csv'), folder, '--bad-rows-max', '7']);
    expect(faulty.code).toBe(2);
    expect(faulty.err).toContain('nowhere.csv does not exist');
    expect((await data(['import', '--no-such'])).code).toBe(2);
    expect((await data(['import'])).err).toContain('sluice data import export/');
    expect((await data(['import', '--help'])).code).toBe(0);
    expect((await data(['import', half(), '--bad-rows-max', 'x'])).err).toContain(
      'must be a number of rows such as 100, or a share such as 5%',
    );
    expect((await data(['import', '--companies', half(), '--bad-rows', half()])).err).toContain(
      '--bad-rows names one of the files to import',
    );
  });
  const half = () => join(folder, 'half.jsonl');

  it('reads and checks in a dry run without touching a database', async () => {
    const run = await data([
      'import',
      half(),
      '--companies',
      half(),
      '--dry-run',
      '--database-url',
      'postgres://127.0.0.1:1/x',
    ]);
    expect(run.code).toBe(2);
    const good = await write('company.jsonl', lines({ network_url: url('a'), name: 'A' }));
    const dry = await data(['import', good, '--dry-run', '--database-url', 'postgres://127.0.0.1:1/x']);
    expect(dry).toMatchObject({ code: 0, out: expect.stringContaining('1 rows, 0 of them bad') });
  });

  it('means the same in JSONL, CSV and gzip, and reads back what was exported', async () => {
    const sizes = { companies: 40, people: 150, jobs: 120 };
    const content = async () => {
      const rows = await opened.sql`
        select p.record, c.slug from direct.person p
        join direct.data_set_version g using (version) left join direct.company c on c.version = g.version and c.id = p.company_id
        where g.live order by p.slug`;
      const others = await opened.sql`
        select to_jsonb(j) - 'version' as job from direct.job j join direct.data_set_version g using (version)
        where g.live order by j.id`;
      return [...rows, ...others];
    };
    expect((await data(['import', await made('jsonl', sizes)])).code).toBe(0);
    const expected = await content();
    expect(expected.length).toBeGreaterThan(250);
    expect((await data(['import', await made('csv', sizes, { format: 'csv', gzip: true })])).code).toBe(0);
    expect(await content()).toEqual(expected);
    const out = join(folder, 'exported');
    expect((await data(['export', out, '--gzip'])).code).toBe(0);
    expect((await data(['import', out])).code).toBe(0);
    expect(await content()).toEqual(expected);
  });

  it('refuses a gzip file that is cut off, and a file that changes while it is read', async () => {
    const before = await live();
    const whole = gzipSync(
      lines(
        ...Array.from({ length: 500 }, (_, at) => ({ network_url: url(`c${at}`), name: `${Math.sqrt(at)}` })),
      ),
    );
    const cut = await write('companies.jsonl.gz', whole.subarray(0, whole.length - 20));
    expect(await data(['import', cut])).toMatchObject({
      code: 2,
      out: expect.stringContaining('damaged or incomplete gzip file'),
    });
    const path = await write('changing.jsonl', lines({ network_url: url('a'), name: 'A' }));
    const { files } = await DataFile.find([], { companies: [path] });
    const outcome = await Import.run({
      files,
      limit: BadRows.limitDefault,
      dataSets: opened.dataSets,
      signal: new AbortController().signal,
      stage: () => {},
      listener: {
        file: () => void appendFile(path, lines({ network_url: url('b'), name: 'B' })),
        read: () => {},
        row: () => {},
        bad: () => {},
      },
    });
    expect(outcome).toMatchObject({
      kind: 'refused',
      reasons: [`${path} changed during the import. Import it again`],
    });
    expect(await live()).toBe(before);
  });

  it('is refused while another one is under way', async () => {
    const before = await live();
    const run = await DataSetVersions.withLoadLock(opened.sql, () =>
      data(['import', '--companies', half(), '--bad-rows-max', '2']),
    );
    expect(run).toMatchObject({
      code: 2,
      err: expect.stringContaining('another load of this database is running'),
    });
    expect(await live()).toBe(before);
  });

  it('changes nothing when it is stopped or killed, and the next one clears away what was left', async () => {
    const before = await live();
    const path = await made('large', { companies: 100, people: 6_000, jobs: 10 });
    for (const signal of ['SIGINT', 'SIGKILL'] as const) {
      let isSent = false;
      const run = await data(['import', path], (err, kill) => {
        // By then the companies are loaded, and the people are being loaded.
        if (isSent || !err.includes('companies.jsonl  100 rows')) return;
        isSent = true;
        kill(signal);
      });
      expect(isSent).toBe(true);
      expect(run.code).toBe(signal === 'SIGINT' ? 2 : null);
      if (signal === 'SIGINT') expect(run.err).toContain('Stopped. Nothing was changed.');
      expect(await live()).toBe(before);
      if (signal === 'SIGINT') expect(await leftovers()).toEqual([]);
    }
    expect((await data(['import', path])).code).toBe(0);
    expect(await live()).not.toBe(before);
    expect(await leftovers()).toEqual([]);
  });

  it('lists versions, and drops those that are not live', async () => {
    const number = await live();
    const listed = JSON.parse((await data(['versions', '--json'])).out);
    expect(listed[0]).toMatchObject({ version: number, live: true, counts: { companies: 100 } });
    expect(await data(['drop', String(number)])).toMatchObject({
      code: 2,
      err: expect.stringContaining('is live'),
    });
    const other = listed.at(-1).version;
    expect(await data(['drop', String(other)])).toMatchObject({ code: 0 });
    expect(await data(['drop', String(other)])).toMatchObject({
      code: 2,
      err: expect.stringContaining('no data-set version'),
    });
  });
});
