import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Operation } from '../../src/catalog/operation.ts';
import type { StreamRule } from '../../src/catalog/stream-rule.ts';
import { type Extend, ExtendingDestination } from '../../src/proxy/extending-destination.ts';
import { StreamGrowth } from '../../src/proxy/stream-growth.ts';
import { chunk, done, usage } from '../streams/streaming-upstream.ts';

const operation = {
  units: { kind: 'pointer', pointer: ['usage', 'total_tokens'] },
} as Pick<Operation, 'units'>;
const worst = { units: 500, isClear: true };

function rule(by: 'bytes' | 'events' | 'usage', units: number, step: number): StreamRule {
  return {
    format: 'sse',
    usage: { at: { kind: 'every', pointer: ['usage'] }, as: ['usage'], merge: 'last' },
    last: new Set(['[DONE]']),
    lastAt: null,
    extend: { by, units, step, meter: null },
  } as unknown as StreamRule;
}

/** A caller's side that records what it gets. */
function recorder() {
  const listeners: (() => void)[] = [];
  const inner = {
    text: '',
    hasEnded: false,
    destroyed: false,
    closed: false,
    writableLength: 0,
    write(bytes: Buffer, written: () => void) {
      inner.text += bytes.toString();
      written();
      return true;
    },
    end() {
      inner.hasEnded = true;
    },
    destroy() {
      inner.destroyed = true;
    },
    abandon() {
      inner.destroyed = true;
      for (const listener of listeners.splice(0)) listener();
    },
    once: (_: 'close', listener: () => void) => void listeners.push(listener),
    on() {},
  };
  return inner;
}

type Case = {
  by: 'bytes' | 'events' | 'usage';
  units: number;
  step: number;
  balance: number;
  events: readonly string[];
  pieceBytes: number;
};

/** Sends a stream through. `lend` decides about extensions, and counts what is held. */
async function run(one: Case, lend: (account: { held: number; balance: number }) => Extend) {
  const stream = rule(one.by, one.units, one.step);
  const extend = stream.extend as NonNullable<StreamRule['extend']>;
  const growth = new StreamGrowth(stream, extend, operation, worst);
  const account = { held: Math.min(StreamGrowth.first(extend, worst), one.balance), balance: one.balance };
  const inner = recorder();
  const gate = new ExtendingDestination(inner, growth, 'sse', account.held, lend(account));
  const bytes = Buffer.from(one.events.join(''));
  let written = 0;
  let writes = 0;
  for (let at = 0; at < bytes.length && !inner.destroyed; at += one.pieceBytes) {
    writes++;
    // The writer overwrites its buffer as soon as it may.
    const piece = Buffer.from(bytes.subarray(at, at + one.pieceBytes));
    await new Promise<void>((resolve) => {
      gate.write(piece, () => {
        written++;
        piece.fill(0);
        resolve();
      });
    });
  }
  if (!inner.destroyed) gate.end();
  await gate.finished;
  return { inner, gate, sold: growth.sold().units, account, written, writes };
}

const honest: (account: { held: number; balance: number }) => Extend = (account) => async (needed, units) => {
  await Promise.resolve();
  for (const wanted of [units, needed])
    if (wanted <= account.balance) {
      account.held = Math.max(account.held, wanted);
      return account.held;
    }
  return null;
};

const cases = fc.record({
  by: fc.constantFrom('bytes' as const, 'events' as const, 'usage' as const),
  units: fc.integer({ min: 1, max: 7 }),
  step: fc.integer({ min: 1, max: 60 }),
  balance: fc.integer({ min: 0, max: 600 }),
  events: fc
    .array(
      fc.oneof(
        { weight: 4, arbitrary: fc.string({ maxLength: 9 }).map(chunk) },
        fc.integer({ min: 3, max: 700 }).map(usage),
        fc.constant(': ping\n\n'),
      ),
      { maxLength: 30 },
    )
    .map((events) => [...events, done]),
  pieceBytes: fc.integer({ min: 1, max: 400 }),
});

/** Throws when a stream delivers what is not held, or charges what is not delivered. */
async function expectCovered(one: Case, lend: typeof honest): Promise<void> {
  const { inner, gate, sold, account, written, writes } = await run(one, lend);
  const whole = one.events.join('');
  expect(whole.startsWith(inner.text)).toBe(true);
  expect(inner.text === '' || inner.text.endsWith('\n\n')).toBe(true);
  expect(written).toBe(writes);
  expect(sold).toBeLessThanOrEqual(account.held);
  expect(account.held).toBeLessThanOrEqual(one.balance);
  // A reference count of what was delivered.
  let bound = 0;
  for (const event of inner.text.split('\n\n').slice(0, -1)) {
    if (!event.startsWith('data:') || event.includes('[DONE]')) continue;
    const total = Number(/"total_tokens":(\d+)/.exec(event)?.[1] ?? 0);
    const size = Buffer.byteLength(event) + 2;
    bound += one.by === 'events' ? one.units : one.by === 'bytes' ? one.units * size : 0;
    bound = Math.max(bound, total);
  }
  expect(sold).toBe(Math.min(worst.units, bound));
  if (gate.isRefused) expect(inner.hasEnded).toBe(false);
  else expect(inner.text).toBe(whole);
  if (one.balance >= worst.units) expect(gate.isRefused).toBe(false);
}

test('an event is passed on only when the hold covers everything up to it, wherever the network cuts the stream', async () => {
  await fc.assert(fc.asyncProperty(cases, (one) => expectCovered(one, honest)));
});

test('the check finds a hold that is said to be extended but is not', async () => {
  const generous: typeof honest = () => async (_, units) => units;
  await expect(fc.assert(fc.asyncProperty(cases, (one) => expectCovered(one, generous)))).rejects.toThrow();
});

test('a stream that its caller left while an extension is under way ends without it', async () => {
  const granted = Promise.withResolvers<number>();
  const stream = rule('events', 1, 1);
  const extend = stream.extend as NonNullable<StreamRule['extend']>;
  const growth = new StreamGrowth(stream, extend, operation, worst);
  const inner = recorder();
  const gate = new ExtendingDestination(inner, growth, 'sse', 1, () => granted.promise);
  let written = 0;
  gate.write(Buffer.from(chunk('one') + chunk('two')), () => written++);
  expect(gate.writableLength).toBeGreaterThan(0);
  expect(written).toBe(0);
  inner.abandon();
  await gate.finished;
  granted.resolve(2);
  await granted.promise;
  expect(written).toBe(1);
  expect(inner.text).toBe(chunk('one'));
  expect(gate.isRefused).toBe(false);
  expect(growth.sold().units).toBe(1);
});
