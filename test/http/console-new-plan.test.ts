import { expect, test } from 'vitest';
import { additionOf, idOf } from '../../src/http/console/new-plan.ts';

test('the id of a new plan follows from its name, and is never one that the file has', () => {
  const cases: [name: string, taken: string[], id: string][] = [
    ['Big One', [], 'big-one'],
    ['  Größe & Maß! ', [], 'gro-e-ma'],
    ['100k', [], 'plan-100k'],
    ['Élite', [], 'elite'],
    ['日本', [], 'plan'],
    ['Start', ['start', 'start-2'], 'start-3'],
    [`a${'b'.repeat(100)}`, [], `a${'b'.repeat(39)}`],
  ];
  for (const [name, taken, id] of cases) expect([name, idOf(name, taken)]).toEqual([name, id]);
});

test('a form without anything of a new plan adds none', () => {
  expect(
    additionOf(new URLSearchParams({ 'new.name': ' ', 'new.every': 'year', 'new.covers': '*' }), []),
  ).toBe(null);
  const some = additionOf(
    new URLSearchParams([
      ['new.name', 'A'],
      ['new.covers', ''],
      ['new.covers', 'lists'],
    ]),
    [],
  );
  expect(some?.item).toMatchObject({ id: 'a', covers: ['lists'] });
});
