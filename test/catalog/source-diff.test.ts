import { expect, test } from 'vitest';
import { sourceChanges } from '../../src/catalog/source-diff.ts';

const before = `storefront: { name: Lists, brand: { colour: "#aa0000" } }
services:
  - { slug: lists, name: Lists, price_usd: "0.001" }
  - { slug: people, price_usd: "0.002" }
plans:
  - { id: start, kind: subscription, covers: [lists, people], price_usd: "103.00" }
`;

test('names each changed value of a plan, a service and the shop, and what was added or removed', () => {
  const after = before
    .replace('#aa0000', '#00aa00')
    .replace('"103.00"', '"125.00"')
    .replace('[lists, people]', '[lists]')
    .replace('slug: people, price_usd: "0.002"', 'slug: jobs, price_usd: "0.003"');
  expect(sourceChanges(before, after)).toEqual([
    {
      ...{ subject: 'shop', name: '', deed: 'changed' },
      fields: [{ name: 'brand.colour', from: '#aa0000', to: '#00aa00' }],
    },
    {
      ...{ subject: 'plan', name: 'Start', deed: 'changed' },
      fields: [
        { name: 'covers', from: 'lists, people', to: 'lists' },
        { name: 'price_usd', from: '103.00', to: '125.00' },
      ],
    },
    { subject: 'service', name: 'people', deed: 'removed', fields: [] },
    {
      ...{ subject: 'service', name: 'jobs', deed: 'added' },
      fields: [{ name: 'price_usd', from: null, to: '0.003' }],
    },
  ]);
});

test('comments, spacing and the order of items are no changes, and a broken text has none', () => {
  expect(sourceChanges(before, `# a note\n${before.replaceAll('{ ', '{  ')}`)).toEqual([]);
  const reversed = before.replace(/( {2}- .*lists.*\n)( {2}- .*people.*\n)/, '$2$1');
  expect(sourceChanges(before, reversed)).toEqual([]);
  expect(sourceChanges('plans: 5', 'plans: [')).toEqual([]);
});

test('a plan that is no longer sold is named as such, and one that is sold again', () => {
  const after = before.replace('"103.00"', '"103.00", retired: true');
  const deeds = (from: string, to: string) =>
    sourceChanges(from, to).map(({ deed, fields }) => [deed, fields]);
  expect(deeds(before, after)).toEqual([['retired', []]]);
  expect(deeds(after, before)).toEqual([['resumed', []]]);
});
