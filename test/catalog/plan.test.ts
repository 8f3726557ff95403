import { expect, test } from 'vitest';
import * as Description from '../../src/catalog/description.ts';
import * as ExampleRequest from '../../src/catalog/example-request.ts';
import * as Plan from '../../src/catalog/plan.ts';
import { sharedUnit, unitOfPlan } from '../../src/catalog/plan-unit.ts';
import { shop } from './todo.ts';

const catalog = shop();

test('a trial is given, not sold', () => {
  expect(Plan.forSale(catalog.plans).map(({ id }) => id)).toEqual(['credit', 'start', 'scale']);
  expect(Plan.findForSale(catalog.plans, 'trial')).toBeNull();
  expect(Plan.findForSale(catalog.plans, 'credit')?.kind).toBe('credit');
  expect(Plan.findForSale(catalog.plans, 'unknown')).toBeNull();
  expect(Plan.trialOf(catalog.plans)?.included).toEqual({ asset: 'unit', amount: 25 });
  expect(Plan.trialOf(Plan.forSale(catalog.plans))).toBeNull();
});

test('a plan names the unit of its priced services, and `unit` where they count different things', () => {
  const [trial, credit] = catalog.plans;
  if (trial === undefined || credit === undefined) throw new Error('the shop has no plans');
  expect(unitOfPlan(trial, catalog.services)).toBe('todo');
  expect(unitOfPlan(credit, catalog.services)).toBe('unit');
  expect(sharedUnit([])).toBe('unit');
});

test('an example asks for few units where the request has a field for them', () => {
  const operation = ExampleRequest.exampleOperation(catalog);
  expect(operation.id).toBe('GET /v1/todos');
  expect(ExampleRequest.smallBody(operation, Description.none)).toBe('');
  const asking = { ...operation, method: 'POST' };
  expect(JSON.parse(ExampleRequest.smallBody(asking, Description.none))).toEqual({ limit: 3 });
  const fixed = { ...asking, unitsMax: { kind: 'fixed', units: 1 } as const };
  expect(JSON.parse(ExampleRequest.smallBody(fixed, Description.none))).toEqual({});
  for (const [given, left, limit] of [
    [50, 25, 3],
    [50, 2, 2],
    [1, 25, 1],
    [50, 0, 3],
  ])
    expect(ExampleRequest.withFewUnits(asking, { limit: given, q: 'x' }, left)).toEqual({ limit, q: 'x' });
});

test('a shop without an upstream operation shows its own, and an empty one fails', () => {
  const own = catalog.operations.filter(({ answeredBy }) => answeredBy === 'storefront');
  expect(ExampleRequest.exampleOperation({ operations: own }).id).toBe('GET /v1/account/key-info');
  expect(() => ExampleRequest.exampleOperation({ operations: [] })).toThrow('sells nothing');
});
