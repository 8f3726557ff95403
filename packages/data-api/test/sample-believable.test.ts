import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as Companies from '../src/data/company.ts';
import distributions from '../src/data/distributions.json' with { type: 'json' };
import * as Grades from '../src/data/grades.ts';
import * as Places from '../src/data/places.ts';
import * as Prng from '../src/data/prng.ts';
import * as Roles from '../src/data/roles.ts';
import * as Sample from '../src/data/sample.ts';
import * as Sectors from '../src/data/sectors.ts';
import * as SizeClasses from '../src/data/size-classes.ts';
import * as Staffing from '../src/data/staffing.ts';
import * as ChiSquare from './support/chi-square.ts';
import * as Implausible from './support/implausible.ts';

const todayMs = Date.parse('2026-05-14T00:00:00Z');
const thisYear = 2026;
const options = { seed: Sample.seed, todayMs, companies: 1_500, people: 12_000, jobs: 6_000 };

describe('a believable sample', () => {
  it('has rows that agree with each other', () => {
    expect(Implausible.findings(Sample.generate(options), todayMs)).toEqual([]);
  });

  it('has rows that agree for any seed, day and size', () => {
    const sizes = fc.record({
      seed: fc.integer({ min: 0, max: 2 ** 31 }),
      companies: fc.integer({ min: 1, max: 120 }),
      people: fc.integer({ min: 1, max: 900 }),
      jobs: fc.integer({ min: 1, max: 300 }),
      day: fc.integer({ min: 0, max: 800 }),
    });
    fc.assert(
      fc.property(sizes, ({ day, ...given }) => {
        const onMs = todayMs + day * 86_400_000;
        expect(Implausible.findings(Sample.generate({ ...given, todayMs: onMs }), onMs)).toEqual([]);
      }),
      { numRuns: 25 },
    );
  });

  it('has people with a mobile and a direct number, and people with either', () => {
    const phones = [...Sample.generate(options).phones];
    const kinds = [...Map.groupBy(phones, (phone) => phone.person_network_url).values()].map((some) =>
      some.map(({ kind }) => kind).join(' and '),
    );
    for (const kind of ['mobile and direct', 'mobile', 'direct'])
      expect(kinds.filter((each) => each === kind).length).toBeGreaterThan(20);
  });

  it('stores all people of small companies and more people of larger ones', () => {
    const sample = Sample.generate(options);
    const stored = Map.groupBy(sample.people, (person) => person.experiences[0]?.company_network_url);
    const companies = [...sample.companies];
    const share = (size: number) => {
      const some = companies.filter(({ employees_on_network: employees }) => (employees ?? 0) >= size);
      return (
        some.reduce((sum, { network_url }) => sum + (stored.get(network_url)?.length ?? 0), 0) / some.length
      );
    };
    expect(
      companies.find(({ employees_on_network }) => employees_on_network === 2)?.employees_by_country,
    ).toBe(null);
    expect(share(10_001)).toBeGreaterThan(share(501));
    expect(share(501)).toBeGreaterThan(share(51));
  });
});

it('is generated while it is read, of any size', () => {
  const sizes = Sample.inProportion(100_000);
  expect(sizes).toEqual({ companies: 100_000, people: 1_000_000, jobs: 666_667 });
  const sample = Sample.generate({ seed: 3, todayMs, ...sizes, companies: 1_000 });
  for (const rows of [sample.companies, sample.people, sample.jobs, sample.emails, sample.phones]) {
    const [first] = rows;
    expect(first).toBeDefined();
  }
});

describe('the stated distributions', () => {
  const companies = Companies.companies(11, 12_000, thisYear).filter(({ known }) => known === null);
  const prng = () => Prng.create(12, 1);
  const weightsOf = <T>(items: readonly T[], label: (item: T) => string, weight: (item: T) => number) => {
    const weights: Record<string, number> = {};
    for (const item of items) weights[label(item)] = (weights[label(item)] ?? 0) + weight(item);
    return weights;
  };
  const holds = (labels: Iterable<string>, weights: Record<string, number>) =>
    expect(ChiSquare.follows(labels, weights)).toMatchObject({ holds: true });

  it('hold for the sizes of companies', () => {
    const weights = weightsOf(
      SizeClasses.sizeClasses,
      ({ size }) => size,
      ({ weight }) => weight,
    );
    holds(
      companies.map(({ employees }) => SizeClasses.classOf(employees).size),
      weights,
    );
    // A distribution that is off by a tenth in one class is noticed.
    const off = { ...weights, '11-50': (weights['11-50'] ?? 0) * 1.1 };
    expect(
      ChiSquare.follows(
        companies.map(({ employees }) => SizeClasses.classOf(employees).size),
        off,
      ).holds,
    ).toBe(false);
  });

  it('hold for the countries and sectors of companies', () => {
    holds(
      companies.map(({ offices }) => offices[0]?.country ?? ''),
      Places.countryWeights,
    );
    const sectors = weightsOf(
      Sectors.sectors,
      ({ tails }) => tails.join(),
      ({ weight }) => weight,
    );
    holds(
      companies.map(({ sector }) => sector.tails.join()),
      sectors,
    );
  });

  it('hold for industries within each sector', () => {
    for (const [{ industries }, some] of Map.groupBy(companies, ({ sector }) => sector))
      holds(
        some.map(({ industry }) => industry),
        weightsOf(industries, String, () => 1),
      );
  });

  it.each(SizeClasses.sizeClasses)('hold for the ages of companies of $size', ({ min, age }) => {
    const draw = prng();
    const ages = Array.from({ length: 4_000 }, () => SizeClasses.age(draw, min) - age.min);
    const half = age.median - age.min;
    // An exponential distribution halves with each half-life.
    const quarters = ages.map((years) => String(Math.min(2, Math.floor(years / half))));
    holds(quarters, { '0': 0.5, '1': 0.25, '2': 0.25 });
    expect(Math.max(...ages)).toBeLessThanOrEqual(age.max - age.min);
  });

  it.each(SizeClasses.sizeClasses)('hold for the owners of companies of $size', ({ max, types }) => {
    const draw = prng();
    holds(
      Array.from({ length: 4_000 }, () => SizeClasses.ownership(draw, max)),
      types,
    );
  });

  it('hold for the seniority of people', () => {
    const draw = prng();
    for (const family of ['software', 'logistics']) {
      const role = Roles.pick(draw, family);
      const labels = Array.from({ length: 8_000 }, () => Grades.graded(draw, role));
      const stated = Grades.ladders[role.ladder];
      holds(
        labels.map(({ seniority }) => seniority),
        weightsOf(
          stated,
          (each) => each.seniority,
          (each) => each.weight,
        ),
      );
      holds(
        labels.map(({ level }) => level),
        weightsOf(
          stated,
          (each) => each.level,
          (each) => each.weight,
        ),
      );
    }
  });

  it('hold for the departments and countries of employees, within one employee', () => {
    const { country, department } = distributions.unknown_shares;
    for (const company of companies.filter(({ employees }) => employees > 500)) {
      const { employees, sector, offices } = company;
      const { employees_by_country: countries, employees_by_department: departments } =
        Staffing.figuresOf(company);
      const countOf = (label: string | null) =>
        departments?.find((figure) => figure.department === label)?.count ?? 0;
      const families = Map.groupBy(sector.families, Roles.functionOf);
      for (const [label, some] of families) {
        const expected = (employees * (1 - department) * some.length) / sector.families.length;
        expect(Math.abs(countOf(label) - expected)).toBeLessThan(some.length + 2);
      }
      expect(Math.abs(countOf(null) - employees * department)).toBeLessThan(2);
      const unknown = countries?.find((figure) => figure.country_code === null)?.count ?? 0;
      expect(Math.abs(unknown - employees * country)).toBeLessThan(2);
      const home = countries?.find((figure) => figure.country_code === offices[0]?.country)?.count ?? 0;
      expect(home / employees).toBeGreaterThan(distributions.headquarters_share * (1 - country) - 0.01);
    }
  });
});
