import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import * as Schema from '@sluice/kernel/json-schema';
import { afterAll, describe, expect, test } from 'vitest';
import * as Description from '../../src/catalog/description.ts';

const folder = mkdtempSync(join(tmpdir(), 'sluice-description-'));
afterAll(() => rmSync(folder, { recursive: true }));
let count = 0;

/** Writes the files into a new folder and returns the first one. */
function files(texts: Readonly<Record<string, string>>): string {
  count += 1;
  const [first = ''] = Object.keys(texts);
  for (const [name, text] of Object.entries(texts)) {
    const path = join(folder, String(count), name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
  return join(folder, String(count), first);
}

const head = 'openapi: 3.1.0\ninfo: { title: Files, version: "1" }\n';

test('a description of several files is read as one document', async () => {
  const path = files({
    'api.yaml': `${head}paths:
  /orders: { $ref: "paths/orders.yaml" }
  /orders/{id}:
    get:
      parameters: [{ $ref: "parts.yaml#/parameters/id" }]
      responses: { "200": { description: one, content: { application/json: { schema: { $ref: "models/order.yaml" } } } } }
components: { schemas: { order: { type: string } } }
`,
    'paths/orders.yaml':
      'get:\n  summary: Lists orders\n  responses: { "200": { description: all, content: { application/json: { schema: { type: array, items: { $ref: "../models/order.yaml" } } } } } }\n',
    'models/order.yaml':
      'type: object\nproperties: { parent: { $ref: "#" }, buyer: { $ref: "buyer.json#/$defs/buyer" }, home: { $ref: "../api.yaml#/components/schemas/order" } }\n',
    'models/buyer.json':
      '{ "$defs": { "buyer": { "type": "object", "properties": { "name": { "type": "string" } } } } }',
    'parts.yaml': 'parameters: { id: { name: id, in: path, required: true, schema: { type: string } } }\n',
  });
  const read = await Description.read(path);
  if (!read.ok) throw new Error(read.reason);
  expect(
    [...read.description.values()].map(({ method, path: at, summary }) => [method, at, summary]),
  ).toEqual([
    ['GET', '/orders', 'Lists orders'],
    ['GET', '/orders/{id}', null],
  ]);
  expect(JSON.stringify(read.document)).not.toMatch(/\.yaml|\.json/);
  const document = Schema.node(read.document);
  const components = Schema.node(document.components);
  const follow = Schema.reader(document);
  expect(Object.keys(Schema.node(components.parameters))).toEqual(['id']);
  // The document's own component keeps its name; the file of the same name gets another one.
  const { order, order_2: taken } = Schema.node(components.schemas);
  expect(order).toEqual({ type: 'string' });
  const properties = Schema.node(follow(taken).properties);
  expect(properties.parent).toEqual({ $ref: '#/components/schemas/order_2' });
  expect(follow(properties.home)).toMatchObject({ type: 'string' });
  expect(Object.keys(Schema.node(follow(properties.buyer).properties))).toEqual(['name']);
});

describe('a reference to a file that must not or cannot be read is refused', () => {
  test.each([
    ['/etc/hostname', 'only files beside it are read'],
    ['file:///etc/hostname', 'only files beside it are read'],
    ['http://127.0.0.1:1/a.yaml', 'only files beside it are read'],
    ['../other.yaml', 'which lies outside of its folder'],
    ['%2e%2e/other.yaml', 'which lies outside of its folder'],
    ['missing.yaml', 'which cannot be read'],
    ['part.yaml#/nothing', 'which does not exist'],
  ])('%s', async (ref, reason) => {
    const path = files({
      'api.yaml': `${head}paths: { /a: { get: { parameters: [{ $ref: "${ref}" }] } } }\n`,
      'part.yaml': 'a: 1\n',
    });
    const read = await Description.read(path);
    expect(read).toEqual({ ok: false, reason: expect.stringContaining(reason) });
  });

  test('a file that is no YAML, with its line', () => {
    expect(Description.parse('openapi: 3.1.0\ninfo: [')).toEqual({
      ok: false,
      reason: expect.stringMatching(/^is neither YAML nor JSON \(line 2/),
    });
  });
});

test('with a mount, paths and the references into them are those of the shop', async () => {
  const path = files({
    'api.yaml': `${head}paths:
  /{owner}: { get: { responses: { "200": { description: one } } } }
  /b: { get: { responses: { "200": { $ref: "#/paths/~1{owner}/get/responses/200" } } } }
`,
  });
  const read = await Description.read(path, '/acme');
  if (!read.ok) throw new Error(read.reason);
  expect([...read.description.values()].map((it) => it.path)).toEqual(['/acme/{owner}', '/acme/b']);
  expect(JSON.stringify(read.document)).toContain('#/paths/~1acme~1{owner}/get');
});
