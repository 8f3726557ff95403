import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fold } from '../src/filters/fold.ts';
import * as Lexeme from '../src/filters/lexeme.ts';
import * as NetworkUrl from '../src/filters/network-url.ts';
import * as Words from '../src/filters/words.ts';
import * as Allowance from '../src/keys/allowance.ts';
import * as Key from '../src/keys/key.ts';
import * as Job from '../src/records/job.ts';
import * as RateWindow from '../src/usage/rate-window.ts';

const at = (text: string) => Date.parse(text);
const iso = (ms: number) => new Date(ms).toISOString();

describe('the month of an allowance', () => {
  it.each([
    ['2026-01-31T10:00:00.000Z', '2026-01-31T10:00:00.000Z', '2026-02-28T10:00:00.000Z'],
    ['2026-01-31T10:00:00.000Z', '2026-02-28T10:00:00.000Z', '2026-03-31T10:00:00.000Z'],
    ['2026-01-31T10:00:00.000Z', '2026-02-28T09:59:59.999Z', '2026-02-28T10:00:00.000Z'],
    ['2024-02-29T00:00:00.000Z', '2026-12-30T00:00:00.000Z', '2027-01-29T00:00:00.000Z'],
    ['2026-05-14T09:30:00.000Z', '2026-05-20T00:00:00.000Z', '2026-06-14T09:30:00.000Z'],
  ])('of a key from %s ends, at %s, on %s', (started, now, expected) => {
    expect(iso(Allowance.nextReset(at(started), at(now)))).toBe(expected);
  });

  it('always ends later than now, and within 31 days', () => {
    const moment = fc.integer({ min: at('2020-01-01'), max: at('2035-01-01') });
    fc.assert(
      fc.property(moment, fc.integer({ min: 0, max: 400_000_000_000 }), (started, passed) => {
        const left = Allowance.nextReset(started, started + passed) - (started + passed);
        expect(left).toBeGreaterThan(0);
        expect(left).toBeLessThanOrEqual(31 * 86_400_000);
      }),
    );
  });
});

describe('the rolling second', () => {
  it('never admits more than its limit within any second, and refuses only when it is full', () => {
    const steps = fc.array(fc.integer({ min: 0, max: 700 }), { maxLength: 200 });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 9 }), steps, (perSecond, gaps) => {
        const rates = RateWindow.create();
        const admitted: number[] = [];
        let now = 1_000_000;
        for (const gap of gaps) {
          now += gap;
          const recent = admitted.filter((time) => time > now - 1_000).length;
          const admission = RateWindow.admit(rates, 'key', perSecond, now);
          expect(admission.admitted).toBe(recent < perSecond);
          if (!admission.admitted) continue;
          admitted.push(now);
          expect(admission.remaining).toBe(perSecond - recent - 1);
        }
      }),
    );
  });

  it('keeps a bounded number of windows', () => {
    const rates = RateWindow.create();
    for (let key = 0; key < 12_000; key++) RateWindow.admit(rates, `key ${key}`, 1, 1_000_000);
    expect(rates.windows.size).toBe(10_000);
    expect(RateWindow.admit(rates, 'key 11999', 1, 1_000_000).admitted).toBe(false);
  });
});

describe('lexemes', () => {
  it('are the same for texts that differ in case, accents and spaces only', () => {
    expect(fold('  Café  MANAGER ')).toBe('cafe manager');
    expect(Lexeme.exactField('t', 'ＣＥＯ')).toBe(Lexeme.exactField('t', 'ceo'));
    expect(Words.ofText('Co-CEO, CEO Office')).toEqual(['co', 'ceo', 'office']);
    expect(Words.ofText('São Paulo/Zürich')).toEqual(['sao', 'paulo', 'zurich']);
  });

  it('fold to the same as what they fold to, and fit into the database whatever the text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 400 }), (text) => {
        expect(fold(fold(text))).toBe(fold(text));
        for (const lexeme of [
          Lexeme.exactField('t', text),
          Lexeme.exact('t', text),
          ...Lexeme.wordsOf('t', text),
        ]) {
          expect(Buffer.byteLength(lexeme)).toBeLessThan(300);
          expect(lexeme).not.toContain('\u0000');
        }
      }),
      { numRuns: 1_000 },
    );
  });
});

describe('small things', () => {
  it('names a company in one canonical form', () => {
    const parsed = NetworkUrl.company('http://uk.network.example/company/Halden-Energy/?a=1#b');
    expect(parsed && NetworkUrl.companyUrl(parsed)).toBe('https://www.network.example/company/halden-energy');
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 60 }), (text) => {
        const ref = NetworkUrl.company(`https://www.network.example/company/${text}`);
        if (ref) expect(NetworkUrl.company(NetworkUrl.companyUrl(ref))).toEqual(ref);
      }),
    );
  });

  it('writes dates with the offset of the place', () => {
    expect(Job.datePosted(at('2026-07-08T21:00:07Z'), 2)).toBe('2026-07-08 23:00:07+02');
    expect(Job.datePosted(at('2026-01-01T01:00:00Z'), -3)).toBe('2025-12-31 22:00:00-03');
  });

  it('draws keys of the form that it accepts', () => {
    expect(Key.isWellFormed(Key.draw())).toBe(true);
    for (const wrong of ['sk_', `${Key.draw()}x`, Key.draw().slice(3), `${Key.draw()}\n`]) {
      expect(Key.isWellFormed(wrong)).toBe(false);
    }
  });
});
