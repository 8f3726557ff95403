import { afterAll, beforeAll, expect, it } from 'vitest';
import { currentPosition, type PersonEntry } from '../src/entries/person.ts';
import * as SampleService from './support/sample-service.ts';

let service: SampleService.SampleService;
beforeAll(async () => {
  service = await SampleService.start();
});
afterAll(() => service.close());

const ask = (body: unknown) => service.post('/v2/enrichment/company-distribution-by-country', body);
const employer = (person: PersonEntry) => currentPosition(person)?.company_network_url ?? null;

it('counts every employee once under a country, the most first', async () => {
  const { body } = await ask({
    company_network_url: 'http://de.network.example/company/Northwind-Analytics/?x=1',
  });
  const people = service.world.people.filter((person) => employer(person) === SampleService.northwind);
  const counts = Map.groupBy(people, (person) => person.location?.country_code ?? 'unknown');
  expect(body.company_network_url).toBe(SampleService.northwind);
  expect(body.total_employees).toBe(412);
  expect(
    new Map(
      body.distribution.map((bucket: { country: string; count: number }) => [bucket.country, bucket.count]),
    ),
  ).toEqual(new Map([...counts].map(([country, group]) => [country, group.length])));
  const numbers = body.distribution.map((bucket: { count: number }) => bucket.count);
  expect(numbers).toEqual([...numbers].sort((a, b) => b - a));
  expect(body.distribution.map((bucket: { country: string }) => bucket.country)).toEqual(
    expect.arrayContaining(['DE', 'BR', 'unknown']),
  );
  for (const { count, percentage_ratio } of body.distribution) {
    expect(percentage_ratio).toBe(Number(((count / 412) * 100).toFixed(2)));
  }
  expect(body.fair_usage.records_used).toBe(1);
});

it.each(['country', 'department'])('adds up to the headcount of every company by %s', async (label) => {
  const { companies } = service.world;
  const largest = companies.toSorted((a, b) => (b.employees_on_network ?? 0) - (a.employees_on_network ?? 0));
  expect(largest[0]?.employees_on_network).toBeGreaterThan(10_000);
  for (const { network_url, employees_on_network } of [...largest.slice(0, 20), ...largest.slice(-20)]) {
    const { body } = await service.post(`/v2/enrichment/company-distribution-by-${label}`, {
      company_network_url: network_url,
    });
    expect(body.total_employees).toBe(employees_on_network);
    const counts = body.distribution.map((bucket: { count: number }) => bucket.count);
    expect(counts.reduce((sum: number, count: number) => sum + count, 0)).toBe(employees_on_network);
    expect(counts).toEqual(counts.toSorted((a: number, b: number) => b - a));
  }
});

it('is empty and free for a company that is not there, named in the canonical way', async () => {
  const { body } = await ask({ company_network_url: 'urn:nw:company:123' });
  expect(body).toMatchObject({
    company_network_url: 'https://www.network.example/company/123',
    total_employees: 0,
    distribution: [],
    fair_usage: { records_used: 0 },
  });
});

it('takes a URI and nothing beside it', async () => {
  const bare = await ask({ company_network_url: 'network.example/company/northwind-analytics' });
  expect(bare.status).toBe(422);
  const more = await ask({ company_network_url: SampleService.northwind, max_results: 1 });
  expect(more.body.errors).toEqual([
    { field: 'body', message: 'Unknown field "max_results". Allowed fields: company_network_url' },
  ]);
  expect((await ask({ company_network_url: null })).body.errors).toEqual([
    { field: 'company_network_url', message: 'Required' },
  ]);
});
