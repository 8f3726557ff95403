import { describe, expect, it } from 'vitest';
import * as BadRows from '../../src/import/bad-rows.ts';
import * as Progress from '../../src/import/progress.ts';

function screen(isTerminal: boolean) {
  const clock = { nowMs: 1_000 };
  let written = '';
  const write = (text: string) => {
    written += text;
  };
  const progress = Progress.on({ write, isTerminal, clock: () => clock.nowMs });
  return { clock, progress, written: () => written };
}

describe('progress', () => {
  it('is one line a stage where there is no terminal', () => {
    const { clock, progress, written } = screen(false);
    progress.stage('people.csv', 1_000);
    for (let row = 0; row < 3_000; row++) progress.row(row % 1_000 === 0);
    progress.read(500);
    clock.nowMs += 1_500;
    progress.read(500);
    progress.stage('Building indexes', 0);
    clock.nowMs += 125_000;
    progress.end();
    expect(written()).toBe(
      'people.csv  3,000 rows  1.5 s  2,000 rows/s  3 bad\nBuilding indexes  2 min 5 s\n',
    );
  });

  it('draws over its line on a terminal, at most five times a second, with pace and what is left', () => {
    const { clock, progress, written } = screen(true);
    progress.stage('people.csv', 1_000);
    for (let step = 0; step < 40; step++) {
      for (let row = 0; row < 100; row++) progress.row(false);
      clock.nowMs += 100;
      progress.read(10);
    }
    const drawn = written().split('\r\u001b[K').slice(1);
    expect(drawn.length).toBeLessThanOrEqual(21);
    expect(drawn.at(-1)).toBe('people.csv  40%  4,000 rows  1,000 rows/s  about 6.0 s left');
    expect(written()).not.toContain('\n');
    progress.end();
    expect(written()).toMatch(/people\.csv {2}4,000 rows {2}4\.0 s {2}1,000 rows\/s\n$/);
  });
});

describe('how many rows may be bad', () => {
  it('is a number of them or a share', () => {
    expect(BadRows.parseLimit('100')).toEqual({ kind: 'rows', rows: 100 });
    expect(BadRows.parseLimit('2.5%')).toEqual({ kind: 'share', percent: 2.5 });
    for (const text of ['', '%', '-1', '101%', '1.5', '5 %', '1e3'])
      expect(BadRows.parseLimit(text), text).toBe(null);
    expect(BadRows.exceeds({ kind: 'share', percent: 50 }, 1, 2)).toBe(false);
    expect(BadRows.exceeds({ kind: 'share', percent: 50 }, 2, 3)).toBe(true);
    expect(BadRows.exceeds({ kind: 'rows', rows: 0 }, 0, 0)).toBe(false);
    expect(BadRows.exceeds({ kind: 'rows', rows: 0 }, 1, 9)).toBe(true);
  });
});

describe('a bad row', () => {
  it('is told in one bounded line, with its place and reason', () => {
    const row: BadRows.BadRow = {
      file: 'people.csv',
      line: 17,
      kind: 'people',
      faults: [
        { field: 'row', message: 'Has 2 cells where the header has 3' },
        { field: 'location.city', message: 'Expected string' },
      ],
      raw: 'x'.repeat(1_000_000),
    };
    expect(BadRows.format(row)).toBe(
      'people.csv:17: Has 2 cells where the header has 3; location.city: Expected string',
    );
    expect(BadRows.toJson(row).length).toBeLessThan(11_000);
  });
});
