import fc from 'fast-check';
import type { CompanyEntry } from '../../src/entries/company.ts';
import type { JobEntry } from '../../src/entries/job.ts';
import * as Enums from '../../src/filters/enums.ts';
import * as Geography from '../../src/filters/geography.ts';
import * as Oracle from './oracle.ts';

/** Filters built from the values of existing records, so that some of them match. */
export function jobFilter(jobs: readonly JobEntry[]): fc.Arbitrary<Oracle.JobFilter> {
  const titles = jobs.map((job) => job.title);
  const bracketed = from(titles).map((title) => `[${title.toUpperCase()}]`);
  return some({
    title: list(fc.oneof(fragments(titles), bracketed)),
    description: list(fragments(jobs.map((job) => job.description))),
    ai_keywords: list(fragments(jobs.flatMap((job) => [...job.skills, ...job.taxonomies, job.title]))),
    field: list(fragments(jobs.map((job) => job.field))),
    seniority: list(fc.constantFrom(...Enums.seniorities)),
    employment_type: list(fc.constantFrom(...Enums.employmentTypes)),
    work_arrangement: list(fc.constantFrom(...Enums.workArrangements)),
    location: some({
      city: list(from(jobs.map((job) => job.city)).map(Oracle.plain)),
      country_code: list(from(jobs.map((job) => job.country_code))),
    }),
    date_posted: fc.record({ last_days: fc.integer({ min: 1, max: 120 }) }),
  });
}

/** Filters on employers. */
export function employerFilter(companies: readonly CompanyEntry[]): fc.Arbitrary<Oracle.EmployerFilter> {
  return some({
    is_agency: fc.constantFrom(true, false, null),
    industry: industries(companies),
    employee_count: bounds(companies.map((company) => company.employees_on_network)),
    size: some({ include: anyOf(fc.constantFrom(...Enums.sizes)) }),
    keywords: descriptions(companies),
    hq: some({ ...seats(companies), country_code: list(countries(companies)) }),
  });
}

export function companyFilter(companies: readonly CompanyEntry[]): fc.Arbitrary<Oracle.CompanyFilter> {
  const measured = (measure: (company: CompanyEntry) => number | null) => bounds(companies.map(measure));
  const coded = (codes: (company: CompanyEntry) => string[]) => list(from(companies.flatMap(codes)));
  return some({
    name: list(fragments(companies.map((company) => company.name))),
    industry: industries(companies),
    type: list(fc.constantFrom(...Enums.companyTypes)),
    employee_range: anyOf(fc.constantFrom(...Enums.sizes)),
    employee_count: measured((company) => company.employees_on_network),
    min_network_followers: fc.constantFrom(0, 1, 150, 2_000.5, 90_000),
    revenue: measured((company) => company.revenue),
    naics_code: coded((company) => company.naics_codes),
    sic_code: coded((company) => company.sic_codes),
    web_traffic: measured((company) => company.web_traffic),
    ad_spend: measured((company) => company.ad_spend),
    total_funding: measured((company) => company.total_funding),
    last_funding_amount: measured((company) => company.last_funding_amount),
    last_funding_year: measured((company) => company.last_funding_year),
    last_funding_type: list(fc.constantFrom(...Enums.fundingTypes)),
    lead_investors: list(fragments(companies.flatMap((company) => company.lead_investors))),
    keywords: descriptions(companies),
    founded_year: measured((company) => company.founded_year),
    hq: some({
      ...seats(companies),
      country_code: anyOf(countries(companies)),
      continent: anyOf(fc.constantFrom(...Geography.continents)),
      sales_region: anyOf(fc.constantFrom(...Geography.salesRegions)),
    }),
  });
}

/** Filters with one field, and full ones, which rarely match anything. */
export function oneOrMore<T extends object>(filters: fc.Arbitrary<T>): fc.Arbitrary<T> {
  const single = fc.tuple(filters, fc.nat()).map(([filter, at]) => {
    const fields = Object.entries(filter);
    return Object.fromEntries(fields.slice(at % Math.max(1, fields.length)).slice(0, 1)) as T;
  });
  return fc.oneof(filters, single, single);
}

function industries(companies: readonly CompanyEntry[]) {
  return list(from([...companies.map((company) => company.industry), Enums.industryUnknown]));
}

function descriptions(companies: readonly CompanyEntry[]) {
  const texts = companies.flatMap(({ about, specialties, activities, categories }) => [
    about,
    ...(specialties ?? []),
    ...activities,
    ...categories,
  ]);
  return list(fragments(texts));
}

function seats(companies: readonly CompanyEntry[]) {
  return {
    city: list(fragments(companies.map((company) => company.hq?.city ?? null))),
    state: list(fragments(companies.map((company) => company.hq?.state ?? null))),
  };
}

function countries(companies: readonly CompanyEntry[]) {
  return from(companies.map((company) => company.hq?.country_code ?? null));
}

/** Ranges with a bound at or next to an existing number. */
function bounds(values: readonly (number | null)[]): fc.Arbitrary<Oracle.Range> {
  const known = values.filter((value) => value !== null);
  const end = fc.constantFrom(...(known.length > 0 ? known : [1]));
  return fc.oneof(
    end.map((min) => ({ min })),
    end.map((max) => ({ max })),
    end.map((max) => ({ max: max + 0.5 })),
    fc.tuple(end, end).map(([one, other]) => ({ min: Math.min(one, other), max: Math.max(one, other) })),
    fc.constant({ min: 0, max: 0 }),
  );
}

/** Some of the fields. */
export function some<T>(model: { [K in keyof T]: fc.Arbitrary<T[K]> }) {
  return fc.record(model, { requiredKeys: [] });
}

export function list(values: fc.Arbitrary<string>): fc.Arbitrary<Oracle.List> {
  return some({
    include: fc.array(values, { maxLength: 3 }),
    exclude: fc.array(values, { maxLength: 2 }),
  });
}

export function anyOf(values: fc.Arbitrary<string>): fc.Arbitrary<string[]> {
  return fc.array(values, { maxLength: 4 });
}

export function from(values: readonly (string | null)[]): fc.Arbitrary<string> {
  return fc.constantFrom(...new Set(values.filter((value) => value !== null)));
}

/** Some words of the values, sometimes in another case. */
export function fragments(values: readonly (string | null)[]): fc.Arbitrary<string> {
  return fc
    .tuple(from(values), fc.nat(), fc.integer({ min: 1, max: 2 }), fc.boolean())
    .map(([text, at, count, loud]) => {
      const words = text.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word));
      const start = at % words.length;
      const chosen = words.slice(start, start + count).reverse();
      return loud ? chosen.join(' ').toUpperCase() : chosen.join(' ');
    });
}
