import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import * as Fault from '../../src/catalog/fault.ts';
import * as File from '../../src/catalog/file.ts';

const valid = readFileSync(new URL('../fixtures/metered.yaml', import.meta.url), 'utf8');

/** Returns the faults of the valid catalogue after one change, each with its line. */
function faults(from: string, to: string): string[] {
  expect(valid).toContain(from);
  const parsed = File.parse(valid.replace(from, to), 'shop.yaml');
  return parsed.ok ? [] : parsed.faults.map(Fault.format);
}

test('a catalogue with meters is valid', () => {
  expect(File.parse(valid, 'shop.yaml').ok).toBe(true);
});

describe('a catalogue is refused, with the line and the way to fix it,', () => {
  const small = 'small-1: { per: 1000000, input: "0.15",';
  test.each<[string, string, string, string]>([
    [
      'with a price of an unknown meter',
      small,
      `${small} outptu: "1",`,
      'outptu is not a meter. Did you mean "output"?',
    ],
    [
      'without the price of a meter',
      'cached_input: "0.075", ',
      '',
      'cached_input is missing: each meter needs a price',
    ],
    ['without the number of units', small, 'small-1: { input: "0.15",', 'per is missing'],
    ['with another number of units', small, 'small-1: { per: 100, input: "0.15",', 'per is 100'],
    ['with thirteen decimals', 'input: "0.15"', 'input: "0.1234567890123"', 'at most twelve decimals'],
    ['with a price that is a number', 'input: "0.15"', 'input: 0.15', 'put it in quotes'],
    [
      'without a maximum',
      '          input: { bytes: 1 }\n',
      '',
      'input is missing: say how much one request can cost',
    ],
    [
      'with the maximum of an unknown meter',
      '          input: { bytes: 1 }',
      '          input: { bytes: 1 }\n          inptu: 1',
      'inptu is not a meter',
    ],
    [
      'with a default above the ceiling',
      'default: 4096',
      'default: 128001',
      'default 128001 is above the ceiling',
    ],
    [
      'with a part of an unknown meter',
      'part_of: input',
      'part_of: inputs',
      'part_of "inputs" is not a meter',
    ],
    ['with a part of itself', 'part_of: input', 'part_of: cached_input', 'makes the meter a part of itself'],
    [
      'with two prices',
      '    price_by: /model\n',
      '    price_by: /model\n    price_usd: "1"\n',
      'price_usd and meters exclude each other',
    ],
    ['with prices by nothing', '    price_by: /model\n', '', 'price_by is missing'],
    [
      'with units of an operation',
      'max: { input: { bytes: 1 }, output: 1000 }',
      'units: 1\n        max: { input: { bytes: 1 }, output: 1000 }',
      'units does not go with meters',
    ],
    [
      'with a worst case above what money may be',
      'input: "2.50", cached_input: "3.125", output: "10.00"',
      'input: "2.50", cached_input: "3.125", output: "1000000000"',
      'lets one call cost over 1000000000 USD',
    ],
    [
      'with included units',
      'plans:',
      'plans:\n  - { id: trial, kind: trial, covers: "*", included: 25 }',
      'included counts units, and the plan covers chat, whose meters are paid in money: write included_usd',
    ],
    [
      'with a quantity of two kinds',
      '{ bytes: response }',
      '{ bytes: response, header: x }',
      'names no quantity or several',
    ],
    [
      'with the price of a cost',
      'searches: "0.005"',
      'searches: "0.005", provider: "1"',
      "counted in the upstream's own price",
    ],
    [
      'with a parameter that no path has',
      'price_by: query:quality',
      'price_by: path:quality',
      'has no {quality}',
    ],
    [
      'with a header of another purpose',
      'price_by: header:x-voice',
      'price_by: header:accept',
      'names the header accept',
    ],
    [
      'with a meter called per',
      '      tokens: {',
      '      per: { unit: x, count: 1 }\n      tokens: {',
      'per is not a name for a meter',
    ],
  ])('%s', (_, from, to, reason) => {
    const found = faults(from, to);
    expect(found.join('\n')).toContain(reason);
    for (const fault of found) expect(fault).toMatch(/^shop\.yaml:\d+:\d+ /);
  });

  test('with prices or a maximum in a service without meters', () => {
    const text = `
storefront: { name: A, contact: a@example.com }
upstream: { key: { header: x-key } }
services:
  - slug: a
    name: A
    price_usd: "1"
    prices: { default: { per: 1 } }
    operations: [{ call: GET /a, units: 1, max: { x: 1 } }]
  - slug: b
    name: B
    operations: [{ call: GET /b }]
plans: [{ id: credit, kind: credit, covers: "*" }]
`;
    const parsed = File.parse(text, 'shop.yaml');
    expect(
      parsed.ok ? [] : parsed.faults.map(({ path, reason }) => `${path} ${reason.split(':')[0]}`),
    ).toEqual([
      'services[0].prices prices needs meters',
      'services[0].operations[0].max max is for a service with meters',
      'services[1].price_usd price_usd is missing',
      'services[1].operations[0].units units is missing',
    ]);
  });
});
