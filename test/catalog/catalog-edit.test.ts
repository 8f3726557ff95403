import { expect, test } from 'vitest';
import { apply } from '../../src/catalog/catalog-edit.ts';

const text = `# My shop
storefront:
  name: Todo Shop   # the name
  contact: sales@example.com

services:
  - slug: todos
    name: Todos     # plural
    price_usd: "0.002"
  - slug: other
    name: &shared Other
    description: |
      Two
      lines

plans:
  # Free units.
  - { id: trial, kind: trial, covers: [todos], included: 25 }
  - id: start
    kind: subscription
    price_usd: "19.00"   # since May
    included: 50000
    description: *shared

# The end
`;
const edited = (...edits: Parameters<typeof apply>[1][number][]) => {
  const result = apply(text, edits);
  return result.kind === 'edited' ? result.text : result;
};

test('a changed value leaves every other byte, comments included, as it was', () => {
  expect(edited({ path: ['services', 0, 'price_usd'], value: '0.003' })).toBe(
    text.replace('"0.002"', '"0.003"'),
  );
  expect(edited({ path: ['plans', 0, 'included'], value: 30 })).toBe(
    text.replace('included: 25', 'included: 30'),
  );
  expect(edited({ path: ['plans', 1, 'price_usd'], value: '25.00' })).toBe(
    text.replace('"19.00"   # since May', '"25.00"   # since May'),
  );
  expect(edited({ path: ['services', 1, 'description'], value: 'One: line # not a comment' })).toBe(
    text.replace('|\n      Two\n      lines\n', '"One: line # not a comment"\n'),
  );
});

test('a new key is added to its mapping, and a mapping that is missing too', () => {
  expect(edited({ path: ['plans', 0, 'retired'], value: true })).toBe(
    text.replace('included: 25 }', 'included: 25, retired: true }'),
  );
  expect(edited({ path: ['services', 0, 'description'], value: 'By the piece' })).toBe(
    text.replace('"0.002"\n', '"0.002"\n    description: "By the piece"\n'),
  );
  expect(edited({ path: ['storefront', 'brand', 'colour'], value: '#0b5f52' })).toBe(
    text.replace('sales@example.com\n', 'sales@example.com\n  brand: { colour: "#0b5f52" }\n'),
  );
});

test('a removed key leaves the rest', () => {
  expect(edited({ path: ['plans', 0, 'included'], value: undefined })).toBe(
    text.replace(', included: 25 }', ' }'),
  );
  expect(edited({ path: ['plans', 1, 'included'], value: undefined })).toBe(
    text.replace('    included: 50000\n', ''),
  );
  expect(edited({ path: ['plans', 1, 'rollover'], value: undefined })).toBe(text);
});

test('several edits and a new plan at once', () => {
  const result = apply(
    text,
    [
      { path: ['storefront', 'name'], value: 'Jobs "R" Us' },
      { path: ['plans', 1, 'included'], value: 60_000 },
    ],
    [
      {
        list: ['plans'],
        item: { id: 'pro', kind: 'subscription', covers: '*', price_usd: '99.00', included: 5 },
      },
    ],
  );
  expect(result).toEqual({
    kind: 'edited',
    text: text
      .replace('name: Todo Shop ', 'name: "Jobs \\"R\\" Us" ')
      .replace('50000', '60000')
      .replace(
        'description: *shared\n',
        'description: *shared\n  - { id: "pro", kind: "subscription", covers: "*", price_usd: "99.00", included: 5 }\n',
      ),
  });
});

test('a shared value is refused, because others would change with it', () => {
  expect(edited({ path: ['services', 1, 'name'], value: 'New' })).toMatchObject({ kind: 'refused' });
  expect(edited({ path: ['plans', 1, 'description'], value: 'Own' })).toBe(
    text.replace('description: *shared', 'description: "Own"'),
  );
});

test('a file with other line ends keeps them', () => {
  const other = text.replaceAll('\n', '\r\n');
  const result = apply(other, [{ path: ['services', 0, 'price_usd'], value: '1' }]);
  expect(result).toEqual({ kind: 'edited', text: other.replace('"0.002"', '"1"') });
});
