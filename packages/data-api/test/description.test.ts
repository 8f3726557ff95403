import { readFile } from 'node:fs/promises';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { describe as describeInterface } from '../src/http/description.ts';
import { operations } from '../src/http/operations.ts';
import * as Filters from './support/arbitrary-filters.ts';
import * as Described from './support/described-responses.ts';
import * as SampleService from './support/sample-service.ts';

const file = parse(await readFile(new URL('../openapi/data-api.yaml', import.meta.url), 'utf8'));
const described = Described.read(file);

let service: SampleService.SampleService;
beforeAll(async () => {
  service = await SampleService.start();
});
afterAll(() => service.close());

/** Every object of the document, with its path. */
function* objects(value: unknown, path = ''): Generator<[string, Record<string, unknown>]> {
  if (typeof value !== 'object' || value === null) return;
  if (!Array.isArray(value)) yield [path, value as Record<string, unknown>];
  for (const [name, child] of Object.entries(value)) yield* objects(child, `${path}/${name}`);
}

describe('the description', () => {
  it('is what the program says of itself (if not: npm run describe -w packages/data-api)', async () => {
    expect(file).toEqual(JSON.parse(JSON.stringify(describeInterface('http://127.0.0.1:4021'))));
    const own = await service.send('/openapi.json', {});
    expect(own.body.servers).toEqual([{ url: service.url }]);
    expect(own.body.paths).toEqual(file.paths);
  });

  it('closes every object and leaves no reference open', () => {
    for (const [path, found] of objects(file)) {
      if (found.type === 'object') expect(found.additionalProperties, path).toBe(false);
      if (typeof found.$ref === 'string') {
        const target = found.$ref
          .slice(2)
          .split('/')
          .reduce((at, step) => at?.[step], file);
        expect(target, found.$ref).toBeDefined();
      }
    }
  });

  it('has an example that is valid for every body', () => {
    for (const operation of operations) {
      const entry = file.paths[operation.path][operation.method.toLowerCase()];
      const { example } = entry.responses['200'].content['application/json'];
      Described.expectValid(described.answer(operation, 200), example);
      if (!operation.request) continue;
      const request = entry.requestBody.content['application/json'];
      Described.expectValid(described.request(operation), request.example);
    }
    const refusals = Object.values<{ content: { 'application/json': { example?: object } } }>(
      file.components.responses,
    );
    const examples = refusals.flatMap(({ content }) => content['application/json'].example ?? []);
    for (const example of examples) Described.expectValid(described.error, example);
    expect(examples.length).toBeGreaterThan(0);
  });

  it('has examples of requests that find something in the sample', async () => {
    for (const operation of operations.filter(({ request }) => request)) {
      const answer = await service.post(operation.path, operation.example.request);
      expect(answer.status, operation.path).toBe(200);
      Described.expectValid(described.answer(operation, 200), answer.body);
      const used = Number(answer.headers.get('x-records-used'));
      if (operation.cost !== 'Free.') expect(used, operation.path).toBeGreaterThan(0);
      const entry = file.paths[operation.path][operation.method.toLowerCase()];
      const { fair_usage: usage } = entry.responses['200'].content['application/json'].example;
      if (usage !== undefined) expect(usage.records_used > 0, operation.path).toBe(used > 0);
    }
  });
});

describe('a request', () => {
  const jobs = () => ({
    job: Filters.jobFilter(service.world.jobs),
    company: Filters.employerFilter(service.world.companies),
  });
  const companies = () => ({ company: Filters.companyFilter(service.world.companies) });

  // Others have texts with a rule that cannot be expressed as a pattern.
  it.each([
    ['/v2/company/tam-by-jobs', jobs],
    ['/v2/jobs/search', jobs],
    ['/v2/search/companies', companies],
  ])('to %s is accepted exactly where the description accepts it', async (path, filters) => {
    const operation = operations.find((candidate) => candidate.path === path);
    if (!operation) throw new Error('no such operation');
    const accepts = described.request(operation);
    const odd = fc.constantFrom<unknown>(undefined, null, 0, 51, 10, 'x', 'abc', [], { last_days: 3 }, true);
    const fields = Object.entries(filters()).map(([name, filter]) => [name, fc.oneof(filter, odd)]);
    const body = fc.record(
      { ...Object.fromEntries(fields), max_results: odd, more: fc.constantFrom(undefined, 1) },
      { requiredKeys: [] },
    );
    const seen = new Set<number>();
    await fc.assert(
      fc.asyncProperty(body, async (candidate) => {
        const sent = JSON.parse(JSON.stringify(candidate));
        const { status } = await service.post(path, sent);
        expect(status, JSON.stringify(sent)).toBe(accepts(sent) ? 200 : 422);
        seen.add(status);
      }),
      { numRuns: 150, seed: 5 },
    );
    expect(seen).toEqual(new Set([200, 422]));
  });
});
