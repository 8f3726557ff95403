import { expect, test } from 'vitest';
import * as Fault from '../../src/catalog/fault.ts';
import * as File from '../../src/catalog/file.ts';

function faults(
  socket: string,
  units: string | number = 1,
  more = '',
  method = 'GET',
  service = 'price_usd: "0.001"',
) {
  const parsed = File.parse(
    `storefront: { name: Sockets, contact: sales@example.com }
upstream: { key: { header: authorization, value: "Key {key}" } }
services:
  - slug: feed
    name: Feed
    ${service}
    operations:
      - call: ${method} /v1/feed
        units: ${units}
        upgrade: websocket
        socket: ${socket}
        ${more}
plans:
  - { id: credit, kind: credit, covers: "*" }
`,
    'c.yaml',
  );
  return parsed.ok ? [] : parsed.faults.map(Fault.format);
}

test('messages, bytes and usage can be charged', () => {
  expect(faults('{}')).toEqual([]);
  expect(faults('{ by: bytes, per: 1024, of: both, step: 10 }')).toEqual([]);
  expect(faults('{ by: usage, merge: max }', '/usage/total', 'units_max: 50')).toEqual([]);
});

test.each([
  ['{ by: frames }', 'by'],
  ['{ steps: 1 }', 'steps'],
  ['{ step: 0 }', 'step'],
  ['{ by: usage }', 'units must be a JSON Pointer'],
  ['{ merge: sum }', 'merge is for by: usage'],
])('%s is reported with its place', (socket, reason) => {
  const found = faults(socket);
  expect(found).toHaveLength(1);
  expect(found[0]).toMatch(/^c\.yaml:\d+:\d+ /);
  expect(found[0]).toContain(reason);
});

test('rules that do not go with a WebSocket are reported', () => {
  expect(faults('{}', 1, 'stream: { usage: { at: /usage } }').join()).toContain(
    'stream does not go with upgrade',
  );
  expect(faults('{}', 1, '', 'POST').join()).toContain('upgrade is only for GET');
  expect(faults('{ by: messages }', '/usage', 'units_max: 5').join()).toContain('units must be a number');
  expect(faults('{ step: 1000000000 }', 1, '', 'GET', 'price_usd: "5"').join()).toContain('step holds over');
  expect(faults('{ by: usage, per: 2, of: both }', '/usage', 'units_max: 5')).toHaveLength(2);
});
