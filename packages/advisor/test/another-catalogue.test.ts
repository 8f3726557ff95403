import { beforeAll, describe, expect, test } from 'vitest';
import type { Advisor } from '../src/advisor.ts';
import * as GoalSet from './goal-set.ts';

let advisor: Advisor;

beforeAll(async () => {
  ({ advisor } = await GoalSet.advisor('fixtures/parcels.yaml'));
});

const advise = (goal: string) => GoalSet.ask(advisor, { goal });

describe('a catalogue of another trade', () => {
  test.each([
    ['where is my parcel', ['trackParcel']],
    ['track the parcel', ['trackParcel']],
    ['12 lockers in Utrecht in the Netherlands where parcels can be collected', ['listPickupPoints']],
    ['pickup points in Belgium', ['listPickupPoints']],
    ['prices of carriers for a parcel by express', ['quoteRates']],
    ['shipping rates and a label for it', ['quoteRates', 'buyLabel']],
  ])('%s', (goal, wanted) => {
    expect(GoalSet.chain(advisor, advise(goal))).toEqual(wanted);
  });

  test('is asked back with both readings when two operations are probable', () => {
    const { status, questions } = advise('what do carriers charge to ship a parcel by express');
    expect(status).toBe('needs_input');
    expect(questions[0]).toMatch(/^Is this wanted: .*\/v1\/rates.* Or this: /);
  });

  test('has its queries filled, and its prices', () => {
    const { operations, estimate, plan } = advise(
      '12 lockers in Utrecht in the Netherlands where parcels can be collected',
    );
    expect(operations[0]?.request).toMatchObject({ method: 'GET', body: null });
    const url = new URL(operations[0]?.request.url ?? '');
    expect(url.pathname).toBe('/v1/pickup-points');
    expect(Object.fromEntries(url.searchParams)).toEqual({
      city: 'Utrecht',
      country: 'NL',
      kind: 'locker',
      limit: '12',
    });
    expect(estimate).toEqual({ units_low: 9, units_high: 12, cost_usd_low: '0.018', cost_usd_high: '0.024' });
    expect(plan).toMatchObject({ id: 'credit', amount_usd: '1.00' });
  });

  test('hands on what one answer gives to the next', () => {
    const [, label] = advise('shipping rates and a label for it').operations;
    expect(label?.takes).toEqual([
      { field: '/rate_id', from: { operation: 1, pointer: '/rates/*/rate_id' }, example: 'rate_1' },
    ]);
  });

  test('asks for what it cannot know, and knows what it does not sell', () => {
    expect(advise('where is my parcel')).toMatchObject({ status: 'needs_input' });
    expect(advise('work emails of dentists').status).toMatch(/^(?:unknown|unsupported)$/);
  });
});
