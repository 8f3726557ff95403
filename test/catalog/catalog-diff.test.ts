import * as Money from '@sluice/kernel/money';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Catalog } from '../../src/catalog/catalog.ts';
import * as CatalogDiff from '../../src/catalog/catalog-diff.ts';
import { impactsOf } from '../../src/catalog/catalog-impact.ts';
import type { Operation } from '../../src/catalog/operation.ts';
import { covers, type Plan } from '../../src/catalog/plan.ts';
import type { PlanHoldings } from '../../src/catalog/plan-holdings.ts';
import type { Service } from '../../src/catalog/service.ts';
import { shop } from './todo.ts';

const money = fc.integer({ min: 1, max: 5 }).map((cents) => Money.ofCents(cents * 50));
const slugs = ['a', 'b', 'c'];
const calls = ['GET /1', 'GET /2', 'POST /3', 'PUT /4'];
const covering = fc.oneof(
  fc.constant('*' as const),
  fc.subarray(slugs, { minLength: 1 }).map((some) => new Set(some)),
);

function service(slug: string): fc.Arbitrary<Service> {
  return fc.record({
    slug: fc.constant(slug),
    name: fc.constantFrom('One', 'Two'),
    description: fc.constant(''),
    unit: fc.constantFrom('result', 'call'),
    price: money,
  });
}

function operation(id: string, services: readonly Service[]): fc.Arbitrary<Operation> {
  const [method = '', path = ''] = id.split(' ');
  const size = fc.integer({ min: 0, max: 3 });
  const pointer = fc.constantFrom(['results'], ['found']);
  return fc.record({
    id: fc.constant(id),
    method: fc.constant(method),
    path: fc.constant(path),
    service: fc.constantFrom(...services),
    units: fc.oneof(
      size.map((units) => ({ kind: 'fixed' as const, units })),
      pointer.map((it) => ({ kind: 'pointer' as const, pointer: it })),
    ),
    unitsMax: fc.oneof(
      size.map((units) => ({ kind: 'fixed' as const, units })),
      fc.record({ kind: fc.constant('pointer' as const), pointer, default: size, ceiling: size }),
    ),
    uncountable: fc.constantFrom('withhold' as const, 'free' as const, 'max' as const),
    yield: fc.constant({ low: 0, high: 1 }),
    answeredBy: fc.constant('upstream' as const),
    stream: fc.constant(null),
  });
}

function plan(id: string): fc.Arbitrary<Plan> {
  const offer = {
    id: fc.constant(id),
    name: fc.constant(id),
    description: fc.constant(''),
    covers: covering,
  };
  const rate = { requestsPerSecond: fc.integer({ min: 1, max: 3 }), isRecommended: fc.boolean() };
  const some = fc.integer({ min: 1, max: 3 });
  const what = fc.record({ asset: fc.constantFrom('unit' as const, 'usd' as const), amount: some });
  switch (id) {
    case 'trial':
      return fc.record({
        ...{ ...offer, ...rate, kind: fc.constant('trial' as const) },
        ...{ included: what, includedWhenClaimed: what, perHour: fc.option(some, { nil: null }) },
        oncePer: fc.subarray(['email', 'card', 'wallet', 'address'] as const),
      });
    case 'credit':
      return fc.record({ ...offer, ...rate, kind: fc.constant('credit' as const), min: money, max: money });
    default:
      return fc.record({
        ...{ ...offer, ...rate, kind: fc.constant('subscription' as const), price: money, included: what },
        ...{
          every: fc.constantFrom('month' as const, 'year' as const),
          rollover: fc.boolean(),
          graceDays: some,
        },
      });
  }
}

/** Arbitrary catalogues over the same few names, so that two of them have much in common. */
const catalogs: fc.Arbitrary<Catalog> = fc
  .subarray(slugs, { minLength: 1 })
  .chain((some) => fc.tuple(...some.map(service)))
  .chain((services) =>
    fc
      .tuple(
        fc.subarray(calls).chain((some) => fc.tuple(...some.map((id) => operation(id, services)))),
        fc
          .subarray(['trial', 'credit', 'start', 'scale'])
          .chain((some) => fc.tuple(...some.map((id) => fc.tuple(plan(id), fc.boolean())))),
      )
      .map(([operations, plans]) => ({
        ...shop(),
        services,
        operations,
        plans: plans.filter(([, retired]) => !retired).map(([it]) => it),
        retired: plans.filter(([, retired]) => retired).map(([it]) => it),
      })),
  );

function plansOf({ plans, retired }: Catalog): Plan[] {
  return [...plans, ...retired];
}

function planHoldings(plan: string, more: Partial<PlanHoldings> = {}): PlanHoldings {
  const nothing = { accounts: 0, usd: Money.zero, units: 0, periods: [] };
  return { plan, ...nothing, coming: 0, topUps: 0, promotions: 0, offers: 0, ...more };
}

describe('between any two catalogues', () => {
  test('there is no difference where both sell the same', () => {
    fc.assert(
      fc.property(catalogs, (catalog) => {
        expect(CatalogDiff.between(catalog, structuredClone(catalog))).toEqual([]);
      }),
    );
  });

  test('every raise of a price is found, and named', () => {
    fc.assert(
      fc.property(catalogs, catalogs, (before, after) => {
        const raised = CatalogDiff.between(before, after).filter(({ fields }) =>
          fields.some(({ severity }) => severity === 'raises_price'),
        );
        const names = (subject: string, id: string) =>
          raised.some((change) => change.subject === subject && change.id === id);
        for (const old of before.operations) {
          const fresh = after.operations.find(({ id }) => id === old.id);
          if (!fresh || fresh.service.price <= old.service.price) continue;
          expect(names('operation', old.id) || names('service', fresh.service.slug)).toBe(true);
        }
        for (const old of plansOf(before)) {
          const fresh = plansOf(after).find(({ id }) => id === old.id);
          if (old.kind === 'subscription' && fresh?.kind === 'subscription' && fresh.price > old.price)
            expect(names('plan', old.id)).toBe(true);
          if (old.kind === 'credit' && fresh?.kind === 'credit' && fresh.min > old.min)
            expect(names('plan', old.id)).toBe(true);
        }
      }),
    );
  });

  test('what is called harmless takes nothing away and makes nothing dearer', () => {
    fc.assert(
      fc.property(catalogs, catalogs, fc.boolean(), (before, other, byPlans) => {
        const after = byPlans
          ? { ...before, plans: other.plans, retired: other.retired }
          : { ...before, services: other.services, operations: other.operations };
        if (CatalogDiff.worst(CatalogDiff.between(before, after).map((it) => it.severity)) !== 'harmless')
          return;
        for (const old of before.operations) {
          const fresh = after.operations.find(({ id }) => id === old.id);
          expect(fresh?.service.price).toBeLessThanOrEqual(old.service.price);
          for (const held of plansOf(before).filter((it) => covers(it, old.service))) {
            const still = plansOf(after).find(({ id }) => id === held.id);
            expect(still && fresh && covers(still, fresh.service)).toBe(true);
            expect(still?.requestsPerSecond).toBeGreaterThanOrEqual(held.requestsPerSecond);
          }
        }
      }),
      { numRuns: 300 },
    );
  });

  test('nothing is taken that would leave money of no use', () => {
    fc.assert(
      fc.property(catalogs, catalogs, (before, after) => {
        const stakes = plansOf(before).map(({ id }) =>
          planHoldings(id, { accounts: 1, usd: Money.ofCents(50) }),
        );
        const { refusals } = impactsOf(before, after, stakes);
        const lost = plansOf(before).filter(
          ({ id, kind }) => kind !== 'trial' && !plansOf(after).some((it) => it.id === id),
        );
        expect(refusals).toHaveLength(lost.length);
        for (const { id } of lost) expect(refusals.join('\n')).toContain(`Plan ${id} cannot be left out`);
      }),
    );
  });
});

describe('in the words of a seller', () => {
  const before = shop();
  const say = (changes: [string, string][], stakes: readonly PlanHoldings[]) =>
    impactsOf(before, shop(...changes), stakes);

  test('a dearer service says from when credit pays more, and that units do not', () => {
    const { severity, changes } = say(
      [['price_usd: "0.002"', 'price_usd: "0.003"']],
      [
        planHoldings('credit', { accounts: 2, usd: Money.ofCents(1_250) }),
        planHoldings('start', { accounts: 1, units: 50 }),
      ],
    );
    expect(severity).toBe('raises_price');
    expect(changes).toEqual([
      expect.objectContaining({
        subject: 'service',
        id: 'todos',
        fields: [{ name: 'price_usd', from: '0.002', to: '0.003', severity: 'raises_price' }],
        says: [
          'credit: 12.50 USD unused in 2 accounts: credit pays 0.003 USD from the next call on; included units count as before',
        ],
      }),
    ]);
  });

  test('a dearer plan says what the next period of its subscribers costs', () => {
    const { changes } = say(
      [['price_usd: "99.00"', 'price_usd: "129.00"']],
      [
        planHoldings('start', {
          periods: [
            { accounts: 12, price: Money.ofCents(9_900), every: 'month', units: 200_000, asset: 'unit' },
          ],
        }),
      ],
    );
    expect(changes.map(({ deed, severity }) => [deed, severity])).toEqual([['changed', 'raises_price']]);
    expect(changes[0]?.says).toEqual([
      'start: 12 subscribers: 12 subscribers keep 99.00 USD a month for 200,000 units at every renewal; the new terms apply to new subscribers and to changes of plan',
    ]);
  });

  test('a plan for money is retired before it goes, and kept while anybody has anything of it', () => {
    const credit = '  - { id: credit, kind: credit, covers: "*", min_usd: "5.00", max_usd: "100.00" }\n';
    const retired = credit.replace('kind: credit', 'kind: credit, retired: true');
    expect(say([[credit, '']], []).refusals).toEqual([
      'Plan credit cannot be left out while it is sold. Load it with "retired: true" first, so that it cannot be bought in the meantime',
    ]);
    const held = planHoldings('credit', { accounts: 3, usd: Money.ofCents(700), topUps: 1 });
    const retiring = say([[credit, retired]], [held]);
    expect(retiring.refusals).toEqual([]);
    expect(retiring.changes.map(({ deed, severity }) => [deed, severity])).toEqual([
      ['retired', 'takes_away'],
    ]);
    expect(retiring.changes[0]?.says.join('\n')).toContain('they can use up their balance');
    expect(impactsOf(shop([credit, retired]), shop([credit, '']), [held]).refusals).toEqual([
      'Plan credit cannot be left out (credit: 7.00 USD unused in 3 accounts, 1 agreed top-up). Keep it with "retired: true" until that has ended',
    ]);
    expect(impactsOf(shop([credit, retired]), shop([credit, '']), []).refusals).toEqual([]);
  });

  test('free units that are left out are told, and no reason to refuse', () => {
    const trial = '  - { id: trial, kind: trial, covers: [todos, account], included: 25 }\n';
    const { changes, refusals } = say([[trial, '']], [planHoldings('trial', { accounts: 9, units: 100 })]);
    expect(refusals).toEqual([]);
    expect(changes.map(({ id, severity, says }) => [id, severity, says])).toEqual([
      ['trial', 'takes_away', ['trial: 100 units unused in 9 accounts: their holdings become unusable']],
    ]);
  });

  test('a first colour is the only change of the look: the font was the usual one before, too', () => {
    const contact = '  contact: sales@example.com\n';
    const branded = `${contact}  brand: { colour: "#7a1fa2" }\n`;
    const { changes } = say([[contact, branded]], []);
    expect(changes.map(({ fields }) => fields.map(({ name, from, to }) => [name, from, to]))).toEqual([
      [['brand.colour', null, '#7a1fa2']],
    ]);
    const serif = `${contact}  brand: { font: serif }\n`;
    expect(say([[contact, serif]], []).changes[0]?.fields).toMatchObject([
      { name: 'brand.font', from: 'sans', to: 'serif' },
    ]);
  });

  test('what a catalogue has lost before is told too', () => {
    expect(say([], [planHoldings('old', { accounts: 1, usd: Money.ofCents(50) })]).warnings).toEqual([
      'The catalogue has no plan old: 0.50 USD unused in 1 account. Add it again with "retired: true"',
    ]);
  });
});
