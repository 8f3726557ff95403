import { describe, expect, it } from 'vitest';
import * as Cascade from '../../src/filters/cascade.ts';
import * as CountCache from '../../src/filters/count-cache.ts';
import * as Profile from '../../src/records/profile.ts';
import * as Span from '../../src/records/span.ts';

describe('a total', () => {
  it('is counted once, also for those who ask at the same time', async () => {
    const totals = CountCache.create();
    let counted = 0;
    const count = async () => ++counted;
    expect(await Promise.all([1, 2, 3].map(() => CountCache.getOrCount(totals, { a: 1 }, count)))).toEqual([
      1, 1, 1,
    ]);
    expect(await CountCache.getOrCount(totals, { a: 2 }, count)).toBe(2);
  });

  it('is counted again after a failure', async () => {
    const totals = CountCache.create();
    await expect(CountCache.getOrCount(totals, 'x', () => Promise.reject(new Error('away')))).rejects.toThrow(
      'away',
    );
    expect(await CountCache.getOrCount(totals, 'x', async () => 7)).toBe(7);
  });

  it('is forgotten when ten thousand others were asked for since', async () => {
    const totals = CountCache.create();
    await CountCache.getOrCount(totals, 'first', async () => 1);
    for (let n = 0; n < 9_999; n++) await CountCache.getOrCount(totals, n, async () => n);
    expect(await CountCache.getOrCount(totals, 'first', async () => 2)).toBe(1);
    for (let n = 0; n < 10_000; n++) await CountCache.getOrCount(totals, `other ${n}`, async () => n);
    expect(await CountCache.getOrCount(totals, 'first', async () => 2)).toBe(2);
    expect(totals.size).toBe(10_000);
  });
});

describe('a span', () => {
  it.each([
    ['2023-04-01', '2026-05-14', '3 yrs 2 mos'],
    ['2023-04-01', '2024-03-30', '1 yr'],
    ['2023-04-01', '2023-04-02', '1 mo'],
    ['2023-04-01', '2025-03-01', '2 yrs'],
    ['2023-04-01', '2023-03-01', undefined],
    [null, '2023-03-01', undefined],
    ['2023-03-01', undefined, undefined],
  ])('from %s to %s is %s', (start, end, expected) => {
    expect(Span.duration(start, end)).toBe(expected);
  });

  it('shows a day as year and month', () => {
    expect(Span.toPartialDate('2023-12-24')).toEqual({ year: 2023, month: 'Dec' });
    expect(Span.toPartialDate(null)).toBeUndefined();
    expect(Span.monthOf('2019-01-31')).toBe('Jan 2019');
  });
});

describe('a title asked for', () => {
  it.each([
    ['ceo', 'Co-CEO', true],
    ['Office CEO', 'CEO Office', true],
    ['[ceo]', 'Céo', true],
    [' [Chief  Executive] ', 'chief executive', true],
    ['[CEO]', 'Co-CEO', false],
    ['CEO', 'Ceos', false],
    ['CEO Office', 'CEO', false],
  ])('%j is in %j: %s', (title, text, expected) => {
    expect(Cascade.isFound(title, text)).toBe(expected);
  });
});

describe('a profile', () => {
  const url = 'https://www.network.example/company/acme';
  const employer = { name: 'Acme', url, number: 42 };
  const nowMs = Date.UTC(2026, 4, 14);

  it('of whom next to nothing is known has next to nothing', () => {
    const profile = Profile.toProfile({ network_url: 'https://www.network.example/in/x' }, employer, nowMs);
    expect(JSON.parse(JSON.stringify(profile))).toEqual({
      basic_info: {
        public_identifier: 'x',
        profile_url: 'https://www.network.example/in/x',
        current_company: 'Acme',
        current_company_urn: 'urn:nw:company:42',
        current_company_url: url,
        email: null,
      },
      experience: [],
      education: [],
    });
  });

  it('tells of positions, schools, certificates and languages', () => {
    const profile = Profile.toProfile(
      {
        network_url: 'https://www.network.example/in/x',
        member_number: 7,
        location: { city: 'Porto', country_code: 'PT' },
        experiences: [
          {
            job_title: 'Baker',
            company_network_url: 'urn:nw:company:42',
            job_start_date: '2026-01-01',
            job_is_current: true,
          },
          {
            job_title: 'Cook',
            job_start_date: '2024-01-01',
            job_end_date: '2025-12-01',
            job_is_current: false,
          },
        ],
        education: [{ school_name: 'S', degree: 'BSc', field_of_study: 'Bread', start_date: '2019-09-01' }],
        certifications: [{ name: 'Oven', authority: 'Guild', issued_date: '2021-03-05' }],
        languages: [{ language: 'Portuguese', proficiency: 'Native' }],
      },
      employer,
      nowMs,
    );
    expect(JSON.parse(JSON.stringify(profile))).toMatchObject({
      basic_info: {
        urn: 'urn:nw:member:7',
        headline: 'Baker',
        location: { country: 'Portugal', city: 'Porto', full: 'Porto, Portugal', country_code: 'PT' },
      },
      experience: [
        { title: 'Baker', company_network_url: url, company_id: '42', duration: '5 mos', is_current: true },
        { title: 'Cook', duration: '2 yrs', end_date: { year: 2025, month: 'Dec' }, is_current: false },
      ],
      education: [{ degree: 'BSc, Bread', degree_name: 'BSc', field_of_study: 'Bread', duration: '2019' }],
      certifications: [{ name: 'Oven', issuer: 'Guild', issued_date: 'Issued Mar 2021' }],
      languages: [{ language: 'Portuguese', proficiency: 'Native' }],
    });
  });
});
