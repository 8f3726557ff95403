import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as CrmWorld from './crm-world.ts';

let world: CrmWorld.CrmWorld;
beforeAll(async () => {
  world = await CrmWorld.open();
});
afterAll(() => world.close());

const lines = (...rows: string[]) => `${rows.join('\n')}\n`;
const contactsHeader = 'Name,Job Title,Company,Company Domain,Industry,Email';

async function people() {
  const rows = await world.sql`
    select p.slug, p.title, p.record ->> 'full_name' as name, c.slug as company, c.industry
    from direct.person p join direct.data_set_version v on v.version = p.version and v.live
    left join direct.company c on c.version = p.version and c.id = p.company_id order by 3`;
  return rows.map((row) => ({ ...row }) as Record<string, string>);
}

describe('a second import', () => {
  it('updates people and companies, and keeps their addresses', async () => {
    const path = await world.write(
      'contacts.csv',
      lines(
        contactsHeader,
        'Ann Lee,Analyst,Acme,acme.test,Accounting,ann@acme.test',
        'Bob Ray,Cook,Bistro,,,bob@bistro.test',
      ),
    );
    expect(await world.run(['--people', path])).toMatchObject({ code: 0 });
    const before = await people();
    expect(await world.run(['--people', path])).toMatchObject({
      code: 0,
      out: expect.stringContaining('Nothing to do'),
    });
    await world.write(
      'contacts.csv',
      lines(
        contactsHeader,
        'Ann Lee,Director,Acme Inc.,https://www.acme.test,Banking,ANN@acme.test',
        'Bob Ray,Chef,Bistro,bistro.test,,bob@bistro.test',
      ),
    );
    expect(await world.run(['--people', path])).toMatchObject({
      code: 0,
      out: expect.stringContaining('is live: 2 companies, 2 people, 0 jobs, 2 emails, 0 phones.'),
    });
    const after = await people();
    expect(after.map(({ slug, company }) => [slug, company])).toEqual(
      before.map(({ slug, company }) => [slug, company]),
    );
    expect(after.map(({ title, industry }) => [title, industry])).toEqual([
      ['Director', 'Banking'],
      ['Chef', null],
    ]);
  });

  it('joins contacts with companies of a file by domain or name, and keeps the fields of that file', async () => {
    const companies = await world.write(
      'companies.csv',
      lines(
        'Company Name,network_url,Domain,Industry',
        'Acme,https://www.network.example/company/acme,acme.test,Airlines and Aviation',
        'Bistro,https://www.network.example/company/bistro,,Restaurants',
      ),
    );
    const contacts = await world.write(
      'contacts.csv',
      lines(
        contactsHeader,
        'Ann Lee,Analyst,Acme Group,www.acme.test,Accounting,ann@acme.test',
        'Bob Ray,Cook,BISTRO,,,bob@bistro.test',
      ),
    );
    expect(await world.run(['--companies', companies, '--people', contacts])).toMatchObject({
      code: 0,
      out: expect.stringContaining('is live: 2 companies, 2 people'),
    });
    const found = await people();
    expect(found.map(({ company, industry }) => [company, industry])).toEqual([
      ['acme', 'Airlines and Aviation'],
      ['bistro', 'Restaurants'],
    ]);
    const [record] = await world.sql`
      select p.record from direct.person p join direct.data_set_version v on v.version = p.version and v.live
      where p.record ->> 'full_name' = 'Ann Lee'`;
    expect(record?.record.experiences[0].company_network_url).toBe(
      'https://www.network.example/company/acme',
    );
  });

  it('reads back what was exported, without any other option', async () => {
    const before = await people();
    const rows = await world.sql`
      select p.record from direct.person p join direct.data_set_version v on v.version = p.version and v.live`;
    const path = await world.write(
      'people.jsonl',
      lines(...rows.map(({ record }) => JSON.stringify(record))),
    );
    expect(await world.run([path])).toMatchObject({ code: 0 });
    expect(await people()).toEqual(before);
  });
});

describe('imported verification times', () => {
  const header = 'email,verified_at,status';
  const emails = async () => {
    const rows = await world.sql`
      select e.email, e.verified_at is not null as is_verified
      from direct.email e join direct.data_set_version v on v.version = e.version and v.live order by 1`;
    return rows.map(({ email, is_verified }) => [email, is_verified]);
  };

  it('are ignored unless the seller trusts them, and never count for addresses with another status', async () => {
    const path = await world.write(
      'emails.csv',
      lines(
        header,
        'ann@acme.test,2026-05-10T08:00:00Z,valid',
        'bob@bistro.test,2026-05-10T08:00:00Z,catch-all',
        'nobody@acme.test,2026-05-10T08:00:00Z,valid',
      ),
    );
    const untrusted = await world.run([path]);
    expect(untrusted).toMatchObject({
      code: 1,
      err: expect.stringContaining('emails.csv:4: person_network_url: Unknown person'),
    });
    expect(await emails()).toEqual([
      ['ann@acme.test', false],
      ['bob@bistro.test', false],
    ]);
    expect(await world.run([path, '--trust-verified'])).toMatchObject({ code: 1 });
    expect(await emails()).toEqual([
      ['ann@acme.test', true],
      ['bob@bistro.test', false],
    ]);
  });
});

describe('postings without an id', () => {
  it('get one that stays the same, and the company by its domain; --only drops all other data', async () => {
    const path = await world.write(
      'jobs.csv',
      lines(
        'Job Title,Company,Website,City,Country,Date Posted',
        'Pilot,Acme,acme.test,Oslo,NO,2026-05-01',
        'Pilot,Acme,acme.test,Rome,IT,2026-05-01',
      ),
    );
    const jobs = () => world.sql`
      select j.id, j.company_id is not null as has_company
      from direct.job j join direct.data_set_version v on v.version = j.version and v.live order by 1`;
    expect(await world.run([path])).toMatchObject({ code: 0 });
    const before = await jobs();
    expect(before.map(({ has_company }) => has_company)).toEqual([true, true]);
    expect(await world.run([path, '--only'])).toMatchObject({
      code: 0,
      out: expect.stringContaining('is live: 0 companies, 0 people, 2 jobs, 0 emails, 0 phones.'),
    });
    expect((await jobs()).map(({ id }) => id)).toEqual(before.map(({ id }) => id));
  });
});

describe('numbers under foreign names', () => {
  it('that are no numbers are left empty on consent instead of spoiling the company', async () => {
    const path = await world.write(
      'accounts.csv',
      lines(
        'Account Name,Website,Annual Revenue,Employees',
        'Acme,acme.test,n/a,51-200',
        'Bistro,,"$5,000,000",12',
      ),
    );
    const stopped = await world.run(['--companies', path]);
    expect(stopped).toMatchObject({ code: 2, out: expect.stringContaining('--match "revenue:n/a="') });
    expect(stopped.out).toContain('employees_on_network  "51-200" (1 row) -> none: left empty');
    const chosen = ['--match', 'revenue:n/a=', '--match', 'employees_on_network:51-200=125'];
    expect(await world.run(['--companies', path, ...chosen])).toMatchObject({ code: 0 });
    const rows = await world.sql`
      select c.name, c.revenue::float8, c.employees_on_network as employees
      from direct.company c join direct.data_set_version v on v.version = c.version and v.live order by 1`;
    expect(rows.map((row) => Object.values(row))).toEqual([
      ['Acme', null, 125],
      ['Bistro', 5_000_000, 12],
    ]);
  });
});

describe('options that match nothing', () => {
  it('are errors before anything is imported', async () => {
    const path = await world.write('jobs.csv', lines('Job Title,Date Posted', 'Pilot,2026-05-01'));
    expect(await world.run([path, '--map', 'Firm=company_name'])).toMatchObject({
      code: 2,
      out: expect.stringContaining('no CSV file has a column "Firm"'),
    });
    const odd = await world.write(
      'jobs.csv',
      lines('Job Title,Date Posted,Recruiter', 'Pilot,2026-05-01,Kim'),
    );
    expect(await world.run([odd, '--strict-columns'])).toMatchObject({
      code: 2,
      out: expect.stringContaining('Unknown column "Recruiter"'),
    });
    expect(await world.run([odd, '--dry-run'])).toMatchObject({ code: 0 });
  });
});
