import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CompanyEntry, domainsOf, sizeOf } from '../src/entries/company.ts';
import { currentPosition } from '../src/entries/person.ts';
import * as Enums from '../src/filters/enums.ts';
import * as Oracle from './support/oracle.ts';
import * as SampleService from './support/sample-service.ts';

let service: SampleService.SampleService;
beforeAll(async () => {
  service = await SampleService.start();
});
afterAll(() => service.close());

const nobody = 'https://www.network.example/company/nobody-at-all';
const miss = { fair_usage: { records_used: 0 } };

function northwind(): CompanyEntry {
  const found = service.world.companies.find((company) => company.network_url === SampleService.northwind);
  if (!found) throw new Error('no such company');
  return found;
}

describe('the profile of a company', () => {
  const ask = (company_network_url: unknown) =>
    service.post('/v2/enrichment/company', { company_network_url });

  it('says what the data say, and null for the rest', async () => {
    for (const company of service.world.companies.slice(0, 40)) {
      const { body } = await ask(company.network_url);
      const { network_url, network_id, name, about, specialties, industry, type, followers } = company;
      expect(body.company).toMatchObject({ network_url, network_id, name, about, industry, type, followers });
      expect(body.company.specialties).toEqual(specialties);
      expect(body.company.size).toBe(sizeOf(company));
      expect(body.company.hq?.country_code ?? null).toBe(company.hq?.country_code ?? null);
      expect(Object.keys(body.company)).toHaveLength(14);
      expect(body).toMatchObject({ found: true, fair_usage: { records_used: 1 } });
    }
  });

  it('is found by number and by URN, and is free where there is none', async () => {
    for (const url of ['https://network.example/sales/company/7000001', 'urn:nw:organization:7000001']) {
      expect((await ask(url)).body.company.network_url).toBe(SampleService.northwind);
    }
    expect((await ask(nobody)).body).toMatchObject({ found: false, company: null, ...miss });
  });

  it('is refused where no company is named', async () => {
    for (const url of [undefined, null, 7, '', 'northwind', 'https://www.network.example/in/someone']) {
      const { status, body } = await ask(url);
      expect(status).toBe(422);
      expect(body.errors[0].field).toBe('company_network_url');
    }
  });
});

describe('from a domain to a company', () => {
  const ask = (domain: unknown) => service.post('/v2/enrichment/domain-to-network', { domain });
  /** All companies of a domain: best match first, then the largest. */
  const expected = (domain: string) =>
    Oracle.ordered(service.world.companies)
      .filter((company) => domainsOf(company).includes(domain))
      .sort((a, b) => domainsOf(a).indexOf(domain) - domainsOf(b).indexOf(domain));

  it('finds every company under each of its domains', async () => {
    for (const company of service.world.companies.slice(0, 60)) {
      for (const domain of domainsOf(company)) {
        const [best, ...others] = expected(domain);
        const { body } = await ask(domain);
        expect(body).toMatchObject({
          found: true,
          company_network_url: best?.network_url,
          company_name: best?.name,
          fair_usage: { records_used: 1 },
        });
        expect(body.other).toEqual(
          others
            .slice(0, 10)
            .map(({ network_url, name }) => ({ company_network_url: network_url, company_name: name })),
        );
      }
    }
  });

  it('takes URLs, `www.`, ports, sub-domains, capitals and a dot at the end', async () => {
    const domain = northwind().domain ?? '';
    for (const text of [
      `https://www.${domain}`,
      `http://${domain}:8080/about?x=1#y`,
      `WWW.${domain.toUpperCase()}`,
      `careers.eu.${domain}`,
      ` ${domain}. `,
      `//${domain}/`,
    ]) {
      expect((await ask(text)).body.company_network_url, text).toBe(SampleService.northwind);
    }
  });

  it('names those who share a domain, the owner first, then the largest, and the closer domain before its parent', async () => {
    const [one, two, three] = await service.sql<{ id: number; slug: string; version: number }[]>`
      select id, slug, version from direct.company where id in (50, 60, 70) order by id`;
    if (!one || !two || !three) throw new Error('too few companies');
    const rows = [
      { version: one.version, domain: 'shared.example', company_id: one.id, rank: 2 },
      { version: one.version, domain: 'shared.example', company_id: two.id, rank: 0 },
      { version: one.version, domain: 'shared.example', company_id: three.id, rank: 2 },
      { version: one.version, domain: 'shop.shared.example', company_id: three.id, rank: 3 },
      { version: one.version, domain: 'xn--bcher-kva.example', company_id: one.id, rank: 0 },
      { version: one.version, domain: 'café.example', company_id: two.id, rank: 0 },
    ];
    await service.sql`insert into direct.company_domain ${service.sql(rows)}`;
    const slugs = async (domain: string) => {
      const { body } = await ask(domain);
      return [body, ...body.other].map(({ company_network_url }) => company_network_url.split('/').at(-1));
    };
    expect(await slugs('shared.example')).toEqual([two.slug, one.slug, three.slug]);
    expect(await slugs('shop.shared.example')).toEqual([three.slug, two.slug, one.slug]);
    // The Unicode and ASCII forms of an IDN match each other.
    expect(await slugs('bücher.example')).toEqual([one.slug]);
    expect(await slugs('https://www.BÜCHER.example/')).toEqual([one.slug]);
    expect(await slugs('xn--caf-dma.example')).toEqual([two.slug]);
  });

  it('leads on to the headcount by country, for a caller who knows only the domain', async () => {
    const { company_network_url } = (await ask('northwind-analytics.example')).body;
    const path = '/v2/enrichment/company-distribution-by-country';
    expect((await service.post(path, { company_network_url })).body.total_employees).toBeGreaterThan(0);
  });

  it('says so, free of charge, where nobody is behind it', async () => {
    const { body } = await ask('no-such-company.example');
    expect(body).toMatchObject({
      found: false,
      company_network_url: null,
      company_name: null,
      other: [],
      ...miss,
    });
  });

  it('refuses what is no domain', async () => {
    for (const domain of [
      '',
      'localhost',
      'two words.example',
      'a@b.example',
      '10.0.0.1',
      'ftp://a.example',
      null,
    ]) {
      const { status, body } = await ask(domain);
      expect(status, String(domain)).toBe(422);
      expect(body.errors[0].field).toBe('domain');
    }
  });
});

describe('from a company to its email domain', () => {
  const ask = (company_network_url: unknown) =>
    service.post('/v2/enrichment/network-to-domain', { company_network_url });

  it('gives what its addresses end in, which need not be its website', async () => {
    const { email_domain, domain } = northwind();
    expect(email_domain).not.toBe(domain);
    expect((await ask(SampleService.northwind)).body).toMatchObject({
      found: true,
      email_domain,
      fair_usage: { records_used: 1 },
    });
    const plain = service.world.companies.find((company) => company.email_domain === null && company.domain);
    expect((await ask(plain?.network_url)).body.email_domain).toBe(plain?.domain);
  });

  it('is free where the company or the domain is not known', async () => {
    const silent = service.world.companies.find((company) => !company.email_domain && !company.domain);
    for (const url of [nobody, silent?.network_url ?? nobody]) {
      expect((await ask(url)).body).toMatchObject({ found: false, email_domain: null, ...miss });
    }
  });
});

describe('headcount by department', () => {
  const ask = (body: object) => service.post('/v2/enrichment/company-distribution-by-department', body);

  it('counts every employee once under a job function, the most first, those without one under Other', async () => {
    const people = service.world.people.filter(
      (person) => currentPosition(person)?.company_network_url === SampleService.northwind,
    );
    const counts = Map.groupBy(people, (person) => person.job_function ?? 'Other');
    const { body } = await ask({ company_network_url: SampleService.northwind });
    const buckets: { department: string; count: number; percentage_ratio: number }[] = body.distribution;
    expect(new Map(buckets.map(({ department, count }) => [department, count]))).toEqual(
      new Map([...counts].map(([department, group]) => [department, group.length])),
    );
    expect(body.total_employees).toBe(people.length);
    const numbers = buckets.map(({ count }) => count);
    expect(numbers).toEqual([...numbers].sort((a, b) => b - a));
    for (const { department, count, percentage_ratio } of buckets) {
      expect(Enums.jobFunctions).toContain(department);
      expect(percentage_ratio).toBe(Number(((count / people.length) * 100).toFixed(2)));
    }
    expect(body.fair_usage.records_used).toBe(1);
  });

  it('is empty and free where nobody is to be counted, and takes one field only', async () => {
    expect((await ask({ company_network_url: nobody })).body).toMatchObject({
      company_network_url: nobody,
      total_employees: 0,
      distribution: [],
      ...miss,
    });
    expect((await ask({ company_network_url: nobody, max_results: 3 })).status).toBe(422);
    expect((await ask({})).body.errors).toEqual([{ field: 'company_network_url', message: 'Required' }]);
  });
});
