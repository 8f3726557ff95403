import { readFileSync } from 'node:fs';
import * as Money from '@sluice/kernel/money';
import { expect, test } from 'vitest';
import type { Catalog } from '../../src/catalog/catalog.ts';
import * as CatalogDiff from '../../src/catalog/catalog-diff.ts';
import { impactsOf } from '../../src/catalog/catalog-impact.ts';
import * as CatalogFile from '../../src/catalog/file.ts';

const source = readFileSync('test/fixtures/metered.yaml', 'utf8');

/** The metered catalogue with texts replaced. */
function shop(...changes: readonly [from: string, to: string][]): Catalog {
  let text = source;
  for (const [from, to] of changes) {
    if (!text.includes(from)) throw new Error(`the catalogue has no ${from}`);
    text = text.replace(from, to);
  }
  const read = CatalogFile.parse(text, 'metered.yaml');
  if (!read.ok) throw new Error(JSON.stringify(read.faults));
  return read.catalog;
}

const small = '      small-1: { per: 1000000, input: "0.15", cached_input: "0.075", output: "0.60" }\n';

/** The changed fields of services, with what they do to buyers. */
const fields = (...changes: readonly [string, string][]) =>
  CatalogDiff.between(shop(), shop(...changes))
    .filter(({ subject }) => subject === 'service')
    .flatMap((change) =>
      change.fields.map(({ name, from, to, severity }) => [change.id, name, from, to, severity]),
    );

test.each([
  [
    'a dearer price of one meter of one model, and no other price',
    [['input: "0.15"', 'input: "0.20"']],
    [['chat', 'prices.small-1.input', '0.15 USD per 1000000', '0.20 USD per 1000000', 'raises_price']],
  ],
  [
    'a cheaper price as harmless',
    [['output: "10.00"', 'output: "9.00"']],
    [['chat', 'prices.large-1.output', '10.00 USD per 1000000', '9.00 USD per 1000000', 'harmless']],
  ],
  [
    'a price that is only written for another number of units as harmless',
    [['default: { per: 1000, tokens: "0.01" }', 'default: { per: 1000000, tokens: "10" }']],
    [['open', 'prices.default.tokens', '0.01 USD per 1000', '10 USD per 1000000', 'harmless']],
  ],
  [
    'a model whose requests are refused as taken away',
    [[small, '']],
    ['input', 'cached_input', 'output'].map((meter) => [
      'chat',
      `prices.small-1.${meter}`,
      expect.any(String),
      null,
      'takes_away',
    ]),
  ],
  [
    'a model that is charged at the higher price of all others as dearer',
    [
      ['      default: { per: 1000, tokens: "0.01" }', '      default: { per: 1000, tokens: "0.20" }'],
      ['      large-1: { per: 1000, tokens: "0.10" }\n', '      small-1: { per: 1000, tokens: "0.10" }\n'],
    ],
    [
      ['open', 'prices.large-1.tokens', '0.10 USD per 1000', null, 'raises_price'],
      ['open', 'prices.default.tokens', '0.01 USD per 1000', '0.20 USD per 1000', 'raises_price'],
      ['open', 'prices.small-1.tokens', null, '0.10 USD per 1000', 'raises_price'],
    ],
  ],
  [
    'a higher markup',
    [['markup: "30%"', 'markup: "35%"']],
    [
      [
        'resold',
        'prices.default.provider',
        "the provider's price plus 30 %",
        "the provider's price plus 35 %",
        'raises_price',
      ],
    ],
  ],
  [
    'another count, which cannot be compared, as dearer',
    [['count: /usage/completion_tokens', 'count: /usage/output_tokens']],
    [
      [
        'chat',
        'meters.output',
        'output token /usage/completion_tokens',
        'output token /usage/output_tokens',
        'raises_price',
      ],
    ],
  ],
] as [string, [string, string][], unknown[]][])('a comparison reports %s', (_, changes, expected) => {
  const found = fields(...changes);
  expect(found).toHaveLength(expected.length);
  expect(found).toEqual(expect.arrayContaining(expected));
});

test('the most that a call by meters can cost is compared in dollars', () => {
  const changes = CatalogDiff.between(
    shop(),
    shop(['output: 1000 }\n        uncountable: free', 'output: 2000 }\n        uncountable: free']),
  );
  const [change] = changes;
  expect(change).toMatchObject({ subject: 'operation', id: 'POST /v1/lenient', severity: 'raises_price' });
  expect(change?.fields.map(({ name }) => name)).toEqual(['max_cost_usd']);
  // 1,000 output tokens more of the dearest model.
  const [from, to] = [change?.fields[0]?.from, change?.fields[0]?.to].map(Number);
  expect(((to ?? 0) - (from ?? 0)).toFixed(6)).toBe('0.010000');
});

test('a dearer meter tells holders of credit its new price', () => {
  const holdings = { plan: 'credit', accounts: 2, usd: Money.ofCents(500), units: 0, periods: [] };
  const { changes } = impactsOf(shop(), shop(['input: "0.15"', 'input: "0.20"']), [holdings as never]);
  expect(changes.find(({ subject }) => subject === 'service')?.says).toEqual([
    'credit: 5.00 USD unused in 2 accounts: prices.small-1.input is 0.20 USD per 1000000 from the next call on',
  ]);
});
