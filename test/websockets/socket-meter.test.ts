import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Units } from '../../src/catalog/operation.ts';
import { type SocketSource, toSocketRule } from '../../src/catalog/socket-rule.ts';
import * as Handshake from '../../src/http/socket/handshake.ts';
import { SocketMeter } from '../../src/proxy/socket-meter.ts';

const usage = {
  units: { kind: 'pointer', pointer: ['usage'] },
  unitsMax: { kind: 'fixed', units: 50 },
} as const;

function meter(rule: SocketSource, units: Units = { kind: 'fixed', units: 2 }) {
  const operation = units.kind === 'fixed' ? { units, unitsMax: units } : usage;
  const counting = new SocketMeter(toSocketRule(rule), operation);
  return (text: string, sender: 'upstream' | 'caller' = 'upstream', isBinary = false) =>
    counting.next(sender, Buffer.from(text), isBinary);
}

test('only the messages of the named side are counted', () => {
  const upstream = meter({});
  expect([upstream('a'), upstream('b', 'caller'), upstream('c')]).toEqual([2, 0, 2]);
  const both = meter({ of: 'both', per: 2 });
  expect([both('a'), both('b', 'caller'), both('c')]).toEqual([2, 0, 2]);
});

test('the bytes of all messages are added up before they are rounded up', () => {
  const next = meter({ by: 'bytes', per: 10 });
  expect([next('x'.repeat(9)), next('x'), next('x'), next('')]).toEqual([2, 0, 2, 0]);
});

test('usage is added up, or taken as a total, and never lowers the cost', () => {
  const reports = ['{"usage":5}', '{"usage":3}', '{"usage":9}', '{"usage":-1}', 'no json', '{"usage":1e9}'];
  const units = usage.units as Units;
  const next = meter({ by: 'usage' }, units);
  expect(reports.map((it) => next(it))).toEqual([5, 3, 9, 0, 0, 50]);
  const max = meter({ by: 'usage', merge: 'max' }, units);
  expect(reports.map((it) => max(it))).toEqual([5, 0, 4, 0, 0, 50]);
  expect(max('{"usage":5}', 'upstream', true)).toBe(0);
});

test('totals cost what the highest of them exceeds the charge so far by, at most once', () => {
  const units = usage.units as Units;
  for (const merge of ['last', 'max'] as const) {
    const next = meter({ by: 'usage', merge }, units);
    const totals = [40, 10, 40, '1e999', '1e999', 95, 160, 170];
    expect(totals.map((it) => next(`{"usage":${it}}`))).toEqual([40, 0, 0, 50, 50, 0, 20, 10]);
  }
  const sum = meter({ by: 'usage' }, units);
  expect(['1e999', '1e300', 7, 0.2].map((it) => sum(`{"usage":${it}}`))).toEqual([50, 50, 7, 1]);
});

test('whatever is reported, totals cost no more than the highest, sums no more than all, and no message more than its maximum', () => {
  const reported = fc.oneof(
    fc.nat(200),
    fc.double({ min: -9, noNaN: true }),
    fc.constantFrom(1e300, 2 ** 53),
  );
  const texts = (list: readonly number[]) =>
    list.map((it) => `{"usage":${it === Number.POSITIVE_INFINITY ? '1e999' : it}}`);
  fc.assert(
    fc.property(
      fc.array(reported, { maxLength: 12 }),
      fc.constantFrom('sum', 'last', 'max'),
      (list, merge) => {
        const next = meter({ by: 'usage', merge }, usage.units as Units);
        const costs = texts(list).map((text) => next(text));
        const worth = list.map((it) => Math.max(0, Math.ceil(it)));
        const all = costs.reduce((sum, it) => sum + it, 0);
        expect(costs.every((it) => it >= 0 && it <= usage.unitsMax.units)).toBe(true);
        if (merge === 'sum') expect(costs).toEqual(worth.map((it) => Math.min(it, usage.unitsMax.units)));
        else expect(all).toBeLessThanOrEqual(Math.max(0, ...worth));
        if (merge !== 'sum' && Math.max(0, ...worth) <= usage.unitsMax.units)
          expect(all).toBe(Math.max(0, ...worth));
      },
    ),
  );
});

test('the token is taken out of the subprotocols', () => {
  expect(Handshake.readProtocols('bearer.a.b-c, v1, storefront')).toEqual({
    bearer: 'a.b-c',
    upstream: ['v1'],
    hasOwn: true,
  });
  expect(Handshake.readProtocols(undefined)).toEqual({ bearer: null, upstream: [], hasOwn: false });
  expect(Handshake.readProtocols('bearer.a, bearer.b')).toBeNull();
  expect(Handshake.readProtocols('v1, v1')).toBeNull();
  expect(Handshake.readProtocols('a b')).toBeNull();
});
