import * as Money from '@sluice/kernel/money';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Advisor } from '../src/advisor.ts';
import * as GoalSet from './goal-set.ts';

let advisor: Advisor;
let document: Record<string, unknown>;

beforeAll(async () => {
  ({ advisor, document } = await GoalSet.advisor(GoalSet.shipped));
});

const body = (goal: string, at = 0) => GoalSet.ask(advisor, { goal }).operations[at]?.request.body;

describe('every request that is advised', () => {
  test('is valid by the schema that the upstream publishes', () => {
    const ajv = new Ajv2020({ strict: false, logger: false, validateFormats: false });
    ajv.addSchema({ ...document, $id: 'api.json' });
    let checked = 0;
    for (const { goal } of [...GoalSet.cases('goals/solved.txt'), ...GoalSet.cases('goals/held-out.txt')]) {
      for (const { method, path, request } of GoalSet.ask(advisor, { goal }).operations) {
        const pointer = [
          'paths',
          path,
          method.toLowerCase(),
          'requestBody',
          'content',
          'application/json',
          'schema',
        ].map((key) => encodeURIComponent(key.replaceAll('~', '~0').replaceAll('/', '~1')));
        if (request.body === null) continue;
        const validate = ajv.compile({ $ref: `api.json#/${pointer.join('/')}` });
        expect({ goal, valid: validate(request.body), errors: validate.errors }).toEqual({
          goal,
          valid: true,
          errors: null,
        });
        checked += 1;
      }
    }
    expect(checked).toBeGreaterThan(200);
  });

  test('adds up: the costs of the operations are the estimate, low and high', () => {
    for (const { goal } of GoalSet.cases('goals/solved.txt')) {
      const { operations, estimate } = GoalSet.ask(advisor, { goal });
      const total = (of: 'cost_usd_low' | 'cost_usd_high') =>
        Money.format(
          Money.ofMicro(
            operations.reduce((sum, it) => sum + (Money.parse(it.estimate[of]) ?? Number.NaN), 0),
          ),
        );
      expect([goal, total('cost_usd_low'), total('cost_usd_high')]).toEqual([
        goal,
        estimate.cost_usd_low,
        estimate.cost_usd_high,
      ]);
      expect(estimate.units_low).toBeLessThanOrEqual(estimate.units_high);
    }
  });
});

describe('a goal fills', () => {
  test('titles, countries, sizes and industries, each where it belongs', () => {
    expect(
      body(
        'work emails of 200 heads of sales at German software companies with 50 to 200 people, under 5 dollars',
      ),
    ).toEqual({
      company: {
        industry: { include: ['Software Development'] },
        employee_range: ['51-200'],
        hq: { country_code: ['DE'] },
      },
      people: { job_title: { include: ['Head of Sales'] } },
      max_results: 50,
    });
  });

  test('a place behind "in" with the noun before it', () => {
    expect(body('30 CTOs in France')).toEqual({
      people: { job_title: { include: ['CTO'] }, location: { country_code: ['FR'] } },
      max_results: 30,
    });
  });

  test('a range that no bands meet by its ends', () => {
    expect(body('50 software companies in Spain with 120 to 340 employees')).toMatchObject({
      company: { employee_count: { min: 120, max: 340 } },
    });
  });

  test('spans of time, least numbers and money', () => {
    expect(body('jobs for nurses in Ireland posted in the last 7 days')).toMatchObject({
      job: { title: { include: ['Nurse'] }, date_posted: { last_days: 7 } },
    });
    expect(body('companies with at least 5 data scientists')).toMatchObject({
      people: { min_per_company: 5 },
    });
    expect(body('public companies in Japan with revenue above 1 billion dollars')).toMatchObject({
      company: { revenue: { min: 1_000_000_000 } },
    });
  });

  test('a page that is written without its scheme', () => {
    expect(body('people who work in marketing at network.example/company/acme')).toMatchObject({
      company_network_url: 'https://network.example/company/acme',
    });
  });

  test('what it gives by itself, and what one answer gives to the next', () => {
    const { operations } = GoalSet.ask(advisor, { goal: 'work emails of the decision makers at acme.com' });
    expect(operations.map(({ takes }) => takes.map(({ field, from }) => [field, from]))).toEqual([
      [],
      [['/company_network_url', { operation: 1, pointer: '/company_network_url' }]],
      [['/person_network_url', { operation: 2, pointer: '/results/*/person/network_url' }]],
    ]);
    expect(operations[0]?.request.body).toEqual({ domain: 'acme.com' });
  });
});
