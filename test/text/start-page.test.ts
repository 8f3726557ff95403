import { expect, test } from 'vitest';
import * as CatalogFile from '../../src/catalog/file.ts';
import { headlineOf } from '../../src/http/pages/headline.ts';
import { highlighted } from '../../src/http/pages/plan-card.ts';
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
