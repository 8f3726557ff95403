import * as Money from '@sluice/kernel/money';
import { expect, test } from 'vitest';
import * as CatalogFile from '../../src/catalog/file.ts';
import { headlineOf } from '../../src/http/pages/headline.ts';
import { highlighted } from '../../src/http/pages/plan-card.ts';
import { worthOf } from '../../src/http/pages/plan-worth.ts';
import { english } from '../../src/text/texts.ts';

const { storefront, services, plans } = await CatalogFile.load('openapi/catalog.yaml');
const headline = (description: string, count = services.length) =>
  headlineOf(english, {
    storefront: { ...storefront, description },
    services: services.slice(0, count),
  });

test('the headline is the first sentence of the description, and the rest is below it', () => {
  expect(headline('Email checks for teams.\nSold by the result.')).toEqual({
    title: 'Email checks for teams',
    lead: 'Sold by the result.',
  });
});

test('the headline names the first services where no short sentence says what is sold', () => {
  const long = `${'Very many words '.repeat(10)}.`;
  expect(headline(long)).toEqual({
    title: `People search, Company search and ${services.length - 2} more`,
    lead: long,
  });
  expect(headline('', 1)).toEqual({ title: 'People search', lead: '' });
  expect(headline(storefront.name, 2).title).toBe('People search and Company search');
});

test('the recommended plan is highlighted, and the lowest price where none is', () => {
  expect(highlighted(english, { plans, services })).toEqual({
    id: 'scale',
    badge: 'Lowest price per result',
  });
  const recommended = plans.map((plan) => ({ ...plan, isRecommended: plan.id === 'credit' }));
  expect(highlighted(english, { plans: recommended, services })).toEqual({
    id: 'credit',
    badge: 'Recommended',
  });
});

test('no plan has the badge of the lowest price where credit pays for the same unit at most as much', async () => {
  const { plans, services } = await CatalogFile.load('test/fixtures/periods.yaml');
  expect(highlighted(english, { plans, services })).toBeNull();
  const dear = services.map((service) => ({ ...service, price: Money.ofCents(5) }));
  expect(highlighted(english, { plans, services: dear })).toMatchObject({ id: 'large' });
});

test('the cards of a page name their prices by the same number of units', async () => {
  const { plans, services } = await CatalogFile.load('test/fixtures/periods.yaml');
  const worths = (offer: typeof services) =>
    plans.map((plan) => worthOf(english, plan, { plans, services: offer })).filter((worth) => worth !== '');
  expect(worths(services).slice(0, 2)).toEqual([
    '1.00 USD per 1,000 results',
    '100.00 USD per 1,000 results',
  ]);
  expect(worths(services).filter((worth) => !worth.includes('per 1,000'))).toEqual([]);
  const dear = services.map((service) => ({ ...service, price: Money.ofCents(5) }));
  expect(worths(dear).slice(0, 2)).toEqual(['0.05 USD per result', '0.10 USD per result']);
});
