import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import * as CatalogDiff from '../../src/catalog/catalog-diff.ts';
import * as Fault from '../../src/catalog/fault.ts';
import * as File from '../../src/catalog/file.ts';

function parse(stream: string, units = '/usage/total_tokens', method = 'POST') {
  const text = `storefront: { name: Streams, contact: sales@example.com }
upstream: { key: { header: authorization, value: "Key {key}" } }
services:
  - slug: chat
    name: Chat
    price_usd: "0.001"
    operations:
      - call: ${method} /v1/chat
        units: ${units}
        units_max: 50
        stream: ${stream}
plans:
  - { id: credit, kind: credit, covers: "*" }
`;
  return File.parse(text, 'c.yaml');
}

function faults(...source: Parameters<typeof parse>): string[] {
  const parsed = parse(...source);
  return parsed.ok ? [] : parsed.faults.map(Fault.format);
}

test('the rules of common APIs are valid', () => {
  expect(File.parse(readFileSync('examples/llm-shop/catalog.yaml', 'utf8'), 'catalog.yaml').ok).toBe(true);
  expect(faults('{ usage: { at: /usage } }')).toEqual([]);
  expect(faults('{ usage: { at: { done: /response/usage } } }')).toEqual([]);
  expect(faults('{ usage: { at: /usageMetadata } }', '/usageMetadata/totalTokenCount')).toEqual([]);
});

test.each([
  ['{ when: /stream }', 'usage'],
  ['{ usage: { at: /usageMetadata } }', 'let units begin with /usageMetadata'],
  ['{ usage: { at: { done: /usage }, as: /other } }', 'let units begin with /other'],
  ['{ usage: { at: usage } }', 'at'],
  ['{ usage: { at: /usage }, set: { stream_options: true } }', 'stream_options'],
  ['{ usage: { at: /usage }, format: xml }', 'format'],
  ['{ usage: { at: /usage }, finish: true }', 'finish'],
])('%s is reported with its place', (stream, reason) => {
  const found = faults(stream);
  expect(found).toHaveLength(1);
  expect(found[0]).toMatch(/^c\.yaml:11:\d+ /);
  expect(found[0]).toContain(reason);
});

test.each([
  ['{ usage: { at: /usage }, extend: true }'],
  ['{ usage: { at: /usage }, extend: { by: events, units: 4, step: 500 } }'],
  ['{ usage: { at: /usage }, extend: { by: usage } }'],
])('%s lets holds grow', (stream) => {
  expect(faults(stream)).toEqual([]);
});

test.each([
  ['{ usage: { at: /usage }, extend: { by: words } }', 'by'],
  ['{ usage: { at: /usage }, extend: { by: usage, units: 2 } }', 'units does not go with by: usage'],
  ['{ usage: { at: /usage }, extend: { step: 0 } }', 'step'],
  ['{ usage: { at: /usage }, extend: { meter: output } }', 'leave it out'],
])('%s is reported with its place', (stream, reason) => {
  const found = faults(stream);
  expect(found).toHaveLength(1);
  expect(found[0]).toMatch(/^c\.yaml:11:\d+ /);
  expect(found[0]).toContain(reason);
});

test.each([
  ['true', 'needs the meter that grows'],
  ['{ meter: outptu }', 'not a meter of the service'],
  ['{ meter: calls }', 'JSON Pointer as its count'],
])('extend: %s of a service with meters is reported with its place', (extend, reason) => {
  const parsed = File.parse(
    `storefront: { name: Streams, contact: sales@example.com }
upstream: { key: { header: authorization, value: "Key {key}" } }
services:
  - slug: chat
    name: Chat
    meters:
      calls: { unit: call, count: 1 }
      output: { unit: token, count: /usage/completion_tokens }
    prices: { default: { per: 1000, calls: "0.01", output: "0.10" } }
    operations:
      - call: POST /v1/chat
        max: { output: 4000 }
        stream: { usage: { at: /usage }, extend: ${extend} }
plans:
  - { id: credit, kind: credit, covers: "*" }
`,
    'c.yaml',
  );
  const found = parsed.ok ? [] : parsed.faults.map(Fault.format);
  expect(found).toHaveLength(1);
  expect(found[0]).toMatch(/^c\.yaml:13:\d+ /);
  expect(found[0]).toContain(reason);
});

test('a GET has no field that asks for a stream', () => {
  expect(faults('{ when: /stream, usage: { at: /usage } }', undefined, 'GET')[0]).toContain('leave it out');
});

test('a changed rule of a stream may raise its price', () => {
  const [before, after] = ['free', 'held'].map((missing) =>
    parse(`{ usage: { at: /usage }, missing_usage: ${missing} }`),
  );
  if (!before?.ok || !after?.ok) throw new Error('invalid');
  expect(CatalogDiff.between(before.catalog, after.catalog)).toMatchObject([
    { subject: 'operation', severity: 'raises_price', fields: [{ name: 'stream' }] },
  ]);
  expect(CatalogDiff.between(before.catalog, before.catalog)).toEqual([]);
});
