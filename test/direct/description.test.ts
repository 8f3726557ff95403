import { readFile } from 'node:fs/promises';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { describe as describeInterface } from '../../src/direct/http/description.ts';
import { operations } from '../../src/direct/http/operations.ts';
import * as House from './house.ts';
import * as Oracle from './oracle.ts';

const file = parse(await readFile(new URL('../../openapi/direct.yaml', import.meta.url), 'utf8'));
const ajv = new Ajv2020({
  strict: true,
  allowUnionTypes: true,
  allErrors: true,
  formats: { uri: true, 'date-time': true },
});
ajv.addVocabulary(['openapi', 'info', 'servers', 'security', 'paths', 'components']);
ajv.addSchema({ ...file, $id: 'direct' });

let house: House.House;
beforeAll(async () => {
  house = await House.open();
});
afterAll(() => house.close());

function schemaAt(...path: string[]): ValidateFunction {
  const pointer = path.map((step) => step.replaceAll('~', '~0').replaceAll('/', '~1')).join('/');
  return ajv.compile({ $ref: `direct#/${pointer}` });
}
const answerSchema = (path: string, method = 'post') =>
  schemaAt('paths', path, method, 'responses', '200', 'content', 'application/json', 'schema');
const requestSchema = (path: string) =>
  schemaAt('paths', path, 'post', 'requestBody', 'content', 'application/json', 'schema');
const errorSchema = schemaAt('components', 'schemas', 'Error');

function expectValid(validate: ValidateFunction, value: unknown): void {
  expect(validate(value), JSON.stringify(validate.errors)).toBe(true);
}

/** Every object of the document, with where it stands. */
function* objects(value: unknown, path = ''): Generator<[string, Record<string, unknown>]> {
  if (typeof value !== 'object' || value === null) return;
  if (!Array.isArray(value)) yield [path, value as Record<string, unknown>];
  for (const [name, child] of Object.entries(value)) yield* objects(child, `${path}/${name}`);
}

describe('the description', () => {
  it('is what the program says of itself (if not: node src/direct/describe.ts > openapi/direct.yaml)', async () => {
    expect(file).toEqual(JSON.parse(JSON.stringify(describeInterface('http://127.0.0.1:4021'))));
    const own = await house.send('/openapi.json', {});
    expect(own.body.servers).toEqual([{ url: house.url }]);
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
    for (const { path, method, request } of operations) {
      const entry = file.paths[path][method.toLowerCase()];
      const answer = entry.responses['200'].content['application/json'];
      expectValid(answerSchema(path, method.toLowerCase()), answer.example);
      if (request) expectValid(requestSchema(path), entry.requestBody.content['application/json'].example);
    }
  });

  it('has examples of requests that find something in the sample', async () => {
    for (const { path, request, example } of operations) {
      if (!request) continue;
      const answer = await house.post(path, example.request);
      expect(answer.status).toBe(200);
      expect(answer.body.fair_usage.records_used).toBeGreaterThan(0);
    }
  });
});

describe('what is sent', () => {
  it('is valid wherever it is an answer', async () => {
    const keyInfo = answerSchema('/v2/account/key-info', 'get');
    expectValid(keyInfo, (await house.keyInfo()).body);
    for (const { path, request } of operations) {
      if (!request) continue;
      const validate = answerSchema(path);
      const body = path.includes('tam') ? {} : { company_network_url: House.northwind };
      const more = path.includes('distribution') ? {} : { max_results: 50 };
      const nobody = { company_network_url: 'https://www.network.example/company/nobody-at-all' };
      expectValid(validate, (await house.post(path, { ...body, ...more })).body);
      if (!path.includes('tam')) expectValid(validate, (await house.post(path, nobody)).body);
    }
    for (const page of await house.pages('/v2/company/tam-by-jobs', { max_results: 50 })) {
      expectValid(answerSchema('/v2/company/tam-by-jobs'), page);
    }
  });

  it('is valid wherever it is a refusal', async () => {
    const poor = await house.issue({ name: 'Poor', requestsPerSecond: 2, recordsPerMonth: 1 });
    const body = { company_network_url: House.northwind, max_results: 1 };
    const ask = () => house.post('/v2/jobs/company', body, poor);
    const refusals = [
      await house.send('/v2/account/key-info', {}),
      await house.send('/nothing', {}),
      await house.post('/v2/jobs/company', { wrong: 1, max_results: 0 }),
      await house.post('/v2/jobs/company', undefined),
      ...[await ask(), await ask(), await ask()].slice(1),
    ];
    expect(refusals.map((refusal) => refusal.status)).toEqual([401, 404, 422, 400, 402, 429]);
    for (const refusal of refusals) expectValid(errorSchema, refusal.body);
  });

  it('is accepted exactly where the description accepts it', async () => {
    const validate = requestSchema('/v2/company/tam-by-jobs');
    const job = Oracle.jobFilter(house.world.jobs);
    const company = Oracle.companyFilter(house.world.companies);
    const odd = fc.constantFrom<unknown>(undefined, null, 0, 51, 10, 'x', 'abc', [], { last_days: 3 }, true);
    const body = fc.record(
      {
        job: fc.oneof(job, odd),
        company: fc.oneof(company, odd),
        max_results: odd,
        more: fc.constantFrom(undefined, 1),
      },
      { requiredKeys: [] },
    );
    await fc.assert(
      fc.asyncProperty(body, async (candidate) => {
        const sent = JSON.parse(JSON.stringify(candidate));
        const answer = await house.post('/v2/company/tam-by-jobs', sent);
        expect(answer.status, JSON.stringify(sent)).toBe(validate(sent) ? 200 : 422);
      }),
      { numRuns: 200, seed: 5 },
    );
  });
});
