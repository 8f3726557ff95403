import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseDocument } from 'yaml';
import * as Description from '../../src/catalog/description.ts';
import * as File from '../../src/catalog/file.ts';
import { todoYaml } from './todo.ts';

const seeds = [todoYaml, readFileSync('openapi/catalog.yaml', 'utf8')];

/** Checks that reading never throws, and that every fault names a line of the text. */
function holds(text: string): void {
  const parsed = File.parse(text, 'catalog.yaml');
  if (parsed.ok) return;
  expect(parsed.faults.length).toBeGreaterThan(0);
  const lines = text.split(/\r\n|\r|\n/).length;
  for (const { line, column, reason } of parsed.faults) {
    expect(line).toBeGreaterThanOrEqual(1);
    expect(line).toBeLessThanOrEqual(lines);
    expect(column).toBeGreaterThanOrEqual(1);
    expect(reason).not.toBe('');
  }
}

const noise = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc.string({ unit: fc.constantFrom(...'{}[]:,-&*!|>\'"%@`#?~ \n\tab10/.'), maxLength: 30 }),
);

test('arbitrary text is a catalogue or a list of faults', () => {
  fc.assert(fc.property(noise, holds), { numRuns: 1000 });
});

test('a catalogue with a piece cut out, put in or said twice is one too, or a list of faults', () => {
  const mutation = fc.tuple(fc.nat(), fc.nat({ max: 80 }), fc.oneof(noise, fc.constant(null)));
  fc.assert(
    fc.property(
      fc.constantFrom(...seeds),
      fc.array(mutation, { minLength: 1, maxLength: 4 }),
      (seed, mutations) => {
        const text = mutations.reduce((before, [at, length, put]) => {
          const start = at % (before.length + 1);
          const piece = before.slice(start, start + length);
          return before.slice(0, start) + (put ?? piece + piece) + before.slice(start + length);
        }, seed);
        holds(text);
      },
    ),
    { numRuns: 300 },
  );
});

test('a catalogue with any value in the place of any other is one too, or a list of faults', () => {
  const values = fc.oneof(
    fc.jsonValue({ maxDepth: 2 }),
    fc.constantFrom('*', '/', '~', '/~2', '', '0', '1e9', 'GET /{x}', 'POST /__proto__', '9'.repeat(30)),
    fc.constantFrom(0, -1, 1.5, 1e300, 1e6, [], {}, [[]], null),
    fc.record({ ['__proto__']: fc.string(), constructor: fc.string(), pointer: fc.string() }),
  );
  fc.assert(
    fc.property(
      fc.constantFrom(...seeds),
      fc.array(fc.tuple(fc.nat(), values), { minLength: 1, maxLength: 3 }),
      (seed, changes) => {
        const document = parseDocument(seed);
        for (const [pick, value] of changes) {
          const paths = [...pathsOf(document.toJS())];
          document.setIn(paths[pick % paths.length] ?? [], document.createNode(value));
        }
        holds(document.toString());
      },
    ),
    { numRuns: 300 },
  );
});

test('arbitrary text is a description or a reason', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        noise,
        fc.json().map((json) => `{"openapi":"3.1.0","paths":${json}}`),
      ),
      (text) => {
        const read = Description.parse(text);
        expect(read.ok || read.reason !== '').toBe(true);
      },
    ),
    { numRuns: 300 },
  );
});

function* pathsOf(value: unknown, path: (string | number)[] = []): Generator<(string | number)[]> {
  if (path.length > 0) yield path;
  if (typeof value !== 'object' || value === null) return;
  for (const [key, child] of Object.entries(value))
    yield* pathsOf(child, [...path, Array.isArray(value) ? Number(key) : key]);
}
